"""Which memories share words with a prompt: the candidates of the lexical signal and of the weakest exact tiers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from workbench.retrieve.best import best_of_rows
from workbench.retrieve.corpus import Corpus
from workbench.retrieve.nearest import Mask
from workbench.retrieve.postings import Counts
from workbench.textsearch.rank import pairs as count_pairs
from workbench.textsearch.tokenizer import AnyOf

Ints = npt.NDArray[np.int32]
# (query, text, occurrences) of a phrase.
PhraseHit = tuple[int, int, int]

_HOLDS_ALL = """
SELECT t.text_no, t.text
FROM (
    SELECT text_no FROM text_lexemes WHERE list_contains($parts::VARCHAR[], lexeme)
    GROUP BY text_no HAVING count(*) = len(list_distinct($parts::VARCHAR[]))
) AS x
JOIN texts AS t ON t.text_no = x.text_no
"""


def phrase_hits(corpus: Corpus, queries: Sequence[AnyOf]) -> list[PhraseHit]:
    """How often the phrases of each query stand whole in a text; few queries have one."""
    return [
        (number, text_no, times)
        for number, query in enumerate(queries)
        for phrase in query.phrases
        for text_no, text in corpus.db.rows(_HOLDS_ALL, {"parts": [part for part in phrase if part]})
        if (times := count_pairs(corpus.tokenizer.document(text), AnyOf((), (phrase,))))
    ]


def best_places(
    corpus: Corpus, queries: Sequence[AnyOf], phrases: Sequence[PhraseHit], most: int, allowed: Mask | None
) -> tuple[Ints, Ints]:
    """(query, place) of the first `most` addresses that match each query by their words, in order of place.

    `allowed` has shape (queries, addresses); None: all.
    """
    pairs = corpus.address_words.pairs([query.lexemes for query in queries])
    _add(pairs, phrases, corpus.address_texts)
    if allowed is not None:
        pairs[~allowed] = 0
    query, column = np.nonzero(pairs)
    first = np.arange(len(query)) - np.searchsorted(query, query) < most
    return query[first].astype(np.int32), (column[first] + 1).astype(np.int32)


def best_views(
    corpus: Corpus,
    queries: Sequence[AnyOf],
    phrases: Sequence[PhraseHit],
    most: int,
    weights: Mapping[str, float | None],
    allowed: Mask | None,
) -> tuple[Ints, Ints, Counts]:
    """(query, place, pairs) of at least the `most` best views of each query: rank times weight, then order of place.

    `weights` by view type, where not None, replace those of the views; `allowed` has shape (queries, views).
    """
    pairs = corpus.view_words.pairs([query.lexemes for query in queries])
    _add(pairs, phrases, corpus.view_texts)
    if allowed is not None:
        pairs[~allowed] = 0
    if not pairs.size:
        return (np.empty(0, np.int32),) * 3
    query, column = best_of_rows(_keys(corpus, pairs, weights), most)
    found = pairs[query, column]
    hit = found > 0
    return query[hit].astype(np.int32), (column[hit] + 1).astype(np.int32), found[hit]


def _add(pairs: Counts, phrases: Sequence[PhraseHit], texts: npt.NDArray[np.int64]) -> None:
    """Each complete occurrence of a phrase counts as one more pair."""
    for number, text_no, times in phrases:
        pairs[number, texts == text_no] += times


def _keys(corpus: Corpus, pairs: Counts, weights: Mapping[str, float | None]) -> npt.NDArray[np.int64]:
    """One integer an entry, ordered as in retrieve_lexical.sql: single-precision rank times weight, then place."""
    weight = corpus.view_weights.copy()
    for view_type, own in weights.items():
        if own is not None:
            weight[corpus.view_types == view_type] = own
    kinds, kind = np.unique(weight.astype(np.float32), return_inverse=True)
    scores = corpus.ranks.astype(np.float32)[None, :] * kinds[:, None]
    _, order = np.unique(scores, return_inverse=True)
    level = order.reshape(scores.shape)[kind[None, :], np.minimum(pairs, scores.shape[1] - 1)]
    width = pairs.shape[1]
    keys: npt.NDArray[np.int64] = level * np.int64(width) + np.arange(width - 1, -1, -1)
    return keys
