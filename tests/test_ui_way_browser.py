"""The whole way in a browser, from an imported log to a file that equals the command's, and what the way meets."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest
from app_in_browser import PATIENCE_MS, browsed, drawn, heading, served
from ui_app import word

from workbench.judge.hand import listing, reading_answers
from workbench.params.drafts import save_draft
from workbench.replay.logged import settings_in_force
from workbench.simulate import World, simulate
from workbench.store import writing

if TYPE_CHECKING:
    from playwright.sync_api import Dialog, Page

STRANGE = "cost $5 :smile: [x](y) <b>hi</b> <img src=http://example.com/x.png onerror=alert(1)> *bold* \u202eabc 💡"

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def tables(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A simulated log."""
    folder = tmp_path_factory.mktemp("way") / "tables"
    simulate(folder, World(prompts=900, needs=0.4), 3)
    return folder


@pytest.fixture(scope="module")
def store(tables: Path) -> Path:
    """That log, imported by the command; its newest prompt is full of marks."""
    store = tables.with_name("store.duckdb")
    command("import", tables, "--db", store)
    with writing(store, "test") as db:
        db.execute(
            "UPDATE recall_queries SET query_text = $text WHERE query_id = (SELECT arg_max(query_id, (now, query_id))"
            " FROM wb.logged_queries WHERE traffic = 'prompt')",
            {"text": STRANGE},
        )
        in_force = settings_in_force(db).params
    save_draft(store, "mine", in_force.replace({"recall.weights.w_exact": 0.1}))
    return store


@pytest.fixture(scope="module")
def address(store: Path) -> Iterator[str]:
    with served(store) as where:
        yield where


def command(*arguments: str | Path) -> None:
    """One command of the workbench, which succeeds."""
    subprocess.run([sys.executable, "-m", "workbench", *map(str, arguments)], check=True, capture_output=True)


def follow(page: Page, name: str) -> None:
    """To another page by the navigation."""
    from playwright.sync_api import expect

    page.get_by_test_id("stSidebarNav").get_by_role("link", name=word(f"{name}.title"), exact=True).click()
    expect(heading(page, word(f"{name}.title"))).to_be_visible(timeout=PATIENCE_MS)


def test_from_the_overview_to_a_file_that_equals_the_command_s(
    chromium: str, address: str, store: Path, tmp_path: Path
) -> None:
    from playwright.sync_api import expect

    with browsed(chromium) as page:
        page.goto(address)
        expect(heading(page, "Overview")).to_be_visible(timeout=PATIENCE_MS)
        expect(page.get_by_text("Parity holds")).to_be_visible(timeout=PATIENCE_MS)
        follow(page, "prompt")
        expect(page.get_by_text("cost $5 :smile: [x](y) <b>hi</b> <img").first).to_be_visible(timeout=PATIENCE_MS)
        follow(page, "whatif")
        sliders = page.get_by_test_id("stSlider").filter(has_text="display.min_display_score")
        threshold = sliders.get_by_role("slider")
        threshold.press("ArrowRight")
        threshold.press("ArrowRight")
        expect(page.get_by_text("in 1 key: display.min_display_score = 0.62")).to_be_visible(timeout=PATIENCE_MS)
        follow(page, "overview")
        page.reload()
        expect(heading(page, "Overview")).to_be_visible(timeout=PATIENCE_MS)
        follow(page, "whatif")
        expect(page.get_by_text("in 1 key: display.min_display_score = 0.62")).to_be_visible(timeout=PATIENCE_MS)
        follow(page, "tune")
        _tuned(page)
        page.get_by_role("button", name=word("tune.export")).click()
        expect(heading(page, "Export")).to_be_visible(timeout=PATIENCE_MS)
        expect(page.get_by_text("Study study:")).to_be_visible(timeout=PATIENCE_MS)
        with page.expect_download() as download:
            page.get_by_role("button", name=word("export.download")).click()
        download.value.save_as(tmp_path / "from the app.toml")
    command("export", "--study", "study", "--db", store, "--out", tmp_path / "from the command.toml")
    files = [(tmp_path / f"from the {where}.toml").read_bytes() for where in ("app", "command")]
    assert files[0] == files[1]


def _tuned(page: Page) -> None:
    """50 trials with a reload in the middle, to the verdict."""
    from playwright.sync_api import expect

    trials = page.get_by_label(word("tune.trials"), exact=True)
    trials.fill("50")
    trials.press("Enter")
    page.get_by_role("button", name=word("tune.start"), exact=True).click()
    going = page.get_by_text("goes on in a process of its own")
    expect(going).to_be_visible(timeout=PATIENCE_MS)
    page.reload()
    expect(going.or_(heading(page, word("tune.held_out")))).to_be_visible(timeout=PATIENCE_MS)
    expect(heading(page, word("tune.held_out"))).to_be_visible(timeout=2 * PATIENCE_MS)
    expect(page.get_by_test_id("stMetricValue").first).to_have_text("50", timeout=PATIENCE_MS)


