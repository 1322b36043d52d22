"""What a tool of Lore answered: its texts, whether it found something, the addresses in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from workbench.importers.jsonlines import UNREADABLE
from workbench.importers.transcripts.blocks import memory_address, word

_DEEPEST = 24
_TEXTS = frozenset({"text", "input_text", "output_text"})
_FAILED = re.compile(r"\s*(?:Error\b|Lore get node failed|Path not found)", re.IGNORECASE)
# Where the text is no JSON, or a cut piece of it; quotes may be escaped any number of times.
_NAMED = re.compile(r"\"uri\\*\"\s*:\s*\\*\"([^\"\\]+)")
_LINES = re.compile(r"^[\s>*-]*(?:\d+[.)]\s+)?(?:-?\d+(?:\.\d+)?\s*\|\s*)?(?:URI\s*:\s*)?(\w[\w.+-]*://[^\s|]*)",
                    re.MULTILINE | re.IGNORECASE)  # fmt: skip


def texts(content: object) -> list[str]:
    """The texts of a message or answer: a string, or the text blocks of a list."""
    if isinstance(content, str):
        return [content]
    if not isinstance(content, list):
        return []
    found = []
    for block in content:
        if isinstance(block, str):
            found.append(block)
        elif (
            isinstance(block, dict) and word(block.get("type", "text")) in _TEXTS and isinstance(block.get("text"), str)
        ):
            found.append(block["text"])
    return found


def failed(content: object, flag: object) -> bool:
    """Whether the call of a tool failed, by the flag beside its answer or by what it says."""
    if isinstance(flag, bool) and flag:
        return True
    if isinstance(content, dict):
        if content.get("success") is False or True in (content.get("isError"), content.get("is_error")):
            return True
        if "Err" in content:
            return True
        return failed(content.get("content", content.get("Ok")), None)
    if isinstance(content, str) and content.lstrip().startswith(("{", "[")) and (inner := _json(content)) is not None:
        return failed(inner, None)
    return any(_FAILED.match(text) for text in texts(content)[:1])


def addresses(content: object) -> list[str]:
    """The addresses that a search returned, in their order; its shape is that of JSON or of lines."""
    return list(dict.fromkeys(_addresses(content, _DEEPEST)))


def _addresses(value: Any, deepest: int) -> Iterator[str]:
    if deepest == 0:
        return
    if isinstance(value, str):
        yield from _in_text(value, deepest)
    elif isinstance(value, list):
        for part in value:
            yield from _addresses(part, deepest - 1)
    elif isinstance(value, dict):
        if "uri" in value:  # what a result quotes of its memory is no result
            if address := memory_address(value["uri"]):
                yield address
            return
        for part in value.values():
            yield from _addresses(part, deepest - 1)


def _in_text(text: str, deepest: int) -> Iterator[str]:
    starts = [start for start in (text.find("{"), text.find("[")) if start >= 0]
    document = _json(text[min(starts) :]) if starts else None
    if document is not None:
        yield from _addresses(document, deepest - 1)
        return
    for match in _NAMED.finditer(text) if '"uri' in text else _LINES.finditer(text):
        if address := memory_address(match[1]):
            yield address


def _json(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except UNREADABLE:
        return None
