"""The rows that a written memory takes in Lore's tables, its history among them; everything inside a publication."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import uuid4

from workbench.memories.memory import Memory, split_uri
from workbench.memories.states import State, addresses_of
from workbench.retrieve.rebuild import REBUILT, WRITTEN
from workbench.store import TABLES, Database, sql_text

ROOT = "00000000-0000-0000-0000-000000000000"
SOURCE = "workbench"


def create(db: Database, held: State | None, memory: Memory, now: datetime, **details: Any) -> None:
    """A memory at an address that holds none; the node `held` that was removed there comes back with its history."""
    at = now if held else memory.created or now
    node = held.node_uuid if held else str(uuid4())
    if held is None:
        _address(db, memory, node, at)
    else:
        _edge(db, held.edge_id, memory)
    _content(db, node, memory.content, at)
    _keywords(db, node, held.keywords if held else [], memory.keywords, at)
    named = {"title": memory.uri.rpartition("/")[2], "glossary_added": list(memory.keywords), **details}
    _event(db, "create", memory.uri, node, at, None, memory.snapshot(), named)


def update(db: Database, state: State, memory: Memory, now: datetime, **details: Any) -> None:
    """Another text, priority, disclosure or other keywords of a memory; the former text stays, deprecated."""
    if state.content != memory.content:
        _content(db, state.node_uuid, memory.content, now)
        _outdate(db, state.node_uuid, "stale")
    _edge(db, state.edge_id, memory)
    _keywords(db, state.node_uuid, state.keywords, memory.keywords, now)
    before, after = state.snapshot(), memory.snapshot()
    changed = {f"{name}_changed": before[name] != after[name] for name in ("content", "priority", "disclosure")}
    named = {
        **changed,
        "glossary_added": [word for word in memory.keywords if word not in state.keywords],
        "glossary_removed": [word for word in state.keywords if word not in memory.keywords],
        **details,
    }
    _event(db, "update", memory.uri, state.node_uuid, now, before, after, named)


def delete(db: Database, state: State, now: datetime) -> list[str]:
    """Take a memory away from all its addresses, which are returned; its texts stay, deprecated."""
    db.execute("UPDATE memories SET deprecated = true WHERE node_uuid = $node", {"node": state.node_uuid})
    _outdate(db, state.node_uuid, "deleted")
    gone = addresses_of(db, state.node_uuid)
    details = {"affected_paths": gone, "deprecated_node_uuids": [state.node_uuid]}
    _event(db, "delete", state.uri, state.node_uuid, now, state.snapshot(), None, details)
    return gone


def _address(db: Database, memory: Memory, node: str, at: datetime) -> None:
    """A node with its edge and path, below the nearest address above it; what belongs below it moves there."""
    domain, path = memory.address
    above = db.rows(sql_text("memories/ancestor"), {"domain": domain, "path": path})
    parent = str(above[0][0]) if above else ROOT
    edge = _id()
    _insert(db, "nodes", uuid=node, created_at=at)
    _insert(
        db, "edges", id=edge, parent_uuid=parent, child_uuid=node, priority=memory.priority,
        disclosure=memory.disclosure, created_at=at,
    )  # fmt: skip
    _insert(db, "paths", domain=domain, path=path, edge_id=edge, created_at=at)
    below = {"domain": domain, "path": path, "node": node, "parent": parent}
    for (adopted,) in db.rows(sql_text("memories/adopted"), below):
        db.execute("UPDATE edges SET parent_uuid = $node WHERE id = $edge", {"node": node, "edge": adopted})


def _edge(db: Database, edge: str, memory: Memory) -> None:
    db.execute(
        "UPDATE edges SET priority = $priority, disclosure = $disclosure WHERE id = $edge",
        {"priority": memory.priority, "disclosure": memory.disclosure, "edge": edge},
    )


def _content(db: Database, node: str, content: str, at: datetime) -> None:
    """A new text of a node, which takes the place of the one before."""
    number = _id()
    db.execute(
        "UPDATE memories SET deprecated = true, migrated_to = coalesce(migrated_to, $new) "
        "WHERE node_uuid = $node AND NOT coalesce(deprecated, false)",
        {"new": number, "node": node},
    )
    _insert(
        db, "memories", id=number, node_uuid=node, content=content, deprecated=False, migrated_to=None, created_at=at
    )


def _keywords(db: Database, node: str, held: Sequence[str], wanted: Sequence[str], at: datetime) -> None:
    gone = [word for word in held if word not in wanted]
    db.execute(
        "DELETE FROM glossary_keywords WHERE node_uuid = $node AND list_contains($gone::VARCHAR[], keyword)",
        {"node": node, "gone": gone},
    )
    for word in wanted:
        if word not in held:
            _insert(db, "glossary_keywords", id=_id(), keyword=word, node_uuid=node, created_at=at)


def _outdate(db: Database, node: str, status: str) -> None:
    """Views and keyword rows that a server made of a text that is no longer there: recall leaves them out."""
    for table in ("memory_views", "glossary_term_embeddings"):
        db.execute(
            f"UPDATE {table} SET status = $status WHERE node_uuid = $node AND source IS DISTINCT FROM $rebuilt",
            {"status": status, "node": node, "rebuilt": REBUILT},
        )


def _event(
    db: Database,
    event_type: str,
    uri: str,
    node: str,
    at: datetime,
    before: dict[str, Any] | None,
    after: dict[str, Any] | None,
    details: dict[str, Any],
) -> None:
    domain, path = split_uri(uri)
    _insert(
        db, "memory_events", id=_id(), event_type=event_type, node_uri=uri, node_uuid=node, domain=domain, path=path,
        source=SOURCE, before_snapshot=_json(before), after_snapshot=_json(after),
        details=_json({"client_type": SOURCE, **details}), created_at=at,
    )  # fmt: skip


def _insert(db: Database, table: str, **values: Any) -> None:
    names = [name for name in TABLES[table].column_names if name in values]
    places = ", ".join(f"${name}" for name in names)
    db.execute(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({places})", values)


def _id() -> str:
    """An id that no server gives, so that a later import never takes one row for another."""
    return f"{WRITTEN}{uuid4()}"


def _json(value: dict[str, Any] | None) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False)
