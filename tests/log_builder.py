"""Small stores in Lore's own tables, built row by row: what a test of judge, metrics and report stands on."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa

from workbench.params import Params
from workbench.replay import logged
from workbench.replay.run import Settings
from workbench.store import Database, in_memory

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
DEFAULT = Settings(Params.default(), Params.default())
OPEN = "mcp:lore_get_node"


@dataclass(frozen=True)
class Candidate:
    """A logged candidate; `exact` alone makes its score: exact * 0.30 + 0.05 - 0.01 * priority + view."""

    uri: str
    score: float
    shown: bool = True
    used: bool = False
    mark: str | None = OPEN
    events: Sequence[dict[str, Any]] | None = None


@dataclass(frozen=True)
class Prompt:
    query_id: str
    candidates: Sequence[Candidate] = field(default_factory=list)
    text: str = "how do refunds work"
    session: str | None = None
    client: str | None = "codex"
    duration_ms: int | None = 100
    at: datetime = START


def _event(prompt: Prompt, candidate: Candidate, place: int, number: int, event: dict[str, Any]) -> dict[str, Any]:
    displayed = place if candidate.shown else None
    metadata = {
        "query_id": prompt.query_id,
        "raw_score": event["raw"],
        "source_weight": event.get("weight", 1.0),
        "retrieval_meta": {"query_tokens": 3},
        "score_breakdown": event.get("breakdown", {}),
        "cue_terms": [],
    }
    if candidate.used and candidate.mark:
        metadata["answer_signal_source"] = candidate.mark
    return {
        "id": str(number), "query_text": prompt.text, "node_uri": candidate.uri, "retrieval_path": event["signal"],
        "view_type": event.get("view"), "pre_rank_score": event["raw"], "final_rank_score": candidate.score,
        "selected": candidate.shown, "used_in_answer": candidate.used, "metadata": json.dumps(metadata),
        "created_at": prompt.at, "query_id": prompt.query_id, "session_id": prompt.session,
        "client_type": prompt.client, "ranked_position": place, "displayed_position": displayed,
    }  # fmt: skip


def _rows(
    prompts: Sequence[Prompt],
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[dict[str, Any]]]:
    queries: list[dict[str, Any]] = []
    candidates: list[dict[str, Any]] = []
    events: list[dict[str, Any]] = []
    for prompt in prompts:
        shown = [candidate for candidate in prompt.candidates if candidate.shown]
        queries.append({
            "query_id": prompt.query_id, "query_text": prompt.text, "session_id": prompt.session,
            "client_type": prompt.client, "merged_count": len(prompt.candidates), "shown_count": len(shown),
            "used_count": sum(candidate.used for candidate in prompt.candidates),
            "duration_ms": prompt.duration_ms, "created_at": prompt.at,
        })  # fmt: skip
        for place, candidate in enumerate(prompt.candidates, 1):
            candidates.append({
                "id": f"{prompt.query_id}-{place}", "query_id": prompt.query_id, "node_uri": candidate.uri,
                "client_type": prompt.client, "final_rank_score": candidate.score, "selected": candidate.shown,
                "used_in_answer": candidate.used, "ranked_position": place,
                "displayed_position": place if candidate.shown else None, "created_at": prompt.at,
            })  # fmt: skip
            for event in candidate.events or ({"signal": "dense", "view": "gist", "raw": dense_for(candidate.score)},):
                events.append(_event(prompt, candidate, place, len(events) + 1, event))
    return queries, candidates, events


def dense_for(score: float) -> float:
    """The raw dense gist score that gives `score` under the defaults at priority 0 without a date."""
    return (score - 0.05 - 0.03) / 0.30


def append(db: Database, table: str, rows: Sequence[dict[str, Any]]) -> None:
    """Append rows given as dictionaries."""
    if rows:
        db.append(table, pa.Table.from_pylist(list(rows)))


def memories(uris: dict[str, str], content: str = "x" * 300) -> dict[str, list[dict[str, Any]]]:
    """Tables of memories at these addresses: uri -> node uuid."""
    nodes = dict.fromkeys(uris.values())
    return {
        "nodes": [{"uuid": node, "created_at": START} for node in nodes],
        "memories": [
            {
                "id": f"m-{node}",
                "node_uuid": node,
                "content": content,
                "deprecated": False,
                "created_at": None,
            }
            for node in nodes
        ],
        "edges": [{"id": f"e-{uri}", "child_uuid": node, "priority": 0} for uri, node in uris.items()],
        "paths": [{"domain": uri.split("://")[0], "path": uri.split("://")[1], "edge_id": f"e-{uri}"} for uri in uris],
    }


@contextmanager
def log_of(prompts: Sequence[Prompt], uris: dict[str, str] | None = None, **more: Any) -> Iterator[Database]:
    """A store in memory with these prompts and memories, its logged candidates derived; `more` are rows by table."""
    with in_memory() as db:
        queries, candidates, events = _rows(prompts)
        tables: dict[str, Any] = {
            "recall_queries": queries, "recall_query_candidates": candidates, "recall_events": events,
        }  # fmt: skip
        tables |= memories(uris or {})
        for table in {**tables, **more}:
            append(db, table, [*tables.get(table, []), *more.get(table, [])])
        logged.materialise(db, Params.default())
        yield db


def hours(number: float) -> timedelta:
    """`number` hours."""
    return timedelta(hours=number)
