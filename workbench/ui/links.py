"""Ways from one page to another."""

from __future__ import annotations

from typing import NoReturn

import streamlit as st

from workbench.ui import kept
from workbench.ui.screens import FIRST, SCREENS


def has_page(name: str) -> bool:
    """Whether the app has the page `name`."""
    return any(screen.name == name for screens in SCREENS.values() for screen in screens)


def link(name: str, label: str) -> None:
    """A link to the page `name`."""
    st.page_link(_script(name), label=label, icon=":material/arrow_forward:")


def go(name: str, **values: str) -> NoReturn:
    """Leave for the page `name`, with kept values set for it."""
    for key, value in values.items():
        kept.put(key, value)
    st.switch_page(_script(name))


def to_first() -> NoReturn:
    """Leave for the first page, with all that the address says."""
    st.switch_page(_script(FIRST), query_params={name: st.query_params.get_all(name) for name in st.query_params})


def _script(name: str) -> str:
    return f"screens/{name}.py"
