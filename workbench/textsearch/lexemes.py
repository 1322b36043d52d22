"""What documents and queries of all text search configurations have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from workbench.textsearch.tokenizer import AnyOf

_MOST_POSITIONS = 255
_LAST_POSITION = 16383


def positions(parts: Iterable[str | None]) -> dict[str, list[int]]:
    """Lexeme to its positions, ascending from 1, from the parts of a text in order; a stop word is None.

    Positions from 16,383 on are one; of a lexeme the first 255 are kept.
    """
    found: dict[str, list[int]] = {}
    for position, part in enumerate(parts, 1):
        if part is not None:
            places = found.setdefault(part, [])
            if len(places) < _MOST_POSITIONS and (position <= _LAST_POSITION or places[-1:] != [_LAST_POSITION]):
                places.append(min(position, _LAST_POSITION))
    return found


def any_of(parts: Iterable[str], again: Callable[[str], Sequence[str | None]]) -> AnyOf:
    """The OR of `parts`, each of which is taken apart once more by `again`.

    A part that falls into several becomes a phrase. Of the phrases those are kept that can add to what the lexemes
    match and rank: a phrase that holds a lexeme, or another phrase, never does.
    """
    lexemes: dict[str, None] = {}
    phrases: dict[tuple[str, ...], None] = {}
    for part in dict.fromkeys(parts):
        pieces = again(part)
        while pieces and pieces[-1] is None:
            pieces = pieces[:-1]
        while pieces and pieces[0] is None:
            pieces = pieces[1:]
        if len(pieces) > 1:
            phrases[tuple(piece or "" for piece in pieces)] = None
        elif pieces:
            lexemes[pieces[0] or ""] = None
    adding = [phrase for phrase in phrases if lexemes.keys().isdisjoint(phrase)]
    return AnyOf(
        tuple(lexemes),
        tuple(phrase for phrase in adding if not any(_holds(phrase, other) for other in adding)),
    )


def _holds(phrase: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether `other` is a proper part of `phrase`."""
    starts = range(len(phrase) - len(other) + 1)
    return phrase != other and any(phrase[start : start + len(other)] == other for start in starts)
