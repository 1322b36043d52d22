"""Which memories share words with a prompt: the candidates of the lexical signal and of the weakest exact tiers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from workbench.retrieve.best import best_of_rows
from workbench.retrieve.corpus import Corpus
from workbench.retrieve.postings import Counts
from workbench.textsearch.rank import pairs as count_pairs
from workbench.textsearch.tokenizer import AnyOf

Ints = npt.NDArray[np.int32]

_HOLDS_ALL = """
SELECT v.place, t.text
FROM (
    SELECT text_no FROM text_lexemes WHERE list_contains($parts::VARCHAR[], lexeme)
    GROUP BY text_no HAVING count(*) = len(list_distinct($parts::VARCHAR[]))
) AS x
JOIN texts AS t ON t.text_no = x.text_no
JOIN corpus_views AS v ON v.text_no = x.text_no
"""


def best_places(
    corpus: Corpus, queries: Sequence[AnyOf], most: int, allowed: Sequence[int] | None
) -> tuple[Ints, Ints]:
    """(query, place) of the first `most` addresses that share a lexeme with each query, in order of place."""
    words = corpus.address_words
    pairs = words.postings.pairs([query.lexemes for query in queries])
    _forbid(pairs, allowed)
    query, column = np.nonzero(pairs)
    nth = np.arange(len(query)) - np.searchsorted(query, query)
    first = nth < most
    return query[first].astype(np.int32), words.places[column[first]].astype(np.int32)


def best_views(
    corpus: Corpus,
    queries: Sequence[AnyOf],
    most: int,
    weights: Mapping[str, float | None],
    allowed: Sequence[int] | None,
) -> tuple[Ints, Ints, Counts]:
    """(query, place, pairs) of at least the `most` best views of each query: rank times weight, then order of place.

    `weights` by view type, where not None, replace those of the views.
    """
    words = corpus.view_words
    pairs = words.postings.pairs([query.lexemes for query in queries])
    _add_phrases(corpus, queries, pairs)
    _forbid(pairs, allowed)
    if not pairs.shape[1]:
        return (np.empty(0, np.int32),) * 3
    query, column = best_of_rows(_keys(corpus, pairs, weights), most)
    found = pairs[query, column]
    hit = found > 0
    return query[hit].astype(np.int32), words.places[column[hit]].astype(np.int32), found[hit]


def _forbid(pairs: Counts, allowed: Sequence[int] | None) -> None:
    if allowed is not None:
        forbidden = np.ones(pairs.shape[1], dtype=bool)
        forbidden[np.array(allowed, np.int64) - 1] = False
        pairs[:, forbidden] = 0


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


def _add_phrases(corpus: Corpus, queries: Sequence[AnyOf], pairs: Counts) -> None:
    """Each complete occurrence of a phrase counts as one more pair; few queries have one."""
    for number, query in enumerate(queries):
        for phrase in query.phrases:
            for place, text in corpus.db.rows(_HOLDS_ALL, {"parts": [part for part in phrase if part]}):
                pairs[number, place - 1] += count_pairs(corpus.tokenizer.document(text), AnyOf((), (phrase,)))
