"""Memories with keywords, views and vectors in a store in memory, for tests of the engine."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.retrieve.clock import Clock
from workbench.retrieve.corpus import load_corpus
from workbench.retrieve.engine import Depth, Prompt, retrieve
from workbench.store import TABLES, Database, in_memory
from workbench.textsearch import tokenizer

MODEL = "m1"
WRITTEN = datetime(2026, 3, 1, tzinfo=UTC)
NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
TODAY = Clock("today", NOW)


@dataclass
class Memories:
    """A store that grows memory by memory."""

    db: Database
    rows: int = 0

    def add(
        self,
        uri: str,
        *,
        node: str | None = None,
        priority: int = 2,
        keywords: Sequence[str] = (),
        views: Mapping[str, str] | None = None,
        vector: Sequence[float] | None = None,
        model: str = MODEL,
        written: datetime = WRITTEN,
    ) -> None:
        """A node with one text, address and keywords; its views (view type to text) and keywords share `vector`."""
        node = node or f"n-{uri}"
        domain, path = uri.split("://")
        address = {"domain": domain, "path": path, "uri": uri, "node_uuid": node, "priority": priority}
        vectors = {"embedding_model": model, "embedding_vector": vector, "updated_at": written, "created_at": written}
        self._append("nodes", {"uuid": node, "created_at": written})
        self._append("memories", {"id": self._next(), "node_uuid": node, "content": uri, "created_at": written})
        edge = self._next()
        self._append("edges", {"id": edge, "child_uuid": node, "priority": priority, "created_at": written})
        self._append("paths", {"domain": domain, "path": path, "edge_id": edge, "created_at": written})
        for keyword in keywords:
            self._append("glossary_keywords", {
                "id": self._next(), "keyword": keyword, "node_uuid": node, "created_at": written,
            })  # fmt: skip
            self._append("glossary_term_embeddings", {"id": self._next(), "keyword": keyword, **address, **vectors})
        for view_type, text in (views or {}).items():
            self._append("memory_views", {
                "id": self._next(), "view_type": view_type, "text_content": text, **address, **vectors,
                "weight": {"gist": 1.0, "question": 0.96}[view_type],
                "metadata": json.dumps({"cue_terms": [*keywords]}),
            })  # fmt: skip

    def event(self, event_type: str, uri: str, at: datetime, **fields: Any) -> None:
        """A memory event."""
        domain, path = uri.split("://")
        row = {"id": self._next(), "event_type": event_type, "node_uri": uri, "domain": domain, "path": path}
        self._append("memory_events", {**row, "created_at": at, **fields})

    def _next(self) -> str:
        self.rows += 1
        return str(self.rows)

    def _append(self, table: str, row: Mapping[str, Any]) -> None:
        columns = {column.name: column for column in TABLES[table].columns}
        assert row.keys() <= columns.keys(), row.keys() - columns.keys()
        values = {name: [value] for name, value in row.items()}
        if "embedding_vector" in values:
            values["embedding_vector"] = pa.array(values["embedding_vector"], pa.list_(pa.float32()))
        self.db.append(table, pa.table(values))


@contextmanager
def memories() -> Iterator[Memories]:
    """An empty store."""
    with in_memory() as db:
        yield Memories(db)


def signals(
    store: Memories,
    *texts: str,
    words: str = "simple",
    vectors: Sequence[Sequence[float]] | None = None,
    clock: Clock = TODAY,
    at: datetime | None = None,
    depth: Depth | None = None,
) -> list[dict[str, Any]]:
    """The signal rows of the prompts `texts` in order of arrival; a prompt's query_id is its text."""
    corpus = load_corpus(store.db, tokenizer(words), MODEL if vectors is not None else None, clock)
    prompts = [Prompt(text, text, at or NOW, at) for text in texts]
    found: list[dict[str, Any]] = []
    matrix = None if vectors is None else np.array(vectors, np.float32)
    select = "SELECT * FROM signal_rows ORDER BY query_id, arrival"
    retrieve(corpus, prompts, matrix, depth or Depth(), lambda db: found.extend(db.arrow(select).to_pylist()))
    return found


def scores(rows: Sequence[Mapping[str, Any]], signal: str) -> dict[str, float]:
    """URI to raw score of one signal, best first."""
    return {row["uri"]: row["raw_score"] for row in reversed(rows) if row["signal"] == signal}
