"""Answers by hand as pages take them: buttons, and where they are kept."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import streamlit as st

from workbench.judge.hand import GRADES, WITHDRAWN, answered, keep
from workbench.ui.cached import store_path
from workbench.ui.common import store
from workbench.ui.texts import plain, t

_KEYS = {"yes": "1", "no": "2", "unsure": "3"}


def answer(query_id: str, uri: str, grade: str) -> None:
    """Keep an answer, or WITHDRAWN, on whether the memory at `uri` helps with the prompt; it is on the disk then."""
    with store() as db:
        given = answered(db, query_id, uri, grade, datetime.now(UTC))
    keep(store_path(), [given])


def answer_buttons(query_id: str, uri: str, given: str | None, then: Callable[[str], None] | None = None) -> None:
    """A button a grade, with its key where `then` is given: that is called instead of keeping the answer. The answer
    that stands is marked, and can be taken back."""
    with st.container(horizontal=True, vertical_alignment="center"):
        for grade in GRADES:
            st.button(
                plain(f"review.{grade}"), key=f"answer {grade}", shortcut=_KEYS[grade] if then else None,
                type="primary" if grade == given else "secondary",
                on_click=then or answer, args=(grade,) if then else (query_id, uri, grade),
            )  # fmt: skip
        if given and not then:
            st.button(t("review.withdraw"), key="answer withdraw", type="tertiary", on_click=answer,
                      args=(query_id, uri, WITHDRAWN))  # fmt: skip
