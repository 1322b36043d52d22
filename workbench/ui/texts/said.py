"""Sentences that the workbench generates in English, in the language of the session: found by the way they are built.

`<language>/said*.toml` hold pairs: an English sentence with {names} for what varies, and its translation.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path

from workbench.ui.literal import literal
from workbench.ui.texts import language

_FOLDER = Path(__file__).parent
_ENDS = re.compile(r"(?<=[.!?]) (?=[A-Z])")
_COMMAND = re.compile(r"`(workbench [\w ./:=,-]*)`")
_MOST_HELD = 20_000
_NAME = re.compile(r"\{(\w+)\}")


def said(english: str) -> str:
    """A generated text as Markdown in the language of the session; a sentence that no pair knows stays English."""
    return marked(said_plainly(english))


def marked(text: str) -> str:
    """A text as Markdown: commands of the workbench stand as code, all else as it is."""
    parts = _COMMAND.split(text)
    return "".join(f"`{part}`" if place % 2 else literal(part) for place, part in enumerate(parts))


def said_plainly(english: str, code: str | None = None) -> str:
    """The same for places that know no Markdown; `code` names another language."""
    return _translated(english, code or language())


@lru_cache(_MOST_HELD)
def _translated(english: str, code: str) -> str:
    """Sentence by sentence where all of them are known, else the whole as one, else what is known of it."""
    sentences = _ENDS.split(english)
    found = [_paired(one, code) for one in sentences]
    if None in found and len(found) > 1:
        whole = _paired(english, code)
        if whole is not None:
            return whole
    return together([one if own is None else own for one, own in zip(sentences, found, strict=True)])


def _paired(english: str, code: str) -> str | None:
    """The translation of the first pair that `english` is built like; None where none is."""
    for pattern, sentence in _pairs(code):
        if found := pattern.fullmatch(english):
            return sentence.format(**{name: _translated(part, code) for name, part in found.groupdict().items()})
    return None


def together(sentences: Sequence[str]) -> str:
    """Sentences one after the other, as text or as Markdown; a space follows those that end as English ones do."""
    spaced = [one + " " if one.endswith((".", "!", "?")) else one for one in sentences]
    return "".join(spaced).removesuffix(" ")


@cache
def _pairs(code: str) -> list[tuple[re.Pattern[str], str]]:
    """The pairs of a language; those with most words of their own come first, so that none is taken for a wider one."""
    files = sorted((_FOLDER / code).glob("said*.toml"))
    held = [pair for file in files for pair in tomllib.loads(file.read_text("utf-8")).items()]
    held.sort(key=lambda pair: -len(_NAME.sub("", pair[0])))
    return [(_pattern(english), sentence) for english, sentence in held]


def _pattern(english: str) -> re.Pattern[str]:
    parts = _NAME.split(english)
    named = [f"(?P<{part}>.*)" if place % 2 else re.escape(part) for place, part in enumerate(parts)]
    return re.compile("".join(named), re.DOTALL)
