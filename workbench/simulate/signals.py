"""The rows that the four signals return for the prompts of a simulated world, from their texts and vectors."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.simulate.memories import VIEW_WEIGHTS, VIEWS, Memory, Vectors
from workbench.simulate.prompts import Prompt

_WORD = re.compile(r"[^\W_]+")
_BATCH = 2_000

SCHEMA = pa.schema(
    [
        ("query_no", pa.int32()), ("memory_no", pa.int32()), ("signal", pa.string()), ("view_type", pa.string()),
        ("raw_score", pa.float64()), ("weight", pa.float64()), ("keyword", pa.string()), ("arrival", pa.int32()),
    ]
)  # fmt: skip

Row = tuple[int, int, str, str | None, float, float, str | None, int]


def words(text: str) -> list[str]:
    """The words of a text, lower-case; a run of Chinese is one word."""
    return [word.lower() for word in _WORD.findall(text)]


@dataclass(frozen=True)
class Indexed:
    """What the signals look at: memories with the vectors of their keywords (in order) and of their two views."""

    memories: list[Memory]
    keyword_vectors: Vectors
    view_vectors: Vectors

    @property
    def keywords(self) -> list[tuple[int, str]]:
        """(memory number, keyword), in the order of keyword_vectors."""
        return [(memory.number, keyword) for memory in self.memories for keyword in memory.keywords]


def signal_batches(
    prompts: list[Prompt],
    vectors: Vectors,
    indexed: Indexed,
    limit: int,
    progress: Callable[[int, int | None, str], None],
) -> Iterator[pa.RecordBatch]:
    """The signal rows of all prompts; at most `limit` rows a signal, in the order in which a server would log them."""
    search = _Search(indexed, limit)
    for start in range(0, len(prompts), _BATCH):
        progress(start, len(prompts), "signals")
        part = prompts[start : start + _BATCH]
        rows = [row for n, prompt in enumerate(part) for row in search.rows(start + n, prompt, vectors[start + n])]
        columns: list[Any] = list(zip(*rows, strict=True)) or [()] * len(SCHEMA)
        yield pa.RecordBatch.from_arrays(
            [pa.array(column, kind) for column, kind in zip(columns, SCHEMA.types, strict=True)], schema=SCHEMA
        )


class _Search:
    """The four signals over one index."""

    def __init__(self, indexed: Indexed, limit: int) -> None:
        self._indexed, self._limit = indexed, limit
        self._keywords = indexed.keywords
        self._glossaries = [" ".join(sorted(m.keywords)).lower() for m in indexed.memories]
        self._views = [text for memory in indexed.memories for text in memory.view_texts()]
        self._view_words = [words(text) for text in self._views]
        self._uri_words = [
            set(words(f"{g} {m.uri} {m.path}")) for g, m in zip(self._glossaries, indexed.memories, strict=True)
        ]

    def rows(self, query_no: int, prompt: Prompt, vector: Vectors) -> Iterator[Row]:
        found = [*self._exact(prompt), *self._glossary(vector), *self._dense(vector), *self._lexical(prompt)]
        for arrival, (memory_no, signal, view, raw, weight, keyword) in enumerate(found):
            yield (query_no, memory_no, signal, view, raw, weight, keyword, arrival)

    def _exact(self, prompt: Prompt) -> list[tuple[int, str, str | None, float, float, str | None]]:
        query = prompt.searched.lower()
        tokens = set(words(query))
        scored = []
        for memory, glossary, own in zip(self._indexed.memories, self._glossaries, self._uri_words, strict=True):
            score = exact_score(query, tokens, memory, glossary, own)
            if score:
                scored.append((-score, memory.priority, len(memory.path), memory.uri, memory.number))
        return [(entry[-1], "exact", "exact", -entry[0], 1.0, None) for entry in sorted(scored)[: self._limit]]

    def _glossary(self, vector: Vectors) -> list[tuple[int, str, str | None, float, float, str | None]]:
        similar = (self._indexed.keyword_vectors @ vector).astype(np.float64)
        best = np.argsort(-similar, kind="stable")[: self._limit]
        return [
            (self._keywords[n][0], "glossary_semantic", None, float(similar[n]), 1.0, self._keywords[n][1])
            for n in best
        ]

    def _dense(self, vector: Vectors) -> list[tuple[int, str, str | None, float, float, str | None]]:
        similar = (self._indexed.view_vectors @ vector).astype(np.float64)
        best = np.argsort(-similar, kind="stable")[: self._limit]
        return [(int(n) // 2, "dense", VIEWS[n % 2], float(similar[n]), VIEW_WEIGHTS[n % 2], None) for n in best]

    def _lexical(self, prompt: Prompt) -> list[tuple[int, str, str | None, float, float, str | None]]:
        query = prompt.searched.lower()
        tokens = set(words(query))
        scored = []
        for n, own in enumerate(self._view_words):
            hits = sum(word in tokens for word in own)
            if hits or query in self._views[n].lower():
                rank = float(np.float32(0.1 * hits / (1 + 0.1 * hits)))
                scored.append((-rank * VIEW_WEIGHTS[n % 2], n, rank))
        return [
            (n // 2, "lexical", VIEWS[n % 2], rank, VIEW_WEIGHTS[n % 2], None)
            for _, n, rank in sorted(scored)[: self._limit]
        ]


def exact_score(query: str, tokens: set[str], memory: Memory, glossary: str, own_words: set[str]) -> float:
    """The tier of the exact signal (recall semantics, section 4), 0 for no match; `query` is lower-case."""
    lowered = [keyword.lower() for keyword in memory.keywords]
    if query in (memory.uri, memory.path):
        return 1.0
    if query in lowered:
        return 0.98
    if query in glossary:
        return 0.90
    if any(len(keyword) > 1 and keyword in query for keyword in lowered):
        return 0.84
    if tokens & own_words:
        return 0.78
    return 0.72 if query in memory.uri else 0.0
