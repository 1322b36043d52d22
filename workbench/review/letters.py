"""Letters that look alike to a person and differ to the server, such as full-width ones."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from workbench.textsearch.characters import lower

_LEAST = 2


def written_otherwise(text: str, keywords: Sequence[str]) -> tuple[str, str] | None:
    """The first of `keywords` that stands in `text` in other forms of the same letters only, and how it stands there;
    None where there is none. The server does not fold such forms, so it does not find the keyword."""
    folded, places = _folded(text)
    plain = lower(text)
    for keyword in keywords:
        wanted = _folded(keyword)[0]
        if len(wanted) >= _LEAST and lower(keyword) not in plain and (at := folded.find(wanted)) >= 0:
            return keyword, text[places[at] : places[at + len(wanted) - 1] + 1]
    return None


def _folded(text: str) -> tuple[str, list[int]]:
    """`text` with every form of a letter as the plain one, in lower case, and the place of each letter in `text`."""
    parts = [unicodedata.normalize("NFKC", lower(character)).lower() for character in text]
    return "".join(parts), [place for place, part in enumerate(parts) for _ in part]
