"""What the pages share: the store they show, the filter, and how user text is shown."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar
from zoneinfo import available_timezones

import streamlit as st

from workbench.errors import WorkbenchError
from workbench.replay.selection import TRAFFIC, Selection, clients, newest
from workbench.store import Database, reading
from workbench.text import shown

_MARKUP = frozenset("\\`*_{}[]()<>#+-.!|~$:@^=&")
_MOST_LISTED = 200
_MOST_TEXT = 4000
_TYPED = ["prompt"]
_NONE: list[str] = []

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
        traffic = _kept("traffic", _TYPED, lambda kept: st.multiselect("Traffic (none: all)", TRAFFIC, kept))
        chosen = _kept("clients", _NONE, lambda kept: _client_widget(known, kept))
        text = _kept("text", "", lambda kept: st.text_input("Prompt contains", kept))
    return Selection(traffic=tuple(traffic) or None, clients=tuple(chosen) or None, text=text or None)


def chosen_zone() -> str:
    """The time zone of days, kept from page to page; a name that is none is said on the page."""
    with st.sidebar:
        zone = _kept("zone", "UTC", lambda kept: st.text_input("Time zone of days", kept))
    if zone not in available_timezones():
        st.error(literal(f"Unknown time zone {zone!r}; name one like Asia/Shanghai."))
        st.stop()
    return zone


def headline(said: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The figures that stand on top of the overview."""
    rate = said["use_rate"]
    return [
        ("Prompts", f"{said['prompts']:,}"),
        ("Memories shown", f"{said['shown']:,}"),
        ("Used", f"{said['used']:,}" if rate is None else f"{said['used']:,} ({rate:.1%})"),
        ("Silent prompts", f"{said['silent_prompts']:,}"),
    ]


def denominator_rows(said: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The ledger from raw rows to each denominator."""
    return [{"step": step["step"], "count": f"{step['count']:,}", "why": step["why"]} for step in said["denominators"]]


def capability_rows(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What a store is good for, as rows."""
    return [
        {"can": name.replace("_", " "), "possible": one["possible"], "why": one["why"]} for name, one in found.items()
    ]


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
            "why": one["why"],
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
            "matched by": " ".join(row["hits"] or ()),
            "only by a wildcard": row["wildcard_only"],
        }
        for row in explanation["signal_rows"]
    ]


def folded(text: str, most: int = _MOST_TEXT) -> str:
    """A text of any length for a page: of a long one the beginning and the end, and how much stands between."""
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n… {len(text) - 2 * half:,} characters …\n{text[-half:]}"


def note_lines(explanation: Mapping[str, Any], at: str) -> list[str]:
    """The notes that stand at one part of an explanation, as Markdown."""
    return [
        literal(f"ⓘ {note['note']}" + (f" ({len(note['uris'])} memories)" if note["uris"] else ""))
        for note in explanation["notes"]
        if note["at"] == at
    ]


def token_line(query: Mapping[str, Any]) -> str:
    """The tokens of a prompt (the entry `query` of an explanation), as Markdown."""
    differs = "" if query["tokens_agree"] is not False else f" (the log counts {query['query_tokens']})"
    return literal(f"Tokens by {query['tokenizer']}{differs}: {' · '.join(query['tokens'])}")


def change_rows(explanation: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The single changes, of settings and of the memory, that would show or hide one memory."""
    settings = [
        {"change": f"{one['key']}: {one['from']:g} → {one['to']:g}", "then": _then(one), "score": ""}
        for one in explanation["single_changes"]
    ]
    own = [
        {
            "change": one["words"],
            "then": _then(one),
            "score": "" if one["score"] is None else f"{one['score']:.6f}",
        }
        for one in explanation["memory_changes"]
    ]
    return settings + own


def _then(change: Mapping[str, Any]) -> str:
    return "shown" if change["shown"] else "not shown"


def kept_choice(name: str, label: str, options: Sequence[Kept], named: Callable[[Kept], str] = str) -> Kept:
    """A choice that is kept from page to page as long as it is among the options; else the first one."""

    def widget(kept: Kept) -> Kept:
        index = options.index(kept) if kept in options else 0
        chosen: Kept = st.selectbox(label, options, index=index, format_func=named)
        return chosen

    return _kept(name, options[0], widget)


def _client_widget(known: list[str], kept: list[str]) -> list[str]:
    present = [name for name in kept if name in known]
    return st.multiselect("Clients (none: all)", known, present, format_func=client_name)


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
