"""Views and keyword rows where a source has none: rebuilt from the memories, marked, and never beside real ones of the
same text."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from workbench.params import Params
from workbench.retrieve.view_texts import gist, match_text, questions
from workbench.store import Database, compose

REBUILT = "rebuilt"
WRITTEN = "wb-"  # how the ids of memories begin that were written here, of which no server knows
VIEWS, KEYWORDS = "memory_views", "glossary_term_embeddings"
_SOURCES = ("logged/memory_now", "retrieve/corpus_addresses", "retrieve/rebuild_sources")

Row = dict[str, Any]


@dataclass(frozen=True)
class Plan:
    """The rebuilt rows that the store should hold, by table; `changed` where it holds others now."""

    rows: dict[str, list[Row]]
    changed: bool

    @property
    def views(self) -> int:
        return len(self.rows[VIEWS])

    @property
    def keywords(self) -> int:
        return len(self.rows[KEYWORDS])


def plan(db: Database, params: Params) -> Plan:
    """What is to be rebuilt under `params`, the configuration in force: a gist and a question an address with an active
    memory, where the source brought no views at all; a row a keyword, where it brought no keyword rows; both for
    memories that were written here, whatever it brought."""
    rows = {
        VIEWS: [row for source in _sources(db, VIEWS) for row in _views(source, params)],
        KEYWORDS: [row for source in _sources(db, KEYWORDS) for row in _keywords(source)],
    }
    return Plan(rows, any(_signatures(wanted) != _held(db, table) for table, wanted in rows.items()))


def rebuild(db: Database, params: Params) -> Plan:
    """Write what `plan` says, inside a publication; rows rebuilt earlier go."""
    planned = plan(db, params)
    for table, rows in planned.rows.items():
        db.execute(f"DELETE FROM {table} WHERE source = $rebuilt", {"rebuilt": REBUILT})
        if rows:
            db.append(table, pa.Table.from_pylist(rows))
    return planned


def rebuilt_counts(db: Database) -> dict[str, int]:
    """How many rebuilt rows the store holds: {views, keywords}."""
    return {name: len(_held(db, table)) for name, table in (("views", VIEWS), ("keywords", KEYWORDS))}


def sentence(counts: dict[str, int]) -> str | None:
    """What rebuilt rows mean for every figure; None where there are none."""
    if counts["views"]:
        return (
            f"{counts['views']:,} views are rebuilt from the memories, because the source holds none of them: their "
            "dense and lexical signals are approximations."
        )
    if counts["keywords"]:
        return (
            f"{counts['keywords']:,} keyword rows are rebuilt from the glossary, because the source holds none of "
            "them: their glossary signal is an approximation."
        )
    return None


def _sources(db: Database, table: str) -> list[Row]:
    """The addresses whose rows in `table` are rebuilt."""
    wanted = "starts_with(memory_id, $written)" if _has_own(db, table) else "$written IS NOT NULL"
    found: list[Row] = db.arrow(
        compose(_SOURCES, f"SELECT * FROM {{last}} WHERE {wanted}"), {"written": WRITTEN}
    ).to_pylist()
    return found


def _has_own(db: Database, table: str) -> bool:
    return bool(db.rows(f"SELECT 1 FROM {table} WHERE source IS DISTINCT FROM $rebuilt LIMIT 1", {"rebuilt": REBUILT}))


def _held(db: Database, table: str) -> set[tuple[Any, ...]]:
    return set(db.rows(f"SELECT id, source_signature FROM {table} WHERE source = $rebuilt", {"rebuilt": REBUILT}))


def _signatures(rows: Sequence[Row]) -> set[tuple[Any, ...]]:
    return {(row["id"], row["source_signature"]) for row in rows}


def _views(source: Row, params: Params) -> list[Row]:
    content, disclosure = source["content"] or "", source["disclosure"] or ""
    texts = {
        "gist": gist(content, disclosure),
        "question": questions(source["domain"], source["path"], content, disclosure, source["cue_terms"]),
    }
    metadata = json.dumps({"cue_terms": source["cue_terms"]}, ensure_ascii=False)
    return [
        _row(
            f"{REBUILT}:{kind}:{source['uri']}", source, view_type=kind, text_content=text, metadata=metadata,
            weight=float(params[f"views.weight.{kind}"]),
        )
        for kind, text in texts.items()
    ]  # fmt: skip


def _keywords(source: Row) -> list[Row]:
    if not source["holds_keywords"]:
        return []
    return [
        _row(f"{REBUILT}:{source['uri']}:{keyword}", source, keyword=keyword, match_text=match_text(keyword))
        for keyword in dict.fromkeys(source["keywords"])
    ]


def _row(number: str, source: Row, **columns: Any) -> Row:
    """A row as the server would have it, at the time of the memory."""
    names = ("domain", "path", "uri", "node_uuid", "memory_id", "priority", "disclosure")
    shared = {name: source[name] for name in names} | columns
    signature = hashlib.sha256(json.dumps([shared, str(source["updated_at"])]).encode()).hexdigest()
    return {
        "id": number, **shared, "source": REBUILT, "status": "active", "source_signature": signature,
        "created_at": source["updated_at"], "updated_at": source["updated_at"],
    }  # fmt: skip
