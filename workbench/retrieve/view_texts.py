"""The texts of views that are rebuilt from memories, and what is embedded for a keyword."""

from __future__ import annotations

import re
from collections.abc import Sequence

from workbench.retrieve.embeddings import normalise

_CONTENT_UNITS = 420
_DISCLOSURE_UNITS = 140

_LATIN = re.compile("[A-Za-z\u00c0-\u024f]+")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_KANA = re.compile("[\u3041-\u30ff]")
_LETTERS = re.compile(r"[^\W\d_]+")
_SEPARATORS = re.compile("[/_-]+")

# About the path, the disclosure, the first keyword; the last where two of these are lacking.
_QUESTIONS = {
    "english": (
        "What is noted about {path}?",
        "What matters in this case: {disclosure}?",
        "What is there to know of {term}?",
        "Where does {domain} speak of {name}?",
    ),
    "chinese": (
        "{path} 有哪些记录？",
        "遇到“{disclosure}”的情况要注意什么？",
        "{term} 是怎么回事？",
        "{domain} 里哪里说到 {name}？",
    ),
    "other": ("{path}?", "{disclosure}?", "{term}?", "{domain}: {name}?"),
}


def gist(content: str, disclosure: str) -> str:
    """The gist view of a memory: its content on one line, cut to 420 UTF-16 units with an ellipsis behind, and its
    disclosure, cut to 140, on a second line."""
    lines = (_cut(normalise(content), _CONTENT_UNITS), _cut(normalise(disclosure), _DISCLOSURE_UNITS))
    return "\n".join(line for line in lines if line)


def questions(domain: str, path: str, content: str, disclosure: str, terms: Sequence[str]) -> str:
    """The question view: two or three questions, one a line, in the language that the memory is written in, as far as
    its script tells. Other scripts than Latin and Chinese get questions without words of ours."""
    known = {
        "path": path,
        "disclosure": _cut(normalise(disclosure), _DISCLOSURE_UNITS).rstrip(" .?!。？！"),
        "term": terms[0] if terms else "",
    }
    forms = _QUESTIONS[language(content or disclosure or path)]
    lines = [form.format(**known) for form, value in zip(forms, known.values(), strict=False) if value]
    if len(lines) == 1:
        lines.append(forms[-1].format(domain=domain, name=match_text(path.rpartition("/")[2])))
    return "\n".join(lines)


def language(text: str) -> str:
    """`chinese`, `english` (any language in Latin script) or `other`, by what most words are written in."""
    han, kana, latin = (len(script.findall(text)) for script in (_HAN, _KANA, _LATIN))
    others = len(_LETTERS.findall(_HAN.sub(" ", _LATIN.sub(" ", text))))
    if kana * 10 > han + kana or others > max(han, latin):
        return "other"
    return "chinese" if han > latin else "english"


def match_text(keyword: str) -> str:
    """What is embedded for a keyword: runs of `/`, `_` and `-` are one space, and white space is folded."""
    return normalise(_SEPARATORS.sub(" ", keyword))


def _cut(text: str, units: int) -> str:
    encoded = text.encode("utf-16-le")
    return text if len(encoded) <= 2 * units else encoded[: 2 * units].decode("utf-16-le", "replace") + "…"
