"""The part of a text that shows why it was found."""

from __future__ import annotations

import re
from collections.abc import Sequence

_MOST_WORDS = 25
_BEFORE = 8


def snippet(text: str, lexemes: Sequence[str]) -> str | None:
    """Up to 25 words of `text` around the first of `lexemes`, each of these between <b> and </b>; its beginning where
    none stands in it, None where it is empty."""
    if not text.strip():
        return None
    pattern = re.compile("|".join(rf"(?<!\w){re.escape(lexeme)}(?!\w)" for lexeme in lexemes) or r"(?!)", re.IGNORECASE)
    words = list(re.finditer(r"\S+", text))
    hit = pattern.search(text)
    at = next((n for n, word in enumerate(words) if hit and word.end() > hit.start()), 0)
    first = max(0, min(at - _BEFORE, len(words) - _MOST_WORDS))
    shown = words[first : first + _MOST_WORDS]
    return pattern.sub(lambda match: f"<b>{match[0]}</b>", text[shown[0].start() : shown[-1].end()])
