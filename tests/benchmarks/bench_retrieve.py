"""Retrieval against the bare matrix product: `python tests/benchmarks/bench_retrieve.py [PROMPTS]`.

Makes 5,000 memories with 10,000 views, 20,000 keywords and vectors of 384 dimensions in memory, retrieves PROMPTS
(default 20,000) through the engine, and prints how long that takes as a multiple of the matrix products plus the best
96 of each row; then how the exact signal grows with the length and the number of prompts, and one live recall.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime

import numpy as np
import pyarrow as pa

from workbench.retrieve.contain import Patterns
from workbench.retrieve.corpus import Corpus, load_corpus
from workbench.retrieve.engine import CHUNK, Depth, Prompt, retrieve
from workbench.store import Database, in_memory
from workbench.textsearch import tokenizer

MEMORIES, DIMENSIONS, KEYWORDS, MODEL = 5_000, 384, 4, "bench"
NOW = datetime(2026, 12, 1, tzinfo=UTC)
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def words(rng: np.random.Generator, count: int) -> list[str]:
    """A vocabulary of made-up words."""
    return ["".join(rng.choice(list(LETTERS), rng.integers(3, 11))) for _ in range(count)]


def texts(rng: np.random.Generator, vocabulary: list[str], count: int, length: int) -> list[str]:
    """Texts whose words are as unevenly frequent as those of a language."""
    weights = 1 / np.arange(10, len(vocabulary) + 10)
    drawn = rng.choice(len(vocabulary), (count, length), p=weights / weights.sum())
    return [" ".join(vocabulary[number] for number in row) for row in drawn]


def fill(db: Database, rng: np.random.Generator, vocabulary: list[str]) -> None:
    """Put the memories, views, keywords and vectors into the store."""
    ids = [f"{number:05d}" for number in range(MEMORIES)]
    paths = [f"topic_{number % 97}/note_{number}" for number in range(MEMORIES)]
    uris = [f"project://{path}" for path in paths]
    stamp = pa.array([NOW] * MEMORIES, pa.timestamp("us", "UTC"))
    db.append("memories", pa.table({"id": ids, "node_uuid": ids, "content": ids, "created_at": stamp}))
    db.append("edges", pa.table({"id": ids, "child_uuid": ids, "priority": rng.integers(0, 6, MEMORIES)}))
    db.append("paths", pa.table({"domain": ["project"] * MEMORIES, "path": paths, "edge_id": ids}))
    keywords = texts(rng, vocabulary[500:], MEMORIES * KEYWORDS, 2)
    owners = np.repeat(np.arange(MEMORIES), KEYWORDS)
    db.append("glossary_keywords", pa.table({
        "id": [str(number) for number in range(len(keywords))],
        "keyword": keywords,
        "node_uuid": [ids[n] for n in owners],
    }))  # fmt: skip
    for table, name, values, numbers in (
        ("glossary_term_embeddings", "keyword", keywords, owners),
        ("memory_views", "text_content", texts(rng, vocabulary, 2 * MEMORIES, 60), np.repeat(np.arange(MEMORIES), 2)),
    ):
        rows = {
            "id": [str(number) for number in range(len(values))],
            "domain": ["project"] * len(values),
            "path": [paths[n] for n in numbers],
            "uri": [uris[n] for n in numbers],
            "node_uuid": [ids[n] for n in numbers],
            "priority": pa.array(numbers % 6, pa.int32()),
            name: values,
            "embedding_model": [MODEL] * len(values),
            "embedding_vector": vectors(rng, len(values)),
            "updated_at": pa.array([NOW] * len(values), pa.timestamp("us", "UTC")),
        }
        if table == "memory_views":
            rows["view_type"] = ["gist", "question"] * MEMORIES
            rows["weight"] = pa.array([1.0, 0.96] * MEMORIES, pa.float32())
        db.append(table, pa.table(rows))


def vectors(rng: np.random.Generator, count: int) -> pa.Array:
    """Random directions as lists of single-precision numbers."""
    flat = pa.array(rng.standard_normal(count * DIMENSIONS).astype(np.float32))
    return pa.ListArray.from_arrays(pa.array(np.arange(count + 1) * DIMENSIONS, pa.int32()), flat)


def timed(work: Callable[[], object]) -> float:
    """Seconds that `work` takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def bare(corpus: Corpus, queries: np.ndarray[tuple[int, int], np.dtype[np.float32]]) -> None:
    """The matrix products, and the 96 best of each row."""
    for searched in (corpus.view_vectors, corpus.term_vectors):
        for start in range(0, len(queries), CHUNK):
            product = queries[start : start + CHUNK] @ searched.unit.T
            np.argpartition(product, product.shape[1] - 96, axis=1)


def main(count: int) -> None:
    rng = np.random.default_rng(1)
    vocabulary = words(rng, 20_000)
    with in_memory() as db:
        fill(db, rng, vocabulary)
        print(f"corpus loaded in {timed(lambda: load_corpus(db, tokenizer('simple'), MODEL)):.1f} s")
        corpus = load_corpus(db, tokenizer("simple"), MODEL)
        prompts = [Prompt(str(number), text, NOW) for number, text in enumerate(texts(rng, vocabulary, count, 12))]
        queries = rng.standard_normal((count, DIMENSIONS)).astype(np.float32)
        rows = [0]

        def take(chunk: Database) -> None:
            rows[0] += chunk.row("SELECT count(*) FROM signal_rows")[0]

        matrix = timed(lambda: bare(corpus, queries))
        engine = timed(lambda: retrieve(corpus, prompts, queries, Depth(), take))
        print(
            f"{count:,} prompts, {rows[0]:,} signal rows: matrix products and best 96 {matrix:.1f} s, "
            f"engine {engine:.1f} s, ratio {engine / matrix:.2f} (goal 3)"
        )
        exact_growth(rng, vocabulary, corpus)
        one = timed(lambda: retrieve(corpus, prompts[:1], queries[:1], Depth(), take))
        print(f"one live recall without its embedding: {one * 1000:.0f} ms")


def exact_growth(rng: np.random.Generator, vocabulary: list[str], corpus: Corpus) -> None:
    """The time to find keywords in prompts, for ten times the length and ten times the prompts."""
    keywords = Patterns(corpus.keywords.texts)

    def seconds(count: int, length: int) -> float:
        found = texts(rng, vocabulary, count, length)
        return timed(lambda: sum(1 for _ in keywords.find(found)))

    base, longer, more = seconds(2_000, 12), seconds(2_000, 120), seconds(20_000, 12)
    print(
        f"keywords in prompts: ten times the length {longer / base:.1f} times the time, ten times the prompts "
        f"{more / base:.1f} times"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
