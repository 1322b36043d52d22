"""The rows that the four signals return for the prompts of a simulated world, from their texts and vectors."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from workbench.simulate.memories import VIEW_WEIGHTS, VIEWS, Memory, Vectors
from workbench.simulate.prompts import Prompt

_WORD = re.compile(r"[^\W_]+")

SCHEMA = pa.schema(
    [
        ("query_no", pa.int32()), ("memory_no", pa.int32()), ("signal", pa.string()), ("view_type", pa.string()),
        ("raw_score", pa.float64()), ("weight", pa.float64()), ("keyword", pa.string()), ("flags", pa.int32()),
        ("arrival", pa.int32()),
    ]
)  # fmt: skip


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


class Search:
    """The four signals over one index; each returns at most `limit` rows a prompt."""

    def __init__(self, indexed: Indexed, limit: int) -> None:
        self._memories, self._limit = indexed.memories, limit
        self._keyword_vectors = indexed.keyword_vectors.astype(np.float64)
        self._view_vectors = indexed.view_vectors.astype(np.float64)
        self._keyword_memory = np.array([number for number, _ in indexed.keywords])
        self._keywords = pa.array([keyword for _, keyword in indexed.keywords])
        self._uris = [memory.uri for memory in indexed.memories]
        self._having: dict[str, list[int]] = defaultdict(list)
        for number, keyword in indexed.keywords:
            self._having[keyword.lower()].append(number)
        self._glossaries = [" ".join(sorted(m.keywords)).lower() for m in indexed.memories]
        self._own_words = [
            set(words(f"{g} {m.uri} {m.path}")) for g, m in zip(self._glossaries, indexed.memories, strict=True)
        ]
        self._owners: dict[str, list[int]] = defaultdict(list)
        for number, own in enumerate(self._own_words):
            for word in own:
                self._owners[word].append(number)
        self._views = [text.lower() for memory in indexed.memories for text in memory.view_texts()]
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for n, text in enumerate(self._views):
            for word, count in Counter(words(text)).items():
                self._postings[word].append((n, count))

    def rows(self, first: int, prompts: Sequence[Prompt], vectors: Vectors) -> pa.Table:
        """The rows for `prompts`, numbered from `first` on; `arrival` orders the rows of one prompt as a server
        logs them."""
        wanted = vectors.astype(np.float64)
        exact = [self._exact(prompt) for prompt in prompts]
        lexical = [self._lexical(prompt) for prompt in prompts]
        parts = [
            self._listed("exact", first, 0, exact),
            self._near("glossary_semantic", first, 1, wanted @ self._keyword_vectors.T),
            self._near("dense", first, 2, wanted @ self._view_vectors.T),
            self._listed("lexical", first, 3, lexical),
        ]
        return pa.concat_tables(parts)

    def _near(self, signal: str, first: int, place: int, similar: NDArray[np.float64]) -> pa.Table:
        """The nearest keywords or views of every prompt."""
        best = np.argsort(-similar, axis=1, kind="stable")[:, : self._limit]
        prompts, each = best.shape
        found = best.ravel()
        views = signal == "dense"
        return _table(
            query_no=np.repeat(np.arange(first, first + prompts), each),
            memory_no=found // 2 if views else self._keyword_memory[found],
            signal=pa.repeat(signal, found.size),
            view_type=pa.array(VIEWS).take(pa.array(found % 2)) if views else pa.nulls(found.size, pa.string()),
            raw_score=np.take_along_axis(similar, best, axis=1).ravel(),
            weight=np.array(VIEW_WEIGHTS)[found % 2] if views else np.ones(found.size),
            keyword=pa.nulls(found.size, pa.string()) if views else self._keywords.take(pa.array(found)),
            flags=pa.nulls(found.size, pa.int32()),
            arrival=np.tile(np.arange(each) + place * self._limit, prompts),
        )

    def _listed(self, signal: str, first: int, place: int, lists: list[list[_Row]]) -> pa.Table:
        rows = [
            (first + n, memory, signal, view, raw, weight, None, flags, place * self._limit + rank)
            for n, found in enumerate(lists)
            for rank, (memory, view, raw, weight, flags) in enumerate(found)
        ]
        columns: list[Any] = list(zip(*rows, strict=True)) or [()] * len(SCHEMA)
        return _table(**dict(zip(SCHEMA.names, columns, strict=True)))

    def _exact(self, prompt: Prompt) -> list[_Row]:
        query = prompt.searched.lower()
        tokens = set(words(query))
        scored = []
        for number in self._matching(query, tokens):
            memory = self._memories[number]
            given = (query, tokens, memory, self._glossaries[number], self._own_words[number])
            scored.append(
                (-exact_score(*given), memory.priority, len(memory.path), memory.uri, number, exact_flags(*given))
            )
        return [(number, "exact", -score, 1.0, flags) for score, *_, number, flags in sorted(scored)[: self._limit]]

    def _matching(self, query: str, tokens: set[str]) -> set[int]:
        """The memories for which exact_score is above 0."""
        found = {
            number
            for keyword, having in self._having.items()
            if len(keyword) > 1 and keyword in query
            for number in having
        }
        for token in tokens:
            found.update(self._owners.get(token, ()))
        texts = zip(self._glossaries, self._uris, strict=True)
        found.update(number for number, (glossary, uri) in enumerate(texts) if query in glossary or query in uri)
        return found

    def _lexical(self, prompt: Prompt) -> list[_Row]:
        query = prompt.searched.lower()
        hits: Counter[int] = Counter()
        for word in set(words(query)):
            for n, count in self._postings.get(word, ()):
                hits[n] += count
        scored = []
        for n, text in enumerate(self._views):
            flags = (n in hits) + 2 * (query in text) + 4 * (query in self._uris[n // 2])
            if flags:
                rank = float(np.float32(0.1 * hits[n] / (1 + 0.1 * hits[n])))
                scored.append((-rank * VIEW_WEIGHTS[n % 2], n, rank, flags))
        return [
            (n // 2, VIEWS[n % 2], rank, VIEW_WEIGHTS[n % 2], flags)
            for _, n, rank, flags in sorted(scored)[: self._limit]
        ]


_Row = tuple[int, str, float, float, int]


def _table(**columns: Any) -> pa.Table:
    return pa.table([pa.array(columns[field.name], field.type) for field in SCHEMA], schema=SCHEMA)


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


def exact_flags(query: str, tokens: set[str], memory: Memory, glossary: str, own_words: set[str]) -> int:
    """Which conditions hold, by bits from the lowest: path, one keyword, text of all keywords, a keyword inside the
    query, one word."""
    lowered = [keyword.lower() for keyword in memory.keywords]
    contained = any(len(keyword) > 1 and keyword in query for keyword in lowered)
    word = not tokens.isdisjoint(own_words)
    held = (query in (memory.uri, memory.path), query in lowered, query in glossary, contained, word)
    return sum(bit << n for n, bit in enumerate(held))
