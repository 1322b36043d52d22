"""Sentences that the workbench generates in English, in the language of the session: found by the way they are built.

`<language>/said*.toml` hold pairs: an English sentence with {names} for what varies, and its translation.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path

from workbench.ui.literal import literal
from workbench.ui.texts import language

_FOLDER = Path(__file__).parent
_ENDS = re.compile(r"(?<=[.!?]) (?=[A-Z])")
_NAME = re.compile(r"\{(\w+)\}")


def said(english: str) -> str:
    """A generated text as Markdown in the language of the session; a sentence that no pair knows stays English."""
    return literal(said_plainly(english))


def said_plainly(english: str, code: str | None = None) -> str:
    """The same for places that know no Markdown; `code` names another language."""
    pairs = _pairs(code or language())
    return _translated(english, pairs) if pairs else english


def _translated(english: str, pairs: list[tuple[re.Pattern[str], str]]) -> str:
    for pattern, sentence in pairs:
        if found := pattern.fullmatch(english):
            return sentence.format(**{name: _translated(part, pairs) for name, part in found.groupdict().items()})
    sentences = _ENDS.split(english)
    return _joined([_translated(one, pairs) for one in sentences]) if len(sentences) > 1 else english


def _joined(sentences: list[str]) -> str:
    """Sentences one after the other; a space follows those that end as English ones do."""
    spaced = [one + " " if one.endswith((".", "!", "?")) else one for one in sentences]
    return "".join(spaced).removesuffix(" ")


@cache
def _pairs(code: str) -> list[tuple[re.Pattern[str], str]]:
    files = sorted((_FOLDER / code).glob("said*.toml"))
    held = [pair for file in files for pair in tomllib.loads(file.read_text("utf-8")).items()]
    return [(_pattern(english), sentence) for english, sentence in held]


def _pattern(english: str) -> re.Pattern[str]:
    parts = _NAME.split(english)
    named = [f"(?P<{part}>.*)" if place % 2 else re.escape(part) for place, part in enumerate(parts)]
    return re.compile("".join(named), re.DOTALL)
