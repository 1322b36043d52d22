"""Which memories were used, settled when a publication takes the events in: in whatever order they arrived."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

from workbench.judge.marks import Log, Reason, judged_open, normalised_address
from workbench.store import Database, sql_text
from workbench.text import trimmed

OPENED = "mcp:lore_get_node"
REPORTED = "agent_end"


def mark_uses(db: Database, queries: str) -> int:
    """Mark what the opens and reports of the service say of the queries in the table `queries`; how many memories.

    An open counts as the server counts it; it replaces a mark of REPORTED, and is replaced by none.
    """
    log = _log(db, queries)
    marked: dict[tuple[str, str], dict[str, Any]] = {}
    for found in (*_reported(db, queries, log), *_opened(db, queries, log)):
        marked[found["query_id"], found["uri"]] = found
    if not marked:
        return 0
    rows = list(marked.values())
    db.register("new_marks", pa.table({name: pa.array([row[name] for row in rows], pa.string()) for name in rows[0]}))
    try:
        db.execute(f"CREATE OR REPLACE TEMP TABLE marks AS {sql_text('agents/new_marks')}", {"reported": REPORTED})
    finally:
        db.unregister("new_marks")
    for statement in ("marked_events", "marked_candidates", "marked_queries"):
        db.execute(sql_text(f"agents/{statement}"))
    (count,) = db.row("SELECT count(*) FROM marks")
    db.execute("DROP TABLE marks")
    return int(count)


def _log(db: Database, queries: str) -> Log:
    shown: dict[str, set[str]] = {}
    for query_id, uris in db.rows(sql_text("agents/shown").format(queries=queries)):
        shown[query_id] = set(uris)
    nodes = dict(
        db.rows("SELECT p.domain || '://' || p.path, e.child_uuid FROM paths AS p JOIN edges AS e ON e.id = p.edge_id")
    )
    return Log(shown, nodes)


def _opened(db: Database, queries: str, log: Log) -> Iterator[dict[str, Any]]:
    """The opens that count, the oldest of each (query, address)."""
    used: set[tuple[str, str]] = set()
    for uri, query_id, session, client, at in db.rows(sql_text("agents/opens").format(queries=queries)):
        address, query = normalised_address(uri), trimmed(query_id)
        # What was opened was there then, whatever became of it.
        there = log if address in log.nodes else Log(log.shown, {**log.nodes, address: address})
        if judged_open(there, uri, query_id, used) is Reason.COUNTED:
            used.add((query, address))
            yield _mark(query, address, {
                "answer_signal_source": OPENED, "answer_session_id": session, "answer_client_type": client,
                "answer_marked_at": at,
            })  # fmt: skip


def _reported(db: Database, queries: str, log: Log) -> Iterator[dict[str, Any]]:
    """What reports of use say: of the addresses that they name, else of all that were shown."""
    by_query: dict[str, list[tuple[Any, ...]]] = defaultdict(list)
    for query_id, *report in db.rows(sql_text("agents/reports").format(queries=queries)):
        by_query[query_id].append(tuple(report))
    for query_id, reports in by_query.items():
        for uris, source, session, client, preview, at in reversed(reports):  # the oldest one stays
            named = {normalised_address(uri) for uri in uris} if uris else log.shown.get(query_id, set())
            said = {
                "answer_signal_source": source, "answer_session_id": session, "answer_client_type": client,
                "answer_marked_at": at, **({"answer_preview": preview} if preview else {}),
            }  # fmt: skip
            for uri in sorted(named & set(log.shown.get(query_id, ()))):
                yield _mark(query_id, uri, said)


def _mark(query_id: str, uri: str, said: Mapping[str, Any]) -> dict[str, Any]:
    return {"query_id": query_id, "uri": uri, "said": json.dumps({name: said[name] for name in said if said[name]})}
