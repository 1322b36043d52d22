"""Text of users: trimmed as the server does, and shown literally to a person or a spreadsheet, never run."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Sequence

# What JavaScript's trim() removes; str.strip() would also take U+0085 and the separators U+001C to U+001F.
SPACE = "\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_SPACES = SPACE.replace("\u2000-\u200a", "".join(map(chr, range(0x2000, 0x200B))))
_BREAKING = re.compile(
    "[\u0000-\u001f\u007f-\u009f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_RUNS_IN_A_SPREADSHEET = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def shown(text: str, width: int | None = None) -> str:
    """`text` on one line as it may stand beside other columns.

    Control characters, line ends, direction marks and lone surrogates become visible marks; with `width` the rest is
    cut to that many terminal cells and ends in an ellipsis.
    """
    one_line = _BREAKING.sub(_mark, text)
    return one_line if width is None or cells(one_line) <= width else _cut(one_line, width - 1) + "…"


def trimmed(text: str) -> str:
    """`text` without white space at both ends, as the server trims it."""
    return text.strip(_SPACES)


def cells(text: str) -> int:
    """How many terminal cells `text` takes."""
    return sum(_cells(character) for character in text)


def counted(number: int, noun: str, many: str | None = None) -> str:
    """A number with its noun: `1 prompt`, `2,000 prompts`; `many` where the plural is not made by an s."""
    return f"{number:,} {noun if number == 1 else many or f'{noun}s'}"


def percent(share: float, decimals: int = 0) -> str:
    """A share, 0..1, as per cent."""
    return f"{100 * share:.{decimals}f} %"


def csv_cell(value: object) -> str:
    """A CSV cell that a spreadsheet shows and does not run; everything is text, also ids and numbers."""
    text = "" if value is None else str(value)
    is_number = re.fullmatch(r"-?\d+(\.\d+)?", text) is not None
    return "'" + text if text.startswith(_RUNS_IN_A_SPREADSHEET) and not is_number else text


def csv_bytes(header: Sequence[str], rows: Iterable[Iterable[object]]) -> bytes:
    """A CSV file of such cells, in UTF-8 with the mark that spreadsheets look for."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(header)
    writer.writerows([csv_cell(value) for value in row] for row in rows)
    return out.getvalue().encode("utf-8-sig", errors="backslashreplace")


def _mark(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code == 0x0A or code == 0x0D:
        return "⏎"
    if code < 0x20:
        return chr(0x2400 + code)
    return f"‹{code:04X}›"


def _cells(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _cut(text: str, width: int) -> str:
    used = 0
    for position, character in enumerate(text):
        used += _cells(character)
        if used > width:
            return text[:position]
    return text
