"""Case 43 in a browser: a run that goes on while its page is left, reloaded and opened twice."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from app_in_browser import PATIENCE_MS, browsed, served
from worlds import world_store

from workbench.tune import load_result, studies_folder


@pytest.mark.browser
def test_case_43_a_run_survives_page_change_reload_and_a_second_tab(chromium: str, tmp_path: Path) -> None:
    from playwright.sync_api import expect

    store = tmp_path / "store.duckdb"
    shutil.copy(world_store(900, 0.4, 3), store)
    with served(store) as address, browsed(chromium) as page:
        page.goto(f"{address}/tune")
        page.get_by_label("Trials", exact=True).fill("150")
        page.get_by_label("Trials", exact=True).press("Enter")
        page.get_by_role("button", name="Start").dblclick()
        going = page.get_by_text("goes on in a process of its own")
        expect(going).to_be_visible(timeout=PATIENCE_MS)
        page.get_by_role("link", name="Overview").click()
        expect(page.get_by_role("heading", name="Overview")).to_be_visible(timeout=PATIENCE_MS)
        page.get_by_role("link", name="Tune").click()
        expect(going).to_be_visible(timeout=PATIENCE_MS)
        page.reload()
        expect(page.get_by_text("of 150 trials")).to_be_visible(timeout=PATIENCE_MS)
        tab = page.context.new_page()
        tab.goto(f"{address}/tune")
        expect(tab.get_by_text("goes on in a process of its own")).to_be_visible(timeout=PATIENCE_MS)
        expect(page.get_by_text("On held-out prompts")).to_be_visible(timeout=2 * PATIENCE_MS)
        verdict = load_result(studies_folder(store), "study")["verdict"].capitalize()
        expect(page.get_by_text(f"{verdict}.", exact=True)).to_be_visible()
        expect(tab.get_by_text(f"{verdict}.", exact=True)).to_be_visible(timeout=PATIENCE_MS)
    result = load_result(studies_folder(store), "study")
    assert result["trials"] == {"completed": 150, "failed": 0}
    assert [file.name for file in studies_folder(store).glob("*.journal")] == ["study.journal"]
