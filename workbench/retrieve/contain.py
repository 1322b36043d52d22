"""Which patterns occur in which texts, with `%`, `_` and `\\` acting as in LIKE: near linear in the characters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ahocorasick_rs import AhoCorasick

_WILD = frozenset("%_\\")


@dataclass(frozen=True)
class Hit:
    """Pattern number and text number of a match; `literal` when the pattern's own characters stand in the text."""

    pattern: int
    text: int
    literal: bool


@dataclass(frozen=True)
class Like:
    """The LIKE pattern `%pattern%`: `anchor` is its longest run without wildcards, "" where it has none."""

    pattern: str

    @property
    def anchor(self) -> str:
        """Every matching text contains it."""
        return max(re.split("\0|%", self._atoms), key=len, default="")

    def matches(self, text: str) -> bool:
        """Whether `text` matches; segments between `%` are taken at the leftmost place, which is exhaustive."""
        start = 0
        for number, segment in enumerate(self._segments):
            last = number == len(self._segments) - 1
            found = segment.search(text, start) if not (last and self._at_the_end) else self._final(text, start)
            if found is None:
                return False
            start = found.end()
        return True

    def _final(self, text: str, start: int) -> re.Match[str] | None:
        """The last segment where it ends with the text: a backslash at the end of the pattern escapes the last `%`."""
        length = len(self._parts[-1])
        return self._segments[-1].match(text, len(text) - length) if len(text) - length >= start else None

    @cached_property
    def _parts(self) -> list[list[str | None]]:
        """The characters of each run between `%`, None for `_`."""
        parts: list[list[str | None]] = [[]]
        characters = iter(self.pattern + "%")
        for character in characters:
            if character == "%":
                parts.append([])
            elif character == "_":
                parts[-1].append(None)
            else:
                parts[-1].append(next(characters) if character == "\\" else character)
        return parts if self._at_the_end else parts[:-1]

    @cached_property
    def _at_the_end(self) -> bool:
        """Whether the closing `%` is escaped and so a character."""
        return (len(self.pattern) - len(self.pattern.rstrip("\\"))) % 2 == 1

    @cached_property
    def _atoms(self) -> str:
        return "%".join("".join("\0" if atom is None else atom for atom in part) for part in self._parts)

    @cached_property
    def _segments(self) -> list[re.Pattern[str]]:
        return [
            re.compile("".join("." if atom is None else re.escape(atom) for atom in part), re.DOTALL)
            for part in self._parts
        ]


class Patterns:
    """Patterns that are looked for in many texts at once; built once, it serves any number of texts.

    Both sides are compared as they are: hand them in lower case. An empty pattern occurs in every text.
    """

    def __init__(self, patterns: Sequence[str]) -> None:
        self._patterns = patterns
        self._wild = {number: Like(pattern) for number, pattern in enumerate(patterns) if _WILD.intersection(pattern)}
        anchors = [self._wild[n].anchor if n in self._wild else pattern for n, pattern in enumerate(patterns)]
        self._everywhere = [number for number, anchor in enumerate(anchors) if not anchor]
        self._searched = [number for number, anchor in enumerate(anchors) if anchor]
        self._automaton = AhoCorasick([anchors[number] for number in self._searched], store_patterns=False)

    def find(self, texts: Sequence[str]) -> Iterator[Hit]:
        """Each (pattern, text) pair of which the text matches `%pattern%`, once, by text and pattern."""
        for text_number, text in enumerate(texts):
            found = self._automaton.find_matches_as_indexes(text, overlapping=True)
            near = {self._searched[number] for number, _, _ in found} if found else ()
            for number in (*self._everywhere, *sorted(near)) if near or self._everywhere else ():
                if number not in self._wild:
                    yield Hit(number, text_number, True)
                elif self._wild[number].matches(text):
                    yield Hit(number, text_number, self._patterns[number] in text)
