"""The parts of a text that show why it was found, as PostgreSQL's `ts_headline` chooses them with fragments.

A cover is a stretch that begins with a word of the query and ends where the query is satisfied. The covers with the
most words of the query, and among these the shortest, are stretched to both sides and shown. This is how PostgreSQL 15
chooses them; from 16 on the covers are others.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from workbench.textsearch.characters import lower
from workbench.textsearch.grammar import pieces

FRAGMENTS = 2
MOST_WORDS = 25
LEAST_WORDS = 8
BETWEEN = "…"
_SHORT = 3  # bytes; such a word is no good end
_NUMBER = re.compile(r"[-+]?\d+(\.\d+)*([eE][-+]?\d+)?")
_BREAKS = re.compile(r"[\t\r\n]+")
_PROTOCOL = re.compile("[A-Za-z]+://")
_LONGEST_COVER = max(10 * MOST_WORDS, 100) * FRAGMENTS


@dataclass(frozen=True)
class _Piece:
    """A token or what stands between two: what is shown of it, how many words it counts as, which word of the query it
    is, and whether it may end a fragment. A compound is shown and counted by its parts, a word of the query as often as
    it stands there."""

    text: str
    words: int
    hit: str | None
    good_end: bool


@dataclass
class _Cover:
    first: int
    last: int
    words: int
    hits: int


def snippet(text: str, lexemes: Sequence[str]) -> str | None:
    """At most two fragments of `text` with words of the query between <b> and </b>; its first words where it does not
    hold all of `lexemes`, None where it is empty."""
    times = Counter(lexemes)
    found = _pieces(text, times)
    fragments = sorted(_fragments(found, set(times))) or [(0, _first_words(found))]
    shown = "".join(
        ("" if first == before + 1 else BETWEEN) + _marked(found[first : last + 1])
        for (_, before), (first, last) in pairwise([(0, fragments[0][0] - 1), *fragments])
    )
    return _BREAKS.sub(" ", shown) or None


def _marked(found: Sequence[_Piece]) -> str:
    return "".join(f"<b>{piece.text}</b>" if piece.hit and piece.text else piece.text for piece in found)


def _pieces(text: str, times: Mapping[str, int]) -> list[_Piece]:
    found = []
    for piece in pieces(text):
        part = text[piece.start : piece.end]
        hit = lower(part) if piece.indexed and lower(part) in times else None
        word = not piece.compound and (piece.indexed or _PROTOCOL.fullmatch(part) is not None)
        ends = word and piece.indexed and len(part.encode()) > _SHORT and not _NUMBER.fullmatch(part)
        words = word * (times[hit] if hit else 1)
        found.append(_Piece("" if piece.compound else part, words, hit, ends or hit is not None))
    return found


def _first_words(found: Sequence[_Piece]) -> int:
    words, last = 0, -1
    for number, piece in enumerate(found):
        if words >= LEAST_WORDS:
            break
        words += piece.words
        last = number
    return last


def _fragments(found: Sequence[_Piece], wanted: set[str]) -> Iterator[tuple[int, int]]:
    """(first, last) of the fragments to show, the best first; they do not overlap."""
    left = [part for first, last in _covers(found, wanted) for part in _parts(found, first, last)]
    shown: set[int] = set()
    for _ in range(FRAGMENTS):
        if not left:
            return
        best = min(left, key=lambda cover: (-cover.hits, cover.words))
        first, last = _stretched(found, best, shown)
        shown.update(range(first, last + 1))
        left = [cover for cover in left if cover.last < first or cover.first > last]
        yield first, last


def _covers(found: Sequence[_Piece], wanted: set[str]) -> Iterator[tuple[int, int]]:
    """(first, last) of the cover that begins at each word of the query, where one does."""
    hits = [number for number, piece in enumerate(found) if piece.hit]
    for place, first in enumerate(hits):
        held: set[str | None] = set()
        for last in hits[place:]:
            if last - first >= _LONGEST_COVER:
                break
            held.add(found[last].hit)
            if held == wanted:
                yield first, last
                break


def _parts(found: Sequence[_Piece], first: int, last: int) -> Iterator[_Cover]:
    """A cover in parts of at most MOST_WORDS words that begin and end with a word of the query."""
    while first <= last:
        while not found[first].hit:
            first += 1
        end, words = first, 0
        while end <= last and words < MOST_WORDS:
            words += found[end].words
            end += 1
        # As on the server, the piece behind the last one is the first to be looked at, though it was not counted.
        while end < last and not found[end].hit:
            words -= found[end].words
            end -= 1
        end = min(end, last)
        yield _Cover(first, end, words, sum(piece.hit is not None for piece in found[first : end + 1]))
        first = end + 1


def _stretched(found: Sequence[_Piece], cover: _Cover, shown: set[int]) -> tuple[int, int]:
    """The cover with words before it, half of those that are missing, and behind it, without bad ends."""
    first, last, words = cover.first, cover.last, cover.words
    before, start = (MOST_WORDS - words) // 2, first
    while before > 0 and start > 0 and start - 1 not in shown:
        start -= 1
        before -= found[start].words
        words += found[start].words
    while start < first and not found[start].good_end:
        words -= found[start].words
        start += 1
    end = last
    while words < MOST_WORDS and end + 1 < len(found) and end + 1 not in shown:
        end += 1
        words += found[end].words
    while end > last and not found[end].good_end:
        end -= 1
    return start, end
