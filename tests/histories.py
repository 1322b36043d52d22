"""A memory server in miniature: it keeps Lore's tables and its event log, and remembers what stood when."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa

from workbench.params import Params
from workbench.replay.logged import materialise
from workbench.retrieve.versions import build_versions
from workbench.store import TABLES, Database

BEGIN = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
RECALL = BEGIN + HOUR / 2
MEMORY_SIDE = ("nodes", "memories", "edges", "paths", "glossary_keywords", "memory_events", "memory_views",
               "glossary_term_embeddings")  # fmt: skip


@dataclass(frozen=True)
class Standing:
    """What stands at one time: address -> (node, priority, disclosure), node -> text, node -> keywords."""

    addresses: dict[str, tuple[str, int | None, str | None]]
    contents: dict[str, str]
    keywords: dict[str, frozenset[str]]


@dataclass
class Server:
    """Tables as rows by name. Each operation happens an hour after the one before it, and is logged unless silenced."""

    logs: bool = True
    now: datetime = BEGIN
    tables: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: {name: [] for name in MEMORY_SIDE})
    truth: list[tuple[datetime, Standing]] = field(default_factory=list)
    _dead: set[str] = field(default_factory=set)
    _written: int = 0
    _named: int = 0

    def create(self, uri: str, content: str, priority: int = 2, keywords: Sequence[str] = ()) -> str:
        """A new node at `uri`; returns its uuid."""
        node = f"n{len({row['uuid'] for row in self.tables['nodes']} | self._dead) + 1}"
        self.tables["nodes"].append({"uuid": node, "created_at": self.now})
        self._write(node, content)
        self._link(uri, self._edge(node, priority))
        for keyword in keywords:
            self._keyword(node, keyword)
        self._log("create", uri, node, None, self._snapshot(uri), {"glossary_added": list(keywords)})
        return node

    def edit(self, uri: str, content: str | None = None, priority: int | None = None,
             add: Sequence[str] = (), remove: Sequence[str] = ()) -> None:  # fmt: skip
        """An edit through one address."""
        before, node = self._snapshot(uri), self.node(uri)
        if content is not None and content != self._current(node)["content"]:
            old = self._current(node)
            old["deprecated"] = True
            old["migrated_to"] = self._write(node, content)
        if priority is not None:
            edge = self._edge_of(uri)
            edge["priority"], edge["disclosure"] = priority, f"when {priority}"
        for keyword in add:
            if keyword not in self._snapshot(uri)["glossary_keywords"]:
                self._keyword(node, keyword)
        rows = self.tables["glossary_keywords"]
        rows[:] = [row for row in rows if row["node_uuid"] != node or row["keyword"] not in remove]
        self._log("update", uri, node, before, self._snapshot(uri), {})

    def move(self, uri: str, to: str) -> None:
        """The same edge under another address."""
        edge, node = self._edge_of(uri), self.node(uri)
        self._unlink(uri)
        self._link(to, edge["id"])
        self._log("move", uri, node, None, None, {"old_uri": uri, "new_uri": to})

    def alias(self, uri: str, other: str, priority: int | None = None, logged: bool = True) -> None:
        """A second address of a node: on the same edge, or with a priority of its own on another."""
        node = self.node(uri)
        self._link(other, self._edge_of(uri)["id"] if priority is None else self._edge(node, priority))
        if logged:
            self._log("add_alias", other, node, None, None, {})
        else:
            self._tick()

    def delete(self, uri: str, hard: bool = False) -> None:
        """Take an address away; with its last one the node ends; a hard deletion leaves nothing of it."""
        node, before = self.node(uri), self._snapshot(uri)
        self._unlink(uri)
        last = node not in {self.node(path) for path in self.uris()}
        if last:
            for row in self._memories(node):
                row["deprecated"] = True
            rows = self.tables["glossary_keywords"]
            rows[:] = [row for row in rows if row["node_uuid"] != node]
            if hard:
                self._dead.add(node)
                for table, column in (("memories", "node_uuid"), ("nodes", "uuid")):
                    self.tables[table][:] = [row for row in self.tables[table] if row[column] != node]
        self._log("hard_delete" if hard and last else "delete", uri, node, before, None,
                  {"affected_paths": [uri], "deprecated_node_uuids": [node] if last else []})  # fmt: skip

    def restore(self, uri: str, node: str) -> None:
        """Bring a deleted node back, with its last text, at `uri`."""
        self._memories(node)[-1]["deprecated"] = False
        self._link(uri, self._edge(node, 2))
        self._log("restore", uri, node, None, self._snapshot(uri), {})

    def uris(self) -> list[str]:
        """The addresses of now."""
        return [f"{row['domain']}://{row['path']}" for row in self.tables["paths"]]

    def node(self, uri: str) -> str:
        """The node that an address of now leads to."""
        return str(self._edge_of(uri)["child_uuid"])

    def deleted(self) -> list[str]:
        """Nodes that could be restored."""
        alive = {self.node(uri) for uri in self.uris()}
        return [row["uuid"] for row in self.tables["nodes"] if row["uuid"] not in alive]

    def standing(self) -> Standing:
        """What stands now."""
        keywords: dict[str, set[str]] = {}
        for row in self.tables["glossary_keywords"]:
            keywords.setdefault(row["node_uuid"], set()).add(row["keyword"])
        edges = {uri: self._edge_of(uri) for uri in self.uris()}
        return Standing(
            {uri: (edge["child_uuid"], edge["priority"], edge["disclosure"]) for uri, edge in edges.items()},
            {row["node_uuid"]: row["content"] for row in self.tables["memories"] if not row["deprecated"]},
            {node: frozenset(words) for node, words in keywords.items()},
        )

    def fill(self, db: Database) -> None:
        """Put the tables into a store, in place of what it held, and build the versions."""
        fill(db, self.tables)

    def _tick(self) -> None:
        self.truth.append((self.now, self.standing()))
        self.now += HOUR

    def _log(self, kind: str, uri: str, node: str, before: Any, after: Any, details: dict[str, Any]) -> None:
        if self.logs:
            self.tables["memory_events"].append(
                event(len(self.tables["memory_events"]) + 1, kind, uri, node, self.now, before, after, details)
            )
        self._tick()

    def _write(self, node: str, content: str) -> str:
        self._written += 1
        self.tables["memories"].append(
            {"id": str(self._written), "node_uuid": node, "content": content, "deprecated": False, "migrated_to": None,
             "created_at": self.now}
        )  # fmt: skip
        return str(self._written)

    def _edge(self, node: str, priority: int) -> str:
        edge = {"id": str(len(self.tables["edges"]) + 1), "child_uuid": node, "priority": priority,
                "disclosure": f"when {priority}", "created_at": self.now}  # fmt: skip
        self.tables["edges"].append(edge)
        return str(edge["id"])

    def _edge_of(self, uri: str) -> dict[str, Any]:
        path = next(row for row in self.tables["paths"] if f"{row['domain']}://{row['path']}" == uri)
        return next(row for row in self.tables["edges"] if row["id"] == path["edge_id"])

    def _link(self, uri: str, edge: str) -> None:
        domain, path = uri.split("://")
        self.tables["paths"].append({"domain": domain, "path": path, "edge_id": edge, "created_at": self.now})

    def _unlink(self, uri: str) -> None:
        rows = self.tables["paths"]
        rows[:] = [row for row in rows if f"{row['domain']}://{row['path']}" != uri]

    def _keyword(self, node: str, keyword: str) -> None:
        self._named += 1
        self.tables["glossary_keywords"].append(
            {"id": str(self._named), "keyword": keyword, "node_uuid": node, "created_at": self.now}
        )

    def _memories(self, node: str) -> list[dict[str, Any]]:
        return [row for row in self.tables["memories"] if row["node_uuid"] == node]

    def _current(self, node: str) -> dict[str, Any]:
        return next(row for row in self._memories(node) if not row["deprecated"])

    def _snapshot(self, uri: str) -> dict[str, Any]:
        edge = self._edge_of(uri)
        node = edge["child_uuid"]
        words = [row["keyword"] for row in self.tables["glossary_keywords"] if row["node_uuid"] == node]
        return {"content": self._current(node)["content"], "priority": edge["priority"],
                "disclosure": edge["disclosure"], "glossary_keywords": sorted(words)}  # fmt: skip


def event(number: int, kind: str, uri: str, node: str | None, at: datetime | None,
          before: Any = None, after: Any = None, details: Any = None) -> dict[str, Any]:  # fmt: skip
    """A row of memory_events with the snapshots of the real server."""
    domain, path = uri.split("://")
    return {
        "id": str(number), "event_type": kind, "node_uri": uri, "node_uuid": node, "domain": domain, "path": path,
        "before_snapshot": None if before is None else json.dumps(before),
        "after_snapshot": None if after is None else json.dumps(after),
        "details": json.dumps({"client_type": "codex", **(details or {})}), "created_at": at,
    }  # fmt: skip


def fill(db: Database, tables: dict[str, list[dict[str, Any]]]) -> None:
    """Put rows into the tables of the memory side, in place of what they held, and build the versions."""
    for name in MEMORY_SIDE:
        db.execute(f"DELETE FROM {name}")
        if rows := tables.get(name):
            columns = [column for column in TABLES[name].columns if any(column.name in row for row in rows)]
            values = {column.name: [row.get(column.name) for row in rows] for column in columns}
            casts = ", ".join(f"{column.name}::{column.kind.sql_type} AS {column.name}" for column in columns)
            db.register("rows_of_history", pa.table(values))
            db.execute(f"INSERT INTO {name} BY NAME SELECT {casts} FROM rows_of_history")
            db.unregister("rows_of_history")
    build_versions(db)


_AT = "valid_from <= $at::TIMESTAMPTZ AND (valid_to IS NULL OR $at::TIMESTAMPTZ < valid_to)"


def as_of(db: Database, at: datetime | str, *, known: bool = False) -> Standing:
    """What the versions say stood at a time, or only what is known of it; an address or a node with two versions at
    once fails."""
    bound = {"at": at}
    where = f"{_AT} AND (certainty = 'known' OR {not known})"
    addresses = db.rows(f"SELECT uri, node_uuid, priority, disclosure FROM address_versions WHERE {where}", bound)
    contents = db.rows(f"SELECT node_uuid, content FROM content_versions WHERE {where}", bound)
    keywords = db.rows(f"SELECT node_uuid, keyword FROM keyword_versions WHERE {where}", bound)
    assert len({uri for uri, *_ in addresses}) == len(addresses), "an address leads to at most one node"
    assert len({node for node, _ in contents}) == len(contents), "a node has at most one text"
    assert len(set(keywords)) == len(keywords), "a node has a keyword once"
    grouped: dict[str, set[str]] = {}
    for node, keyword in keywords:
        grouped.setdefault(node, set()).add(keyword)
    return Standing(
        {uri: (node, priority, disclosure) for uri, node, priority, disclosure in addresses},
        dict(contents),
        {node: frozenset(words) for node, words in grouped.items()},
    )


def recalled(
    db: Database, server: Server, uri: str = "core://a", at: datetime | None = RECALL, model: str = "m1"
) -> None:
    """One recall that showed `uri`, and the server's tables of now."""
    db.append("recall_queries", [{"query_id": "q", "query_text": "refunds", "merged_count": 1, "created_at": at}])
    db.append("recall_events", [
        {"id": "1", "query_id": "q", "query_text": "refunds", "node_uri": uri, "retrieval_path": "exact",
         "selected": True, "used_in_answer": False, "metadata": f'{{"retrieval_meta": {{"model": "{model}"}}}}',
         "created_at": at}
    ])  # fmt: skip
    server.fill(db)
    materialise(db, Params.default())
