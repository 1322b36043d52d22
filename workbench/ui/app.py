"""Entry point of the app; `workbench ui` runs it: the frame around the pages."""

from __future__ import annotations

import logging
from contextlib import suppress
from pathlib import Path

import streamlit as st

from workbench.errors import WorkbenchError
from workbench.ui import draft, kept
from workbench.ui.bar import draw_filter, draw_language
from workbench.ui.cached import store_path
from workbench.ui.configurations import in_force
from workbench.ui.links import go, link, to_first
from workbench.ui.screens import FIRST, SCREENS
from workbench.ui.texts import plain, t
from workbench.ui.texts.said import said

_LOG = logging.getLogger("workbench.ui")
_ICON = Path(__file__).parent / "static" / "icon.png"
_WITHOUT_STORE = ("data", "help")
# Dense: the room beside the page goes to the page. On a tablet, figures stand in more rows, and sliders stay wide.
_STYLE = """
[data-testid=stMainBlockContainer] {padding-left: 2rem; padding-right: 2rem}
[data-testid=stColumn]:has([data-testid=stMetric]):not(:has([data-testid=stColumn])) {min-width: 7.75rem}
.st-key-figures [data-testid=stColumn]:has([data-testid=stMetric]) {min-width: 13rem}
[data-testid=stColumn]:has(.st-key-keys) {min-width: 13rem}
[data-testid=stColumn]:has(.st-key-keys) + [data-testid=stColumn] {flex: 99 1 16rem; min-width: 16rem}
[data-testid=stMarkdownContainer] code, [data-testid=stCaptionContainer] code {font-size: 0.875em}
"""


def run() -> None:
    """Draw the frame and the page in it."""
    st.set_page_config(page_title="Recall workbench", page_icon=str(_ICON), layout="wide", initial_sidebar_state=240)
    st.html(f"<style>{_STYLE}</style>")
    kept.arrive(st.context.url)
    with st.sidebar:
        draw_language()
    page = st.navigation({plain(f"frame.{group}"): _pages(group) for group in SCREENS})
    if page.url_path == FIRST:
        to_first()
    if not store_path().exists() and page.url_path not in _WITHOUT_STORE:
        _lead_to_data(page.url_path)
        return
    draw_filter()
    _keep_draft()
    try:
        page.run()
    except WorkbenchError as error:
        st.error(said(str(error)))
    except Exception:
        _LOG.exception("the page %s failed", page.title)
        st.error(t("frame.fault"))


def _lead_to_data(asked: str) -> None:
    """Where there is no store yet: whoever comes to the first page, which has no path, is led to where one is made."""
    if not asked:
        go("data")
    st.info(t("data.no_store", db=str(store_path())))
    link("data", plain("data.title"))


def _keep_draft() -> None:
    with suppress(WorkbenchError):  # no store yet, or one that cannot be read: the page says so
        draft.stay(in_force())


def _pages(group: str) -> list[st.Page]:
    pages = [
        st.Page(
            screen.script,
            title=plain(f"{screen.name}.title"),
            icon=f":material/{screen.icon}:",
            default=screen.name == FIRST,
            url_path="start" if screen.name == FIRST else screen.name,
        )
        for screen in SCREENS[group]
    ]
    # The first page has no path of its own; whoever types its name is led to it.
    named = [st.Page(lambda: None, title=FIRST, url_path=FIRST, visibility="hidden")]
    return pages + named if any(screen.name == FIRST for screen in SCREENS[group]) else pages


if __name__ == "__main__":
    run()
