"""The parts of the page of one prompt: which prompt, and the rows of its stages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from workbench.replay.selection import Selection, newest, prompt_of
from workbench.store import Database
from workbench.text import shown
from workbench.ui import kept
from workbench.ui.empty import expect_prompts
from workbench.ui.pictures import word
from workbench.ui.tables import Column
from workbench.ui.texts import plain, t
from workbench.ui.texts.said import said, said_plainly

_MOST_LISTED = 200
_MOST_TEXT = 4000
_PROMPT = 90


def pick_query(db: Database, selection: Selection) -> str:
    """The prompt of the page: the one that was opened, else the newest of those that pass the filter; ends the page
    where there is none. Another of the newest can be chosen."""
    count = selection.materialise(db)
    listed = newest(db, _MOST_LISTED)
    opened = prompt_of(db, kept.value("query_id", ""))
    if opened is not None and opened not in listed:
        listed = [opened, *listed]
    labels = {query_id: f"{when[:16]}  {shown(text, _PROMPT)}" for query_id, when, text in listed}
    expect_prompts(len(labels))
    options = list(labels)
    chosen = kept.widget(
        "query_id",
        options[0],
        lambda key: st.selectbox(t("prompt.prompt"), options, key=key, format_func=labels.__getitem__),
        lambda one: one in labels,
    )
    st.caption(t("prompt.listed", count=count, listed=min(count, _MOST_LISTED)))
    return chosen


def candidate_rows(explanation: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The candidates of an explanation as flat rows."""
    return [
        {
            "rank": one["ranked_position"],
            "memory": one["uri"],
            "score": one["score"],
            "display": plain("prompt.is_shown") if one["shown"] else said_plainly(one["suppressed_by"]),
            "why": said_plainly(one["why"]),
            "used": one["used"],
            **one["terms"],
            "logged_score": one["logged_score"],
            "logged_shown": one["logged_shown"],
        }
        for one in explanation["candidates"]
    ]


def candidate_columns(explanation: Mapping[str, Any]) -> list[Column]:
    """The columns of candidate_rows."""
    terms = list(explanation["candidates"][0]["terms"]) if explanation["candidates"] else []
    return [
        Column("rank", plain("prompt.rank"), "count", "small"),
        Column("memory", plain("prompt.memory"), width="medium"),
        Column("score", plain("prompt.score"), "score"),
        Column("display", plain("prompt.display")),
        Column("why", plain("prompt.why"), width="large"),
        Column("used", plain("prompt.used"), "yes"),
        *(Column(term, word(term.replace("_", " ")), "score") for term in terms),
        Column("logged_score", plain("prompt.logged_score"), "score"),
        Column("logged_shown", plain("prompt.logged_shown"), "yes"),
    ]


def signal_rows(explanation: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The signal rows of an explanation as flat rows."""
    return [
        {
            **{name: row[name] for name in ("signal", "uri", "view_type", "keyword", "raw_score", "weight", "counts")},
            "reason": said_plainly(row["reason"] or ""),
            "hits": " ".join(row["hits"] or ()),
            "wildcard_only": row["wildcard_only"],
        }
        for row in explanation["signal_rows"]
    ]


def signal_columns() -> list[Column]:
    """The columns of signal_rows."""
    return [
        Column("signal", plain("prompt.signal")),
        Column("uri", plain("prompt.memory"), width="medium"),
        Column("view_type", plain("prompt.view")),
        Column("keyword", plain("prompt.keyword")),
        Column("raw_score", plain("prompt.score"), "score"),
        Column("weight", plain("prompt.weight"), "number"),
        Column("counts", plain("prompt.counts"), "yes"),
        Column("reason", plain("prompt.reason"), width="medium"),
        Column("hits", plain("prompt.hits")),
        Column("wildcard_only", plain("prompt.wildcard"), "yes"),
    ]


def folded(text: str, most: int = _MOST_TEXT) -> str:
    """A text of any length for a page: of a long one the beginning and the end, and how much stands between."""
    if len(text) <= most:
        return text
    half = most // 2
    return f"{text[:half]}\n… {plain('prompt.folded', count=len(text) - 2 * half)} …\n{text[-half:]}"


def note_lines(explanation: Mapping[str, Any], at: str) -> list[str]:
    """The notes that stand at one part of an explanation, as Markdown."""
    return [
        f"ⓘ {said(note['note'])}" + (f" ({t('prompt.memories', count=len(note['uris']))})" if note["uris"] else "")
        for note in explanation["notes"]
        if note["at"] == at
    ]


def facts_line(explanation: Mapping[str, Any]) -> str:
    """When, from whom and how long, as Markdown."""
    query = explanation["query"]
    none = plain("prompt.none")
    return t(
        "prompt.facts", at=query["now"] or none, client=query["client_type"] or none,
        session=query["session_id"] or none, tokens=query["query_tokens"], rows=len(explanation["signal_rows"]),
        candidates=len(explanation["candidates"]),
    )  # fmt: skip


def token_line(query: Mapping[str, Any]) -> str:
    """The tokens of a prompt (the entry `query` of an explanation), as Markdown."""
    differs = "" if query["tokens_agree"] is not False else t("prompt.log_counts", count=query["query_tokens"])
    return t("prompt.tokens", tokenizer=query["tokenizer"], tokens=" · ".join(query["tokens"])) + differs


def change_rows(explanation: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The single changes, of settings and of the memory, that would show or hide one memory."""
    settings = [
        {"change": f"{one['key']}: {one['from']:g} → {one['to']:g}", "then": _then(one), "score": None}
        for one in explanation["single_changes"]
    ]
    own = [
        {"change": said_plainly(one["words"]), "then": _then(one), "score": one["score"]}
        for one in explanation["memory_changes"]
    ]
    return settings + own


def change_columns() -> list[Column]:
    """The columns of change_rows."""
    return [
        Column("change", plain("prompt.change"), width="large"),
        Column("then", plain("prompt.then")),
        Column("score", plain("prompt.score"), "score"),
    ]


def _then(change: Mapping[str, Any]) -> str:
    return plain("prompt.is_shown" if change["shown"] else "prompt.not_shown")
