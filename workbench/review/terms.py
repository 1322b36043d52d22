"""Terms that would make a memory match: frequent in the prompts that missed it, rare in all others."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log

from workbench.store import Database, sql_text
from workbench.text import trimmed
from workbench.textsearch import NAMES, tokenizer
from workbench.textsearch.characters import lower

_LEAST_LETTERS = 2
_MOST_CANDIDATES = 60
_LEAST_PRECISION = 0.2
_LEAST_MISSED = 2
_LEAST_WEIGHT = 1 / 3
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True)
class Term:
    """A term that stands in `missed` of the memory's missed prompts and in `others` of all other prompts."""

    text: str
    missed: int
    others: int


def suggested(
    db: Database, node: str, searched: Sequence[str], keywords: Sequence[str], own: str, prompts: int, most: int = 5
) -> list[Term]:
    """Terms for the memory `node`, best first: words of both tokenizers, and two words that follow each other.

    `searched` are its missed prompts as they were searched, `keywords` what it has already, `own` its text, `prompts`
    how many prompts there are. A term of its own text counts twice, because it is about the memory for sure; terms that
    are much weaker than the best are left out. Of the prompts that hold a term, a fifth at least have to be missed
    ones: else it would draw the memory into others. The tables misses and judged_prompts hold what is counted.
    """
    known = {lower(keyword) for keyword in keywords}
    counts = Counter(term for text in searched for term in set(_words(lower(text))))
    first = sorted((term for term in counts if term not in known), key=lambda term: (-counts[term], -len(term), term))
    if not first:
        return []
    db.execute("CREATE OR REPLACE TEMP TABLE term_candidates (term VARCHAR)")
    db.append("term_candidates", [{"term": term} for term in first[:_MOST_CANDIDATES]])
    longest = max(map(len, searched))
    found = [Term(*row) for row in db.rows(sql_text("review/term_counts"), {"node": node, "chars": longest})]
    least = min(_LEAST_MISSED, len(searched))
    weights = {
        term: term.missed * log((prompts + 1) / (term.others + 1)) * (2 if term.text in lower(own) else 1)
        for term in found
        if term.missed >= max(least, _LEAST_PRECISION * (term.missed + term.others))
    }
    best = sorted(weights, key=lambda term: (-weights[term], len(term.text), term.text))
    return _distinct([term for term in best if weights[term] >= _LEAST_WEIGHT * weights[best[0]]])[:most]


def _distinct(terms: Sequence[Term]) -> list[Term]:
    """Without terms that stand in the same prompts as a better one which holds them, or which they hold."""
    kept: list[Term] = []
    for term in terms:
        if not any(
            (term.text in other.text or other.text in term.text) and term.missed <= other.missed for other in kept
        ):
            kept.append(term)
    return kept


def _words(text: str) -> Iterator[str]:
    """Words of `text`, as its letters stand there: a keyword matches by its letters alone."""
    for name in NAMES:
        for word in tokenizer(name).query(trimmed(text)):
            if len(word) >= _LEAST_LETTERS and _LETTER.search(word) and word in text:
                yield word
    parts = re.findall(r"[^\W_]+", text)
    for left, right in pairwise(parts):
        pair = f"{left} {right}"
        if _LETTER.search(left) and _LETTER.search(right) and pair in text:
            yield pair
