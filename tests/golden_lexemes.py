"""Texts of tsvector and tsquery of the real server, read into lexemes."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from workbench.textsearch import AnyOf

_QUOTED = r"'(?:[^'\\]|''|\\.)*'"
_ENTRY = re.compile(rf"({_QUOTED})(?::([0-9A-D,]+))?", re.DOTALL)
_PART = re.compile(rf"{_QUOTED}|<(?:-|\d+)>|\|", re.DOTALL)


def records(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of a JSONL file, packed or not."""
    raw = path.read_bytes()
    text = gzip.decompress(raw) if path.suffix == ".gz" else raw
    yield from map(json.loads, text.decode("utf-8").splitlines())


def vector(text: str) -> dict[str, list[int]]:
    """Lexeme to positions of a tsvector; weights are left out."""
    return {_plain(lexeme): [int(place.rstrip("ABCD")) for place in places.split(",")]
            for lexeme, places in _ENTRY.findall(text)}  # fmt: skip


def lexemes(text: str) -> list[str]:
    """The lexemes of a tsquery in order."""
    return [_plain(lexeme) for lexeme in re.findall(_QUOTED, text, re.DOTALL)]


def any_query(text: str) -> AnyOf:
    """A tsquery of lexemes and phrases joined by OR, with the phrases that can add to it."""
    alternatives: list[list[str]] = [[]]
    for part in _PART.findall(text):
        if part == "|":
            alternatives.append([])
        elif part.startswith("<"):
            distance = 1 if part == "<->" else int(part[1:-1])
            alternatives[-1] += [""] * (distance - 1)
        else:
            alternatives[-1].append(_plain(part))
    alone = dict.fromkeys(parts[0] for parts in alternatives if len(parts) == 1)
    phrases = dict.fromkeys(tuple(parts) for parts in alternatives if len(parts) > 1)
    return AnyOf(tuple(alone), tuple(phrase for phrase in phrases if alone.keys().isdisjoint(phrase)))


def _plain(quoted: str) -> str:
    return quoted[1:-1].replace("''", "'").replace("\\\\", "\\")
