"""JSON text on its way into the store: escapes that DuckDB refuses are mended, lines are told apart."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from mmap import mmap
from pathlib import Path
from typing import BinaryIO

import msgspec

_SUSPECT = re.compile(rb"\\u(?:[dD][89a-fA-F][0-9a-fA-F]{2}|0000)")
_LOW_HALF = re.compile(rb"\\u[dD][c-fC-F][0-9a-fA-F]{2}")
_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])


class _Setting(msgspec.Struct):
    key: object = None


_SETTING = msgspec.json.Decoder(_Setting)

BOM = b"\xef\xbb\xbf"
BLANK = "blank line"
UNFINISHED = "unfinished last line; it will be read next time"

# What the JSON reader raises; a document nested some hundred levels deep counts as unreadable.
UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


@dataclass
class Mended:
    """How many escapes were replaced: NUL by the mark U+2400, halves of surrogate pairs by U+FFFD."""

    nul: int = 0
    surrogates: int = 0


@dataclass(frozen=True)
class Line:
    """A line of a JSONL file: its bytes, or the reason why it cannot be used."""

    number: int
    content: bytes
    reason: str = ""


def mend(buffer: bytearray | mmap, mended: Mended) -> None:
    """Replace, in place and without moving a byte, the escapes that no database takes: `\\u0000` and lone halves of a
    surrogate pair."""
    skip_to = 0
    for match in _SUSPECT.finditer(buffer):
        start = match.start()
        if start < skip_to or _is_escaped(buffer, start):
            continue
        if match[0].endswith(b"0000"):
            buffer[start : start + 6] = b"\\u2400"
            mended.nul += 1
        elif match[0][3:4] in b"89abAB" and _LOW_HALF.match(buffer, start + 6):
            skip_to = start + 12
        else:
            buffer[start : start + 6] = b"\\ufffd"
            mended.surrogates += 1


def mended_text(text: str, mended: Mended) -> str:
    """The same for a piece of JSON text."""
    buffer = bytearray(text, "utf-8")
    mend(buffer, mended)
    return buffer.decode()


def lines_of(file: BinaryIO, mended: Mended) -> Iterator[Line]:
    """The lines of a JSONL file as single JSON objects, mended; a line that is none comes with the reason."""
    return (line_of(number, raw, mended) for number, raw in enumerate(file, 1))


def line_of(number: int, raw: bytes, mended: Mended) -> Line:
    """One line, from its bytes with the end of line; without one it is the last of its file and perhaps unfinished."""
    content = (raw.removeprefix(BOM) if number == 1 else raw).strip(b" \t\r\n")
    if b"\\u" in content:
        buffer = bytearray(content)
        mend(buffer, mended)
        content = bytes(buffer)
    reason = _problem(content)
    if reason and content and not raw.endswith(b"\n"):
        reason = UNFINISHED
    return Line(number, content, reason)


def key_of(row: bytes | msgspec.Raw) -> str | None:
    """The key of a row of settings, if it has one."""
    try:
        key = _SETTING.decode(row).key
    except UNREADABLE:
        return None
    return key if isinstance(key, str) else None


def only_good_lines(path: Path, columns: set[str], kept: list[int], mended: Mended) -> Iterator[tuple[int, str]]:
    """Rewrite a file of JSON objects so that every reader takes it: known fields only, the last of two with one name.

    Yields (line, reason) of each line that is left out, and puts the numbers of the others into `kept`.
    """
    target = path.with_name(f"{path.name}.good")
    with path.open("rb") as source, target.open("wb") as out:
        for number, line in enumerate(source, 1):
            try:
                row = _OBJECT.decode(mended_text(line.decode("utf-8"), mended))
                good = msgspec.json.encode({name: value for name, value in row.items() if name in columns})
            except UNREADABLE as error:
                yield number, said(error)
                continue
            kept.append(number)
            out.write(good + b"\n")
    target.replace(path)


def _problem(content: bytes) -> str:
    if not content:
        return BLANK
    try:
        _OBJECT.decode(content)
    except UNREADABLE as error:
        return said(error)
    return ""


def said(error: Exception) -> str:
    """Why a line cannot be used, without what it holds."""
    if isinstance(error, RecursionError):
        return "nested too deeply"
    if isinstance(error, msgspec.ValidationError):
        return "holds a number that is out of range" if "out of range" in str(error) else "not a JSON object"
    return f"not valid JSON: {error}"


def _is_escaped(buffer: bytearray | mmap, start: int) -> bool:
    """Whether the backslash at `start` is itself escaped by an odd run of backslashes before it."""
    before = start
    while before and buffer[before - 1 : before] == b"\\":
        before -= 1
    return (start - before) % 2 == 1
