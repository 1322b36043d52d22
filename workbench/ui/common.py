"""What the pages share: the store they show, the filter, and how user text is shown."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import streamlit as st

from workbench.errors import WorkbenchError
from workbench.replay.selection import TRAFFIC, Selection, clients, newest
from workbench.store import Database, reading
from workbench.text import shown

_MARKUP = frozenset("\\`*_{}[]()<>#+-.!|~$:@^=&")
_MOST_LISTED = 200

Kept = TypeVar("Kept")


@contextmanager
def store() -> Iterator[Database]:
    """The present generation of the store that `workbench ui` named; a problem is said on the page."""
    path = Path(os.environ.get("WORKBENCH_DB") or "workbench.duckdb")
    try:
        with reading(path) as db:
            yield db
    except WorkbenchError as error:
        st.error(literal(str(error)))
        st.stop()


def chosen_selection(db: Database) -> Selection:
    """The filter of the side bar; it is kept from page to page."""
    known = clients(db)
    with st.sidebar:
        traffic = _kept("traffic", ["prompt"], lambda kept: st.multiselect("Traffic (none: all)", TRAFFIC, kept))
        chosen = _kept(
            "clients", [], lambda kept: st.multiselect("Clients (none: all)", known, kept, format_func=client_name)
        )
        text = _kept("text", "", lambda kept: st.text_input("Prompt contains", kept))
    return Selection(traffic=tuple(traffic) or None, clients=tuple(chosen) or None, text=text or None)


def pick_query(db: Database, selection: Selection) -> str | None:
    """A choice among the newest queries that pass the filter; None when none does."""
    count = selection.materialise(db)
    labels = {query_id: f"{when[:16]}  {shown(text, 90)}" for query_id, when, text in newest(db, _MOST_LISTED)}
    if not labels:
        return None
    st.caption(f"{count} prompts pass the filter; the newest {len(labels)} are listed.")
    options = list(labels)
    wanted = st.query_params.get("query_id", options[0])
    index = options.index(wanted) if wanted in labels else 0
    return st.selectbox("Prompt", options, index=index, format_func=labels.__getitem__)


def candidate_rows(explanation: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The candidates of an explanation as flat rows, text safe to stand beside other columns."""
    return [
        {
            "rank": one["ranked_position"],
            "memory": shown(one["uri"]),
            "score": f"{one['score']:.6f}",
            "display": "shown" if one["shown"] else one["suppressed_by"],
            "used": one["used"],
            **{term: f"{part:.6f}" for term, part in one["terms"].items()},
            "logged score": None if one["logged_score"] is None else f"{one['logged_score']:.6f}",
            "shown by production": one["logged_shown"],
        }
        for one in explanation["candidates"]
    ]


def signal_rows(explanation: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The signal rows of an explanation as flat rows."""
    return [
        {
            "signal": row["signal"],
            "memory": shown(row["uri"]),
            "view": row["view_type"],
            "keyword": shown(row["keyword"] or ""),
            "score": f"{row['raw_score']:.6f}",
            "weight": f"{row['weight']:g}",
            "counts": row["counts"],
            "reason": row["reason"],
        }
        for row in explanation["signal_rows"]
    ]


def client_name(name: str) -> str:
    """How a client type is called on a page."""
    return name or "(no client)"


def literal(text: str) -> str:
    """User text for a place that Streamlit reads as Markdown: every mark is shown as it is."""
    return "".join("\\" + character if character in _MARKUP else character for character in shown(text))


def _kept(name: str, default: Kept, widget: Callable[[Kept], Kept]) -> Kept:
    """Draw a widget with the value it had on the last page, which Streamlit would forget."""
    value = widget(st.session_state.get(f"kept_{name}", default))
    st.session_state[f"kept_{name}"] = value
    return value
