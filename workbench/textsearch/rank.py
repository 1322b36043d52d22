"""`ts_rank_cd(document, query, 32)` for queries joined by OR: it depends on one count alone (recall semantics, 9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from workbench.textsearch.tokenizer import AnyOf

_ONE = 1.0 / (1.0 / float(np.float32(0.1)))


def pairs(document: Mapping[str, Sequence[int]], query: AnyOf) -> int:
    """How many (lexeme, position) pairs of the query stand in `document`, complete phrases added; 0: no match."""
    lexemes = sum(len(document.get(lexeme, ())) for lexeme in query.lexemes)
    return lexemes + sum(_occurrences(document, phrase) for phrase in query.phrases)


def rank_of(count: int) -> float:
    """The rank of a document with `count` pairs, 0 to 1: float32(r / (1 + r)), r = 0.1 added up `count` times.

    As the server's clients read it: the double of the shortest decimal number that means this float32.
    """
    return float(ranks(max(count, 1023))[count])


@lru_cache(maxsize=8)
def ranks(most: int) -> NDArray[np.float64]:
    """The ranks of 0 to `most` pairs; read-only."""
    total = np.concatenate([[0.0], np.cumsum(np.full(most, _ONE))])
    table = np.array([float(str(rank)) for rank in (total / (total + 1.0)).astype(np.float32)])
    table.flags.writeable = False
    return table


def _occurrences(document: Mapping[str, Sequence[int]], phrase: Sequence[str]) -> int:
    """How often the parts of `phrase` follow each other; an empty part is any one position."""
    places = [(offset, set(document.get(part, ()))) for offset, part in enumerate(phrase) if part]
    first, *rest = places
    return sum(all(start + offset in places for offset, places in rest) for start in first[1])
