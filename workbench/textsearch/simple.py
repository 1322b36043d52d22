"""Text search configuration `simple` of PostgreSQL: its default parser, and lower case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workbench.textsearch.characters import lower
from workbench.textsearch.grammar import tokens
from workbench.textsearch.lexemes import any_of, positions
from workbench.textsearch.tokenizer import AnyOf

_LONGEST = 2046  # bytes; longer tokens are left out, and count no position


class Simple:
    """Satisfies `Tokenizer`; any text is accepted, a lone surrogate counts as U+FFFD and a NUL as a blank."""

    name = "simple"

    def document(self, text: str) -> Mapping[str, Sequence[int]]:
        """`to_tsvector('simple', text)`."""
        return positions(self.query(text))

    def query(self, text: str) -> list[str]:
        """The lexemes of `plainto_tsquery('simple', text)` in order."""
        found = tokens(text)
        if 4 * len(text) > _LONGEST:
            found = [token for token in found if 4 * len(token) <= _LONGEST or len(token.encode()) <= _LONGEST]
        return lower("\n".join(found)).split("\n") if found else []

    def any_of(self, text: str) -> AnyOf:
        """The lexemes of `text` joined by OR, each taken as a text of its own as `to_tsquery` does."""
        return any_of(self.query(text), self._again)

    def _again(self, lexeme: str) -> list[str]:
        # What Python takes for letters, PostgreSQL does too: one word.
        return [lexeme] if lexeme.isalpha() else self.query(lexeme)
