"""`ts_rank_cd(document, query, 32)` for queries joined by AND: cover density, after Clarke, Cormack and Tudhope.

A cover is a shortest stretch of the document that holds every lexeme of the query. Each counts the more, the weightier
its words are and the fewer other words stand among them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

# The classes of weight, as single-precision numbers: D, C, B, A.
WEIGHTS = {"D": float(np.float32(0.1)), "C": float(np.float32(0.2)), "B": float(np.float32(0.4)), "A": 1.0}

# A position and the class of its weight.
Place = tuple[int, str]


def cover_density(document: Mapping[str, Sequence[Place]], lexemes: Sequence[str]) -> float:
    """The rank of `document`, 0 to 1; 0 where it lacks a lexeme or `lexemes` is empty.

    The sum over all covers of (words of the query in it / sum of their inverse weights) / (1 + other words in it), as a
    share of itself plus one, in single precision, read as its shortest decimal number.
    """
    wanted = set(lexemes)
    if not wanted or not wanted <= document.keys():
        return 0.0
    words = sorted((position, weight, lexeme) for lexeme in wanted for position, weight in document[lexeme])
    total = sum(_density(words[first : last + 1]) for first, last in covers([word[2] for word in words], wanted))
    return float(str(np.float32(total / (total + 1.0))))


def covers(words: Sequence[str], wanted: set[str]) -> list[tuple[int, int]]:
    """(first, last) of each shortest stretch of `words` that holds all of `wanted`, in order."""
    found = []
    missing, counts = len(wanted), dict.fromkeys(wanted, 0)
    first = 0
    for last, word in enumerate(words):
        missing -= counts[word] == 0
        counts[word] += 1
        if missing:
            continue
        while counts[words[first]] > 1:
            counts[words[first]] -= 1
            first += 1
        found.append((first, last))
        counts[words[first]] -= 1
        missing += 1
        first += 1
    return found


def _density(cover: Sequence[tuple[int, str, str]]) -> float:
    inverse = sum(1.0 / WEIGHTS[weight] for _, weight, _ in cover)
    others = (cover[-1][0] - cover[0][0]) - (len(cover) - 1)
    if others < 0:
        others = (len(cover) - 1) // 2
    return len(cover) / inverse / (1.0 + others)
