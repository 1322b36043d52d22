"""The parts of a text that show why it was found, as PostgreSQL's `ts_headline` chooses them with fragments.

A cover is a stretch that begins with a word of the query and ends where the query is satisfied. The covers with the
most words of the query, and among these the shortest, are stretched to both sides and shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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
    """A token or what stands between two: what is shown of it, whether it counts as a word, which word of the query it
    is, and whether it may end a fragment. A compound is shown and counted by its parts."""

    text: str
    word: bool
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
    found = _pieces(text, set(lexemes))
    fragments = list(_fragments(found, set(lexemes))) or [(0, _first_words(found))]
    shown = BETWEEN.join(
        "".join(f"<b>{piece.text}</b>" if piece.hit and piece.text else piece.text for piece in found[first : last + 1])
        for first, last in sorted(fragments)
    )
    return _BREAKS.sub(" ", shown) or None


def _pieces(text: str, lexemes: set[str]) -> list[_Piece]:
    found = []
    for piece in pieces(text):
        part = text[piece.start : piece.end]
        hit = lower(part) if piece.indexed and lower(part) in lexemes else None
        word = not piece.compound and (piece.indexed or _PROTOCOL.fullmatch(part) is not None)
        ends = word and piece.indexed and len(part.encode()) > _SHORT and not _NUMBER.fullmatch(part)
        found.append(_Piece("" if piece.compound else part, word, hit, ends or hit is not None))
    return found


def _first_words(found: Sequence[_Piece]) -> int:
    words, last = 0, -1
    for number, piece in enumerate(found):
        if words >= LEAST_WORDS:
            break
        words += piece.word
        last = number
    return last


def _fragments(found: Sequence[_Piece], lexemes: set[str]) -> Iterator[tuple[int, int]]:
    """(first, last) of the fragments to show, the best first; they do not overlap."""
    left = [part for first, last in _covers(found, lexemes) for part in _parts(found, first, last)]
    shown: set[int] = set()
    for _ in range(FRAGMENTS):
        if not left:
            return
        best = min(left, key=lambda cover: (-cover.hits, cover.words))
        first, last = _stretched(found, best, shown)
        shown.update(range(first, last + 1))
        left = [cover for cover in left if cover.last < first or cover.first > last]
        yield first, last


def _covers(found: Sequence[_Piece], lexemes: set[str]) -> Iterator[tuple[int, int]]:
    """(first, last) of the cover that begins at each word of the query, where one does."""
    hits = [number for number, piece in enumerate(found) if piece.hit]
    for place, first in enumerate(hits):
        held: set[str] = set()
        for last in hits[place:]:
            if last - first >= _LONGEST_COVER:
                break
            held.add(found[last].hit or "")
            if held == lexemes:
                yield first, last
                break


def _parts(found: Sequence[_Piece], first: int, last: int) -> Iterator[_Cover]:
    """A cover in parts of at most MOST_WORDS words that begin and end with a word of the query."""
    while first <= last:
        while not found[first].hit:
            first += 1
        end, words = first, 0
        while end <= last and words < MOST_WORDS:
            words += found[end].word
            end += 1
        end -= 1
        if end < last:
            while not found[end].hit:
                words -= found[end].word
                end -= 1
        yield _Cover(first, end, words, sum(piece.hit is not None for piece in found[first : end + 1]))
        first = end + 1


def _stretched(found: Sequence[_Piece], cover: _Cover, shown: set[int]) -> tuple[int, int]:
    """The cover with words before it, half of those that are missing, and behind it, without bad ends."""
    first, last, words = cover.first, cover.last, cover.words
    before, start = (MOST_WORDS - words) // 2, first
    while before > 0 and start > 0 and start - 1 not in shown:
        start -= 1
        before -= found[start].word
        words += found[start].word
    while start < first and not found[start].good_end:
        words -= found[start].word
        start += 1
    end = last
    while words < MOST_WORDS and end + 1 < len(found) and end + 1 not in shown:
        end += 1
        words += found[end].word
    while end > last and not found[end].good_end:
        end -= 1
    return start, end
