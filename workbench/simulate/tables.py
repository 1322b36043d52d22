"""The memory side of a simulated world as Lore's tables."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from operator import itemgetter
from typing import Any

import pyarrow as pa

from workbench.params import Params
from workbench.simulate.memories import VIEW_WEIGHTS, VIEWS, Memory
from workbench.simulate.signals import Indexed
from workbench.store import TABLES, Kind

MODEL = "simulated"

_ARROW = {
    Kind.ID: pa.string(), Kind.TEXT: pa.string(), Kind.JSON: pa.string(), Kind.INTEGER: pa.int32(),
    Kind.REAL: pa.float32(), Kind.BOOLEAN: pa.bool_(), Kind.TIME: pa.timestamp("us", tz="UTC"),
    Kind.VECTOR: pa.list_(pa.float32()),
}  # fmt: skip


def memory_tables(indexed: Indexed) -> dict[str, pa.Table]:
    """nodes, memories, edges, paths, glossary_keywords, memory_views, glossary_term_embeddings, memory_events and
    app_settings."""
    memories = indexed.memories
    rows: dict[str, list[dict[str, Any]]] = {
        "nodes": [{"uuid": m.node_uuid, "created_at": m.born_at} for m in memories],
        "memories": [version for m in memories for version in _versions(m)],
        "edges": [_edge(m) for m in memories],
        "paths": [
            {"domain": m.domain, "path": m.path, "edge_id": str(m.number + 1), "created_at": m.born_at}
            for m in memories
        ],
        "glossary_keywords": _numbered(_keywords(memories)),
        "memory_views": _numbered(_views(indexed)),
        "glossary_term_embeddings": _numbered(_terms(indexed)),
        "memory_events": _numbered(sorted((e for m in memories for e in _events(m)), key=itemgetter("created_at"))),
        "app_settings": [
            {"key": "embedding.model", "value": f'{{"value":"{MODEL}"}}', "updated_at": memories[0].created_at}
        ],
    }
    return {name: table(name, of_one) for name, of_one in rows.items()}


def settings_table(in_force: Params, when: datetime) -> pa.Table:
    """Rows of app_settings for the keys of `in_force` that are not the defaults."""
    changed = in_force.changed_from(Params.default())
    rows = [{"key": key, "value": _json({"value": value}), "updated_at": when} for key, value in changed.items()]
    return table("app_settings", rows)


def table(name: str, rows: Sequence[dict[str, Any]]) -> pa.Table:
    """Rows as an Arrow table with all columns of the Lore table `name`; absent values are NULL."""
    columns = TABLES[name].columns
    return pa.table(
        {column.name: pa.array([row.get(column.name) for row in rows], _ARROW[column.kind]) for column in columns}
    )


def _versions(memory: Memory) -> list[dict[str, Any]]:
    """The rows of a memory: the former text as deprecated, then the present one."""
    own = {"node_uuid": memory.node_uuid, "content": memory.content}
    present = own | {"id": memory.memory_id, "deprecated": False, "created_at": memory.created_at}
    if memory.former is None:
        return [present]
    former = {"id": str(int(memory.memory_id) - 1), "content": memory.former, "deprecated": True}
    return [own | former | {"migrated_to": memory.memory_id, "created_at": memory.born_at}, present]


def _edge(memory: Memory) -> dict[str, Any]:
    return {"id": str(memory.number + 1), "child_uuid": memory.node_uuid, "priority": memory.priority,
            "disclosure": memory.disclosure, "created_at": memory.born_at}  # fmt: skip


def _events(memory: Memory) -> list[dict[str, Any]]:
    """How a memory came about: its creation and, where it had another text before, the edit."""
    own = {"node_uri": memory.uri, "node_uuid": memory.node_uuid, "domain": memory.domain, "path": memory.path}
    present = {"content": memory.content, "priority": memory.priority, "disclosure": memory.disclosure}
    former = present | {"content": memory.content if memory.former is None else memory.former}
    born = former | {"glossary_keywords": list(memory.keywords)}
    created = own | {"event_type": "create", "source": "mcp:lore_create_node", "created_at": memory.born_at}
    events = [created | {"after_snapshot": _json(born), "details": _json({"client_type": "claudecode"})}]
    if memory.former is not None:
        edited = own | {"event_type": "update", "source": "mcp:lore_update_node", "created_at": memory.created_at}
        change = {"client_type": "claudecode", "content_changed": True}
        snapshots = {"before_snapshot": _json(former), "after_snapshot": _json(present), "details": _json(change)}
        events.append(edited | snapshots)
    return events


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)


def _keywords(memories: Sequence[Memory]) -> list[dict[str, Any]]:
    return [
        {"keyword": keyword, "node_uuid": m.node_uuid, "created_at": m.born_at}
        for m in memories
        for keyword in m.keywords
    ]


def _views(indexed: Indexed) -> list[dict[str, Any]]:
    rows = []
    for memory in indexed.memories:
        for n, text in enumerate(memory.view_texts()):
            vector = indexed.view_vectors[2 * memory.number + n]
            own = {"view_type": VIEWS[n], "source": "generated", "weight": VIEW_WEIGHTS[n], "text_content": text}
            rows.append(own | _embedded(memory, vector, memory.views_at))
    return rows


def _terms(indexed: Indexed) -> list[dict[str, Any]]:
    by_number = {memory.number: memory for memory in indexed.memories}
    return [
        {"keyword": keyword, "match_text": keyword, "source": "generated"}
        | _embedded(by_number[number], vector, by_number[number].glossary_at)
        for (number, keyword), vector in zip(indexed.keywords, indexed.keyword_vectors, strict=True)
    ]


def _embedded(memory: Memory, vector: Any, when: datetime) -> dict[str, Any]:
    return {"domain": memory.domain, "path": memory.path, "uri": memory.uri, "node_uuid": memory.node_uuid,
            "memory_id": memory.memory_id, "priority": memory.priority, "disclosure": memory.disclosure,
            "status": "active", "embedding_model": MODEL, "embedding_dim": len(vector), "embedding_vector": vector,
            "metadata": "{}", "created_at": when, "updated_at": when}  # fmt: skip


def _numbered(rows: Any) -> list[dict[str, Any]]:
    return [{"id": str(n), **row} for n, row in enumerate(rows, 1)]
