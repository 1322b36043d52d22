"""What a tokenizer promises; `simple` and `jieba` keep it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class AnyOf:
    """A query that matches a document which holds one of `lexemes` (distinct, in order of appearance) or of `phrases`.

    A phrase is lexemes at successive positions, an empty string among them any one position; none of its lexemes is
    among `lexemes`, and it holds no other phrase. The rank counts (lexeme, position) pairs of the document and each
    complete occurrence of a phrase (recall semantics, section 9). Neither: the query matches nothing.
    """

    lexemes: tuple[str, ...]
    phrases: tuple[tuple[str, ...], ...] = ()


class Tokenizer(Protocol):
    """Text to lexemes, on the side of the documents and on that of the queries."""

    @property
    def name(self) -> str:
        """`simple` or `jieba`."""

    def document(self, text: str) -> Mapping[str, Sequence[int]]:
        """Lexeme to its positions, ascending from 1, at most 255 a lexeme (`to_tsvector`)."""

    def query(self, text: str) -> Sequence[str]:
        """The parts of the query in order, duplicates kept (`plainto_tsquery`); their number is `query_tokens`."""

    def any_of(self, text: str) -> AnyOf:
        """The query that recall makes of `text`: its parts joined by OR, each tokenised once more."""
