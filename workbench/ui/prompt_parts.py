"""The parts of the page of one prompt: which prompt, and the rows of its stages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import streamlit as st

from workbench.charts import TERMS
from workbench.compare.beside import beside
from workbench.judge import MISS_EVIDENCE, write_misses
from workbench.params import KEYS, Params
from workbench.replay.explain import explain
from workbench.replay.logged import settings_in_force
from workbench.replay.logged_block import logged_block
from workbench.replay.reach import Reachability, reachability
from workbench.replay.run import Settings
from workbench.replay.selection import Selection, newest, prompt_of
from workbench.store import Database
from workbench.text import shown
from workbench.ui import kept
from workbench.ui.cached import cached
from workbench.ui.empty import expect_prompts
from workbench.ui.findings import number
from workbench.ui.literal import literal
from workbench.ui.pictures import word
from workbench.ui.tables import Column
from workbench.ui.texts import plain, t
from workbench.ui.texts.said import said, said_plainly

_MOST_LISTED = 200
_MOST_TEXT = 4000
_PROMPT = 90
# In pixels: most addresses in full.
_ADDRESS = 230
STAGES = ("logged", "replayed", "candidate")


@cached
def _choices(db: Database, selection: Selection, opened: str) -> tuple[int, list[tuple[str, str, str]]]:
    """How many prompts pass, and the newest of them, the opened one in front where it is none of those."""
    count = selection.materialise(db)
    listed = newest(db, _MOST_LISTED)
    own = prompt_of(db, opened)
    return count, [own, *listed] if own is not None and own not in listed else listed


def pick_query(selection: Selection) -> str:
    """The prompt of the page: the one that was opened, else the newest of those that pass the filter; ends the page
    where there is none. Another of the newest can be chosen."""
    count, listed = _choices(selection, kept.value("query_id", ""))
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


@cached
def explained(db: Database, query_id: str, uri: str | None = None, under: Mapping[str, Any] | None = None) -> Any:
    """The document of `workbench explain --json` under the configuration in force, or under the values `under`."""
    in_force = settings_in_force(db).params
    params = in_force if under is None else Params(under)
    return explain(db, Settings(params, in_force), query_id, uri).as_json()


@cached
def opened_by_agents(db: Database) -> pa.Table:
    """What agents opened in a way that the server does not count (miss_evidence.sql): of all prompts."""
    write_misses(db)
    return db.arrow(f"SELECT * FROM {MISS_EVIDENCE}")


@cached
def stages(db: Database, query_id: str, under: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What the log, a replay and the candidate configuration `under` make of each memory (compare/beside.py)."""
    in_force = settings_in_force(db).params
    opened = opened_by_agents().filter(pc.field("query_id") == query_id)
    return beside(db, Settings(in_force, in_force), Settings(Params(under), in_force), query_id, opened)


@cached
def block(db: Database, query_id: str) -> str:
    """The block that the agent was given."""
    return logged_block(db, query_id)


@cached
def reached(db: Database, query_tokens: int) -> Reachability:
    """What can be reached under the configuration in force."""
    in_force = settings_in_force(db).params
    return reachability(db, Settings(in_force, in_force), query_tokens)


def stage_rows(found: Sequence[Mapping[str, Any]], explanation: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The memories of stages(), with why a replay shows each or not, and the terms of its score."""
    replayed = {one["uri"]: one for one in explanation["candidates"]}
    none = dict.fromkeys(TERMS)
    rows = []
    for one in found:
        own = replayed.get(one["uri"])
        more = {
            "why": said_plainly(own["why"]) if own else None,
            "opened_how": opened_words(one),
            "answer": one["answer"] or "",
            "shown_in": [stage for stage in STAGES if one[f"{stage}_shown"]],
        }
        rows.append({**one, **more, **(own["terms"] if own else none)})
    return rows


def stage_columns() -> list[Column]:
    """The columns of stage_rows."""
    return [
        Column("uri", plain("prompt.memory"), width=_ADDRESS),
        *(Column(f"{stage}_score", plain(f"prompt.stage_{stage}"), "score") for stage in STAGES),
        Column("shown_in", plain("prompt.shown_in"), width=175, said=_stage_names),
        Column("opened_how", plain("prompt.opened"), width=110),
        Column("why", plain("prompt.why"), width="large"),
        Column("answer", plain("prompt.answer"), said=lambda grade: grade and plain(f"review.{grade}")),
        *(Column(term, word(term.replace("_", " ")), "score") for term in TERMS),
    ]


def _stage_names(stages: Sequence[str]) -> str:
    return ", ".join(plain(f"prompt.stage_{stage}") for stage in stages)


def opened_words(row: Mapping[str, Any]) -> str:
    """Whether an agent opened a memory, and how; plain text, empty where nothing says so."""
    if row["used"]:
        return plain("prompt.opened_linked", source=row["mark_source"] or plain("prompt.none"))
    return plain(f"missed.{row['opened']}") if row["opened"] else ""


def stage_line(row: Mapping[str, Any]) -> str:
    """What the three stages made of one memory, as Markdown."""
    parts = [
        t(f"prompt.line_{'shown' if row[f'{stage}_shown'] else 'not'}", stage=plain(f"prompt.stage_{stage}"),
          score=row[f"{stage}_score"], place=row[f"{stage}_position"] or 0)
        if row[f"{stage}_score"] is not None
        else t("prompt.line_none", stage=plain(f"prompt.stage_{stage}"))
        for stage in STAGES
    ]  # fmt: skip
    opened = opened_words(row)
    return " · ".join([*parts, *([literal(opened)] if opened else [])])


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
        Column("signal", plain("prompt.signal"), said=lambda name: word(name.replace("_", " "))),
        Column("uri", plain("prompt.memory"), width=_ADDRESS),
        Column("view_type", plain("prompt.view"), blank=True),
        Column("keyword", plain("prompt.keyword"), blank=True),
        Column("raw_score", plain("prompt.score"), "score"),
        Column("weight", plain("prompt.weight"), "number"),
        Column("counts", plain("prompt.counts"), "yes"),
        Column("reason", plain("prompt.reason"), width="medium"),
        Column("hits", plain("prompt.hits")),
        Column("wildcard_only", plain("prompt.wildcard"), "yes", blank=True),
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
        f"ⓘ {said(note['note'])}" + (t("prompt.notes_of", count=len(note["uris"])) if note["uris"] else "")
        for note in explanation["notes"]
        if note["at"] == at
    ]


def facts_line(explanation: Mapping[str, Any]) -> str:
    """When, from whom and how long, as Markdown."""
    query = explanation["query"]
    none = plain("prompt.none")
    return t(
        "prompt.facts", at=f"{query['now'][:19]} UTC" if query["now"] else none, client=query["client_type"] or none,
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
        {"change": f"{one['key']}: {_value(one, 'from')} → {_value(one, 'to')}", "then": _then(one), "score": None}
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
        Column("score", plain("prompt.score"), said=lambda score: f"{score:.6f}", blank=True),
    ]


def _value(change: Mapping[str, Any], end: str) -> str:
    """An end of a change of a key; a switch has no numbers."""
    value = change[end]
    return number(change["key"], bool(value)) if KEYS[change["key"]].kind is bool else f"{value:g}"


def _then(change: Mapping[str, Any]) -> str:
    return plain("prompt.is_shown" if change["shown"] else "prompt.not_shown")
