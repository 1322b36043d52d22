"""What the pages share: the store they show, and choices that are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import streamlit as st

from workbench.judge.hand import reading_answers
from workbench.store import Database
from workbench.ui import kept
from workbench.ui.cached import store_path
from workbench.ui.literal import literal

__all__ = ["kept_choice", "literal", "store"]


@contextmanager
def store() -> Iterator[Database]:
    """The present generation of the store that `workbench ui` named, with the answers that wait in its inbox."""
    with reading_answers(store_path()) as db:
        yield db


def kept_choice(name: str, label: str, options: Sequence[str], named: Callable[[str], str] = str) -> str:
    """A choice that is kept from page to page as long as it is among the options; else the first one."""
    names = {one: named(one) for one in options}
    return kept.widget(
        name,
        options[0],
        lambda key: st.selectbox(label, options, key=key, format_func=names.__getitem__),
        lambda one: one in options,
    )
