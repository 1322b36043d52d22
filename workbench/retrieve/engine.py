"""The four signals of many prompts at once, in chunks: what merge.sql takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.retrieve.contain import Hit, Patterns
from workbench.retrieve.corpus import Corpus, Rows
from workbench.retrieve.nearest import NONE_NEAR, Floats, Mask, Near, Vectors, unit, usable
from workbench.retrieve.tables import create, write
from workbench.retrieve.words import best_places, best_views, phrase_hits
from workbench.store import Database, compose
from workbench.text import trimmed
from workbench.textsearch.characters import lower
from workbench.textsearch.tokenizer import AnyOf

CHUNK = 500
ROWS_PER_PLACE = 8
MOST_ROWS = 300
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_STAGES = tuple(
    f"retrieve/{name}"
    for name in ("retrieve_exact", "retrieve_glossary", "retrieve_dense", "retrieve_lexical", "signal_rows")
)


@dataclass(frozen=True)
class Prompt:
    """A prompt as the signals see it: `searched` is the cut text, `now` the instant that its ages are taken at, and
    `corpus_at` the one as of which the memories stand (None: as they stand in the store)."""

    query_id: str
    searched: str
    now: datetime | None
    corpus_at: datetime | None = None

    @property
    def words(self) -> str:
        """What is tokenised: the server trims the cut text once more."""
        return trimmed(self.searched)


@dataclass(frozen=True)
class Depth:
    """How much a retrieval looks at.

    `row_limit` rows a signal, 1..300; `domain` keeps the addresses of one domain; the weights, where given, replace
    those stored on the view rows.
    """

    row_limit: int = 96
    domain: str | None = None
    gist_weight: float | None = None
    question_weight: float | None = None

    def bindings(self) -> dict[str, Any]:
        """The bound values of the retrieve_*.sql stages."""
        return {
            "row_limit": self.row_limit,
            "domain": self.domain,
            "gist_weight": self.gist_weight,
            "question_weight": self.question_weight,
        }


def row_limit(slice_size: int) -> int:
    """Rows a signal may return where `slice_size` candidates are looked at (recall semantics, section 3)."""
    return max(1, min(MOST_ROWS, slice_size * ROWS_PER_PLACE))


def retrieve(
    corpus: Corpus,
    prompts: Sequence[Prompt],
    vectors: Floats | None,
    depth: Depth,
    take: Callable[[Database], None],
) -> None:
    """Retrieve the signal rows of `prompts`, CHUNK at a time; `take` is called after each chunk.

    `vectors` has one row a prompt, of the corpus's model; a row that is zero or not finite gives no dense and no
    glossary rows, like None for all. `take` finds the temporary tables `signal_rows` (the shape that merge.sql takes,
    with keyword, cue_terms, flags and wildcard_only) and `queries` (query_id, now, query_tokens).
    """
    for start in range(0, len(prompts), CHUNK):
        chunk = prompts[start : start + CHUNK]
        queries = [corpus.tokenizer.any_of(prompt.words) for prompt in chunk]
        _write_prompts(corpus, chunk, queries)
        _write_words(corpus, chunk, queries, depth)
        _write_hits(corpus, chunk)
        _write_near(corpus, chunk, None if vectors is None else vectors[start : start + CHUNK], depth)
        create(corpus.db, "signal_rows", compose(_STAGES), depth.bindings())
        take(corpus.db)


def _write_prompts(corpus: Corpus, prompts: Sequence[Prompt], queries: Sequence[AnyOf]) -> None:
    tokens = [max(1, len(corpus.tokenizer.query(prompt.words))) for prompt in prompts]
    write(corpus.db, "prompts", {
        "query_no": pa.array(range(len(prompts)), pa.int32()),
        "query_id": pa.array([prompt.query_id for prompt in prompts], pa.string()),
        "folded": pa.array([lower(prompt.searched) for prompt in prompts], pa.string()),
        "searchable": pa.array([bool(prompt.searched) for prompt in prompts], pa.bool_()),
        "now": pa.array([prompt.now for prompt in prompts], pa.timestamp("us", "UTC")),
        "corpus_at": pa.array([prompt.corpus_at for prompt in prompts], pa.timestamp("us", "UTC")),
        "query_tokens": pa.array(tokens, pa.int32()),
    })  # fmt: skip
    create(corpus.db, "queries", "SELECT query_id, now, query_tokens FROM prompts")
    lexemes = [(number, lexeme) for number, query in enumerate(queries) for lexeme in query.lexemes]
    write(corpus.db, "query_lexemes", {
        "query_no": pa.array([number for number, _ in lexemes], pa.int32()),
        "lexeme": pa.array([lexeme for _, lexeme in lexemes], pa.string()),
    })  # fmt: skip


def _write_words(corpus: Corpus, prompts: Sequence[Prompt], queries: Sequence[AnyOf], depth: Depth) -> None:
    phrases = phrase_hits(corpus, queries)
    write(corpus.db, "phrase_hits", {
        "query_no": pa.array([query for query, _, _ in phrases], pa.int32()),
        "text_no": pa.array([text_no for _, text_no, _ in phrases], pa.int32()),
    })  # fmt: skip
    allowed = _allowed(corpus, corpus.addresses, prompts, depth)
    query, place = best_places(corpus, queries, phrases, depth.row_limit, allowed)
    write(corpus.db, "word_addresses", {"query_no": query, "place": place})
    weights = {"gist": depth.gist_weight, "question": depth.question_weight}
    allowed = _allowed(corpus, corpus.views, prompts, depth)
    query, place, pairs = best_views(corpus, queries, phrases, depth.row_limit, weights, allowed)
    write(corpus.db, "word_views", {"query_no": query, "place": place, "pairs": pairs})


def _allowed(corpus: Corpus, rows: Rows, prompts: Sequence[Prompt], depth: Depth) -> Mask | None:
    """Which rows of a corpus table are there for each prompt: of its domain, at its time; None: all."""
    shape = (len(prompts), len(rows.since))
    allowed = None
    if depth.domain is not None:
        allowed = np.broadcast_to(rows.domains == depth.domain, shape)
    if corpus.by_time:
        at = np.array([_microseconds(prompt.corpus_at) for prompt in prompts])[:, None]
        there = (rows.since <= at) & (at < rows.until)
        allowed = there if allowed is None else there & allowed
    return allowed


def _microseconds(at: datetime | None) -> int:
    """Since 1970; without a time the last moment that is still before the end of what has none."""
    return np.iinfo(np.int64).max - 1 if at is None else (at - _EPOCH) // timedelta(microseconds=1)


def _write_hits(corpus: Corpus, prompts: Sequence[Prompt]) -> None:
    """Where prompts occur in texts and keywords in prompts; equal prompts are looked up once."""
    numbers: dict[str, list[int]] = {}
    for number, prompt in enumerate(prompts):
        if prompt.searched:
            numbers.setdefault(lower(prompt.searched), []).append(number)
    distinct = list(numbers)
    texts, keywords = corpus.texts, corpus.keywords
    _write_pairs(corpus.db, "text_hits", (
        (number, texts.numbers[hit.text], hit)
        for hit in Patterns(distinct).find(texts.texts) for number in numbers[distinct[hit.pattern]]
    ))  # fmt: skip
    _write_pairs(corpus.db, "keyword_hits", (
        (number, keywords.numbers[hit.pattern], hit)
        for hit in corpus.keyword_patterns.find(distinct) for number in numbers[distinct[hit.text]]
    ))  # fmt: skip


def _write_pairs(db: Database, table: str, hits: Iterator[tuple[int, int, Hit]]) -> None:
    rows = [(query, text, hit.literal) for query, text, hit in hits]
    write(db, table, {
        "query_no": pa.array([query for query, _, _ in rows], pa.int32()),
        "text_no": pa.array([text for _, text, _ in rows], pa.int32()),
        "literal": pa.array([literal for _, _, literal in rows], pa.bool_()),
    })  # fmt: skip


def _write_near(corpus: Corpus, prompts: Sequence[Prompt], vectors: Floats | None, depth: Depth) -> None:
    for name, searched, rows in (
        ("views", corpus.view_vectors, corpus.views), ("terms", corpus.term_vectors, corpus.terms),
    ):  # fmt: skip
        numbers, near = _near(searched, vectors, depth.row_limit, _allowed(corpus, rows, prompts, depth))
        write(corpus.db, f"near_{name}", {
            "query_no": pa.array(numbers[near.query], pa.int32()),
            "place": pa.array(near.number, pa.int32()),
            "similarity": pa.array(near.similarity, pa.float64()),
        })  # fmt: skip


def _near(searched: Vectors, vectors: Floats | None, most: int, allowed: Mask | None) -> tuple[Any, Near]:
    if vectors is None or not len(searched.numbers) or vectors.shape[1] != searched.unit.shape[1]:
        return np.empty(0, np.int32), NONE_NEAR
    good = np.nonzero(usable(vectors))[0]
    mask = None if allowed is None else allowed[np.ix_(good, searched.numbers - 1)]
    return good.astype(np.int32), searched.nearest(unit(vectors[good]), most, mask)
