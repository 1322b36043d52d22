"""The way through the app that its tour shows: a store with something on every page, and pictures of the pages."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from app_in_browser import PATIENCE_MS, drawn
from PIL import Image
from studies import finished_study
from ui_app import word

from workbench.folding import fold
from workbench.judge.hand import answered, keep
from workbench.store import reading, writing
from workbench.tune import studies_folder
from workbench.ui.screens import SCREENS

if TYPE_CHECKING:
    from playwright.sync_api import FloatRect as Clip
    from playwright.sync_api import Page

NAMES = [screen.name for screens in SCREENS.values() for screen in screens]
SIZE = (1000, 750)
# What else a page shows, further down: the text that heads it.
FURTHER = {
    "overview": ["overview.clients"],
    "prompt": ["prompt.one_memory"],
    "missed": ["missed.advice"],
    "whatif": ["whatif.curve"],
    "tune": ["tune.held_out", "tune.settle"],
    "compare": ["compare.differences"],
}
_WINDOW = {"width": 1280, "height": 960}
# Of the window, without the navigation and the bar at the top.
_BESIDE: Clip = {"x": 244, "y": 58, "width": 1036, "height": 777}
_TO_THE_TOP = "one => one.closest('[data-testid=stMain]').scrollBy(0, one.getBoundingClientRect().top - 76)"
_WITHOUT = """folder => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) texts.currentNode.data = texts.currentNode.data.replaceAll(folder, "")
}"""
_ANSWERED = """
SELECT query_id, uri FROM wb.logged_candidates
WHERE NOT logged_shown AND NOT is_boot AND logged_position BETWEEN 2 AND 4
ORDER BY hash(query_id, 1), uri LIMIT 40
"""


@dataclass(frozen=True)
class Toured:
    """The store of the tour, and what is looked at on its pages, as their addresses say it."""

    store: Path
    addresses: dict[str, dict[str, str]]

    def address(self, screen: str, language: str) -> str:
        """The address of a page below that of the app."""
        asked = urlencode({**self.addresses.get(screen, {}), "lang": language})
        return f"/{'' if screen == NAMES[0] else screen}?{asked}"


def toured(folder: Path) -> Toured:
    """A store with a log, a finished study, and answers by hand that make memories missed."""
    store = folder / "store.duckdb"
    shutil.copy(finished_study(), store)
    shutil.copytree(studies_folder(finished_study()), studies_folder(store))
    with reading(store) as db:
        pairs = db.rows(_ANSWERED)
        (at,) = db.row("SELECT max(now) FROM wb.logged_queries")
        given = [answered(db, query_id, uri, "yes", at) for query_id, uri in pairs]
        query_id, uri = db.row("SELECT query_id, uri FROM wb.logged_candidates WHERE used ORDER BY query_id LIMIT 1")
        (missed,) = db.row(f"SELECT mode(uri) FROM ({_ANSWERED})")
    keep(store, given)
    fold(store)
    with writing(store, "test") as db:
        db.execute("UPDATE wb.imports SET source = 'lore-tables'")
    looked_at = {
        "prompt": {"query_id": query_id, "memory": uri},
        "missed": {"uri": missed},
        "whatif": {"min_display_score": "0.64"},
    }
    return Toured(store, looked_at)


def pictures(screen: str, language: str) -> list[str]:
    """The names of the pictures of a page, from its top to its end."""
    further = (f"-{number}" for number in range(2, 2 + len(FURTHER.get(screen, ()))))
    return [f"{screen}{place}-{language}.webp" for place in ("", *further)]


def for_the_tour(page: Page, store: Path, folder: Path, screen: str, language: str) -> None:
    """Write the small pictures of the page that Help shows; they do not tell where `store` lies."""
    page.set_viewport_size({"width": _WINDOW["width"], "height": _WINDOW["height"]})
    drawn(page)
    page.evaluate(_WITHOUT, f"{store.parent}{os.sep}")
    top, *further = pictures(screen, language)
    _save(page.screenshot(), folder / top)
    for heading, name in zip(FURTHER.get(screen, ()), further, strict=True):
        headed = page.get_by_test_id("stMain").get_by_text(word(heading, language), exact=True).first
        headed.wait_for(timeout=PATIENCE_MS)
        headed.evaluate(_TO_THE_TOP)
        drawn(page)
        _save(page.screenshot(clip=_BESIDE), folder / name)


def _save(screenshot: bytes, target: Path) -> None:
    with Image.open(BytesIO(screenshot)) as whole:
        whole.convert("RGB").resize(SIZE, Image.Resampling.LANCZOS).save(target, quality=55, method=6)
