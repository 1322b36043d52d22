"""A small log in Lore's tables, for tests: events with the metadata of the real server."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from workbench.params import Params
from workbench.replay.logged import materialise
from workbench.store import TABLES, Database

PATHS = {"exact": "exact", "glossary_semantic": "glossary_semantic", "dense": "dense", "lexical": "lexical"}


@dataclass(frozen=True)
class Row:
    """One signal row of an event."""

    signal: str
    raw: float
    view: str | None = None
    weight: float = 1.0


@dataclass(frozen=True)
class Candidate:
    """One logged candidate: its rows, and the logged terms and score (None: not ranked)."""

    uri: str
    rows: Sequence[Row]
    breakdown: Mapping[str, float] | None = None
    score: float | None = None
    shown: bool = False
    used: bool = False
    meta: Mapping[str, Any] = field(default_factory=dict)


def add_query(
    db: Database,
    query_id: str,
    candidates: Sequence[Candidate],
    *,
    text: str = "how are refunds deduplicated",
    now: str = "2026-11-20T12:00:00Z",
    session: str | None = "s1",
    client: str | None = "codex",
    tokens: int | None = 3,
    **meta: Any,
) -> None:
    """Append one logged query with its events and rollups."""
    retrieval = {"query_tokens": tokens, "strategy": "raw_plus_lex_damp", "query_char_limit": 200, **meta}
    events = [
        _event(query_id, candidate, row, text, now, session, client, retrieval)
        for candidate in candidates
        for row in candidate.rows
    ]
    first = db.row("SELECT count(*) FROM recall_events")[0]
    append(db, "recall_events", [{"id": str(first + n), **event} for n, event in enumerate(events)])
    shown = [candidate for candidate in candidates if candidate.shown]
    query = {"query_id": query_id, "query_text": text, "session_id": session, "client_type": client,
             "created_at": now,
             "merged_count": len(candidates), "shown_count": len(shown),
             "used_count": sum(c.used for c in shown)}  # fmt: skip
    append(db, "recall_queries", [query])


def add_memory(db: Database, uri: str, *, node: str, priority: int, created: str, content: str = "text") -> None:
    """Append a node with one memory, edge and path."""
    domain, path = uri.split("://")
    append(db, "nodes", [{"uuid": node, "created_at": created}])
    append(db, "memories", [{"id": f"m-{node}", "node_uuid": node, "content": content, "created_at": created}])
    append(db, "edges", [{"id": f"e-{uri}", "child_uuid": node, "priority": priority, "created_at": created}])
    append(db, "paths", [{"domain": domain, "path": path, "edge_id": f"e-{uri}", "created_at": created}])


def derive(db: Database, params: Params | None = None) -> int:
    """Derive the logged candidates of everything in the store."""
    return materialise(db, params or Params.default())


def _event(
    query_id: str, candidate: Candidate, row: Row, text: str, now: str,
    session: str | None, client: str | None, retrieval: Mapping[str, Any],
) -> dict[str, Any]:  # fmt: skip
    metadata = {"query_id": query_id, "raw_score": row.raw, "source_weight": row.weight, "retrieval_meta": retrieval,
                "score_breakdown": candidate.breakdown, **candidate.meta}  # fmt: skip
    return {"query_text": text, "node_uri": candidate.uri, "retrieval_path": row.signal, "view_type": row.view,
            "pre_rank_score": row.raw * row.weight, "final_rank_score": candidate.score, "selected": candidate.shown,
            "used_in_answer": candidate.used, "metadata": json.dumps(metadata), "created_at": now,
            "query_id": query_id, "session_id": session, "client_type": client}  # fmt: skip


def append(db: Database, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows; columns that they do not name become NULL."""
    if not rows:
        return
    names = [column.name for column in TABLES[table].columns if any(column.name in row for row in rows)]
    data = pa.table({name: [row.get(name) for row in rows] for name in names})
    casts = ", ".join(
        f"{column.name}::{column.kind.sql_type} AS {column.name}"
        for column in TABLES[table].columns
        if column.name in names
    )
    db.register("small_rows", data)
    db.execute(f"INSERT INTO {table} BY NAME SELECT {casts} FROM small_rows")
    db.unregister("small_rows")
