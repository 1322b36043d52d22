"""The list of changes that a visitor collects: what to change of which memory, to take along."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from workbench.replay.reach import MOST_PRIORITY
from workbench.review.edits import Fix, Kind
from workbench.text import shown
from workbench.ui.common import kept_choice
from workbench.ui.literal import literal
from workbench.ui.misses import fix_of, suggestions
from workbench.ui.tables import Column
from workbench.ui.texts import plain, t

KINDS: tuple[Kind, ...] = ("glossary", "disclosure", "priority")

_KEPT, _TRIED = "collected changes", "tried changes"


def collected() -> list[dict[str, Any]]:
    """The changes of this session, in the order in which they came."""
    found: list[dict[str, Any]] = st.session_state.get(_KEPT, [])
    return found


def collect(fix: Fix) -> None:
    """Add a change, with what it would do where that was tried; the same change counts once."""
    row = {"uri": fix.uri, "kind": fix.kind, "value": fix.value, "effect": effect(fix)}
    others = [one for one in collected() if (one["uri"], one["kind"], one["value"]) != (fix.uri, fix.kind, fix.value)]
    st.session_state[_KEPT] = [*others, row]


def tried(fix: Fix, words: str) -> None:
    """Remember what a change would do."""
    st.session_state[_TRIED] = {**st.session_state.get(_TRIED, {}), fix: words}


def effect(fix: Fix) -> str:
    """What a change would do, as it was said when it was tried; nothing where it was not."""
    words: str = st.session_state.get(_TRIED, {}).get(fix, "")
    return words


def clear() -> None:
    """Forget them."""
    st.session_state[_KEPT] = []


def draw_change(memory: Mapping[str, Any]) -> Fix | None:
    """The form of one change of a missed memory: its kind, what the advice suggests, and the value as it is typed. None
    while no value is given."""
    names: dict[str, str] = {kind: plain(f"changes.{kind}") for kind in KINDS}
    held = kept_choice("kind", t("changes.kind"), list(names), names.__getitem__)
    kind = next(one for one in KINDS if one == held)
    suggested = suggestions(memory, kind)
    key = f"value {memory['uri']} {kind}"
    if key not in st.session_state:
        first = suggested[0] if suggested else ""
        st.session_state[key] = int(first or 0) if kind == "priority" else first
    if kind == "priority":
        return fix_of(memory, kind, str(st.number_input(t("changes.value"), 0, MOST_PRIORITY, key=key)))
    with st.container(horizontal=True):
        for number, one in enumerate(suggested if len(suggested) > 1 else ()):
            st.button(literal(one), key=f"{key} {number}", on_click=_take, args=(key, one))
    return fix_of(memory, kind, st.text_input(t("changes.value"), key=key))


def _take(key: str, value: str) -> None:
    st.session_state[key] = value


def as_text(rows: Sequence[dict[str, Any]]) -> str:
    """One line a change, to be copied."""
    return "\n".join(
        f"{shown(row['uri'])}: {plain('changes.' + row['kind'])}: {shown(str(row['value']))}" for row in rows
    )


def columns() -> list[Column]:
    """The columns of the list."""
    return [
        Column("uri", plain("prompt.memory"), width="medium"),
        Column("kind", plain("changes.kind"), said=lambda kind: plain(f"changes.{kind}")),
        Column("value", plain("changes.value"), width="medium"),
        Column("effect", plain("changes.effect"), width="large"),
    ]
