"""The whole way in a browser, from an imported log to a file that equals the command's; pictures of every page."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest
from app_in_browser import PATIENCE_MS, browsed, served
from ui_app import word

from workbench.params.drafts import save_draft
from workbench.replay.logged import settings_in_force
from workbench.simulate import World, simulate
from workbench.store import writing
from workbench.ui.screens import SCREENS

if TYPE_CHECKING:
    from playwright.sync_api import Page

STRANGE = "cost $5 :smile: [x](y) <b>hi</b> <img src=http://example.com/x.png onerror=alert(1)> *bold* \u202eabc 💡"
# `WORKBENCH_PICTURES=FOLDER pytest -m browser` takes a picture of every page in every look, and keeps them.
PICTURES = os.environ.get("WORKBENCH_PICTURES")
LOOKS = [("en", "light"), ("zh", "dark"), *([("en", "dark"), ("zh", "light")] if PICTURES else [])]
PAGES = [screen.name for screens in SCREENS.values() for screen in screens]

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def store(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A simulated log, imported by the command; its newest prompt is full of marks."""
    folder = tmp_path_factory.mktemp("way")
    simulate(folder / "tables", World(prompts=900, needs=0.4), 3)
    command("import", folder / "tables", "--db", folder / "store.duckdb")
    with writing(folder / "store.duckdb", "test") as db:
        db.execute(
            "UPDATE recall_queries SET query_text = $text WHERE query_id = (SELECT arg_max(query_id, (now, query_id))"
            " FROM wb.logged_queries WHERE traffic = 'prompt')",
            {"text": STRANGE},
        )
        in_force = settings_in_force(db).params
    save_draft(folder / "store.duckdb", "mine", in_force.replace({"recall.weights.w_exact": 0.1}))
    return folder / "store.duckdb"


@pytest.fixture(scope="module")
def address(store: Path) -> Iterator[str]:
    with served(store) as where:
        yield where


def command(*arguments: str | Path) -> None:
    """One command of the workbench, which succeeds."""
    subprocess.run([sys.executable, "-m", "workbench", *map(str, arguments)], check=True, capture_output=True)


def heading(page: Page, name: str) -> Any:
    """The title of a page."""
    return page.get_by_role("heading", name=name, exact=True)


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


@pytest.mark.parametrize(("language", "theme"), LOOKS)
def test_a_picture_of_every_page_without_a_fault(
    chromium: str, address: str, language: str, theme: Literal["light", "dark"], tmp_path: Path
) -> None:
    folder = Path(PICTURES or tmp_path)
    folder.mkdir(exist_ok=True)
    with browsed(chromium, theme=theme) as page:
        for name in PAGES:
            page.goto(f"{address}/{'' if name == 'overview' else name}?lang={language}")
            heading(page, word(f"{name}.title", language)).wait_for(timeout=PATIENCE_MS)
            _drawn(page)
            assert page.get_by_test_id("stException").count() == 0, name
            assert page.get_by_text(word("frame.fault", language)).count() == 0, name
            assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), name
            page.screenshot(path=folder / f"{name}-{language}-{theme}.png")


def _drawn(page: Page) -> None:
    """Until the script of the page has come to its end, and the window is as tall as the page."""
    page.wait_for_function(
        "document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'"
        " && !document.querySelector('[data-testid=stSpinner], [data-testid=stSkeleton]')"
    )
    height = page.evaluate("document.querySelector('[data-testid=stMainBlockContainer]').scrollHeight")
    page.set_viewport_size({"width": 1280, "height": min(int(height) + 80, 6000)})
    page.wait_for_timeout(600)
