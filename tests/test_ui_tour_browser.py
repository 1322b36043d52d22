"""Every page in a browser, whole in each look and on a tablet; the pictures of the tour are made here."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest
from app_in_browser import PATIENCE_MS, SETTLES_MS, browsed, drawn, heading, served
from tour import NAMES, Toured, for_the_tour, toured
from ui_app import word

if TYPE_CHECKING:
    from playwright.sync_api import Page

# `WORKBENCH_PICTURES=FOLDER pytest -m browser` takes a picture of every page in every look, and keeps them; those of
# the tour are the `.webp` among them and belong into workbench/ui/static/tour.
PICTURES = os.environ.get("WORKBENCH_PICTURES")
LOOKS = [("en", "light"), ("zh", "dark"), *([("en", "dark"), ("zh", "light")] if PICTURES else [])]
WIDTHS = (820, 1280)
MOST_HEIGHT = 6000
# The titles of pictures whose legend, in a row above or below, reaches into the room of the axes.
_COVERED = """[...document.querySelectorAll('.js-plotly-plot')].filter(one => {
    const layout = one._fullLayout, box = one.querySelector('.legend')?.getBoundingClientRect()
    if (!box || !layout._size || layout.legend.orientation !== 'h') return false
    const top = box.top - one.getBoundingClientRect().top
    return top + box.height > layout._size.t + 3 && top < layout.height - layout._size.b - 3
}).map(one => one.getAttribute('aria-label') ?? '?')"""

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def tour(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Toured:
    """The store of the tour, where there is a browser to look at it."""
    return toured(tmp_path_factory.mktemp("tour"))


@pytest.fixture(scope="module")
def address(tour: Toured) -> Iterator[str]:
    with served(tour.store) as where:
        yield where


@pytest.mark.parametrize(("language", "theme"), LOOKS)
def test_every_page_is_whole(
    chromium: str, tour: Toured, address: str, language: str, theme: Literal["light", "dark"], tmp_path: Path
) -> None:
    folder = Path(PICTURES or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)
    with browsed(chromium, theme=theme) as page:
        for name in NAMES:
            page.goto(address + tour.address(name, language))
            heading(page, word(f"{name}.title", language)).wait_for(timeout=PATIENCE_MS)
            if theme == "light" and name != "help":
                for_the_tour(page, tour.store, folder, name, language)
            for width in WIDTHS:
                _fits(page, name, width)
                page.screenshot(path=folder / f"{name}-{language}-{theme}-{width}.png")
            assert page.get_by_test_id("stException").count() == 0, name
            assert page.get_by_text(word("frame.fault", language)).count() == 0, name


def _fits(page: Page, name: str, width: int) -> None:
    """The page is no wider than a window of that width, which becomes as tall as the page."""
    size = page.viewport_size
    page.set_viewport_size({"width": width, "height": size["height"] if size else MOST_HEIGHT})
    drawn(page)
    main = "document.querySelector('[data-testid=stMain]')"
    assert page.evaluate(f"{main}.scrollWidth <= {main}.clientWidth"), f"{name} at {width}"
    assert page.evaluate(_COVERED) == [], f"{name} at {width}: a legend covers its picture"
    height = page.evaluate("document.querySelector('[data-testid=stMainBlockContainer]').scrollHeight")
    page.set_viewport_size({"width": width, "height": min(int(height) + 80, MOST_HEIGHT)})
    page.wait_for_timeout(SETTLES_MS)