def test_two_tabs_with_different_filters_and_the_language_switch(chromium: str, address: str) -> None:
    from playwright.sync_api import expect

    with browsed(chromium) as one:
        other = one.context.new_page()
        one.goto(f"{address}/?client=codex")
        other.goto(f"{address}/?client=pi")
        first, second = (_prompts(page) for page in (one, other))
        assert first != second
        one.get_by_text("中文", exact=True).click()
        expect(heading(one, word("overview.title", "zh"))).to_be_visible(timeout=PATIENCE_MS)
        assert _prompts(one) == first
        other.reload()
        assert _prompts(other) == second
        expect(heading(other, word("overview.title"))).to_be_visible(timeout=PATIENCE_MS)


def _prompts(page: Page) -> str:
    value = page.get_by_test_id("stMetricValue").first
    value.wait_for(timeout=PATIENCE_MS)
    return value.inner_text()


def test_case_23_hostile_text_does_no_harm(chromium: str, address: str) -> None:
    with browsed(chromium) as page:
        dialogs: list[str] = []

        def dismiss(dialog: Dialog) -> None:
            dialogs.append(dialog.message)
            dialog.dismiss()

        page.on("dialog", dismiss)
        for name in ("prompt", "prompts", "overview"):
            page.goto(f"{address}/{'' if name == 'overview' else name}?{urlencode({'text': STRANGE})}")
            heading(page, word(f"{name}.title")).wait_for(timeout=PATIENCE_MS)
            drawn(page)
            assert page.get_by_label(word("bar.text"), exact=True).input_value() == STRANGE
            assert page.locator("b", has_text="hi").count() == 0, name
            assert page.locator("img[src*='example.com']").count() == 0, name
            assert page.get_by_role("link", name="x", exact=True).count() == 0, name
        assert dialogs == []


def test_answers_by_the_keyboard(chromium: str, address: str, store: Path) -> None:
    from playwright.sync_api import expect

    with browsed(chromium) as page:
        page.goto(f"{address}/review")
        expect(page.get_by_text("Pair 1 of ")).to_be_visible(timeout=PATIENCE_MS)
        heading(page, word("review.title")).click()
        drawn(page)
        for key, number in (("1", 2), ("2", 3), ("j", 4), ("3", 5), ("u", 4), ("k", 3)):
            page.keyboard.press(key)
            expect(page.get_by_text(f"Pair {number} of ")).to_be_visible(timeout=PATIENCE_MS)
    with reading_answers(store) as db:
        assert sorted(one["grade"] for one in listing(db)) == ["no", "yes"]


def test_from_nothing_over_an_import_to_the_overview(chromium: str, tables: Path, tmp_path: Path) -> None:
    from playwright.sync_api import expect

    with served(tmp_path / "store.duckdb") as address, browsed(chromium) as page:
        page.goto(address)
        expect(heading(page, word("data.title"))).to_be_visible(timeout=PATIENCE_MS)
        expect(page.get_by_text("There is no store at ")).to_be_visible()
        page.goto(f"{address}/whatif")
        page.get_by_test_id("stMain").get_by_role("link", name=word("data.title"), exact=True).click()
        path = page.get_by_label(word("data.path"), exact=True)
        path.fill(str(tables))
        path.press("Enter")
        page.get_by_role("button", name=word("data.start"), exact=True).click()
        expect(page.get_by_text("is imported.")).to_be_visible(timeout=2 * PATIENCE_MS)
        page.get_by_role("link", name=word("data.look"), exact=True).click()
        expect(page.get_by_test_id("stMetricValue").first).to_have_text("900", timeout=PATIENCE_MS)


def test_an_address_may_call_every_page_by_its_name(chromium: str, address: str) -> None:
    from playwright.sync_api import expect

    with browsed(chromium) as page:
        for name, more in (("overview", "&client=codex"), ("prompts", "&page=2")):
            page.goto(f"{address}/{name}?client=pi{more}&lang=zh")
            expect(heading(page, word(f"{name}.title", "zh"))).to_be_visible(timeout=PATIENCE_MS)
            drawn(page)
            assert page.get_by_role("dialog").count() == 0
            assert page.url.endswith(f"?client=pi{more}&lang=zh")
