"""Rows as pg_dump writes them, lines of COPY text and VALUES lists, to columns of text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

_ESCAPED = rb"\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2})|(.))"
_ESCAPE, _ESCAPE_OR_QUOTE = re.compile(_ESCAPED, re.DOTALL), re.compile(_ESCAPED + rb"|''", re.DOTALL)
_LETTERS = {b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}
_QUOTE = re.compile(rb"((?<![\w])[eE])?'")
_END_OF_ESCAPED = re.compile(rb"(?:[^'\\]+|\\.|'')*+'", re.DOTALL)
_VALUE = re.compile(
    r"\s*(?:[eE]'((?:[^'\\]+|\\.|'')*+)'|'((?:[^']+|'')*+)'|([^,()':]+))"
    r"\s*(?:::[\w \[\].\"]+(?:\(\d+(?:, *\d+)?\))?)?\s*([,)])",
    re.DOTALL,
)
_NEXT_ROW = re.compile(r"\s*,?\s*\(")


def read_fast(block: bytes, columns: Sequence[str]) -> pa.RecordBatch | None:
    """Rows of COPY text as text columns; None when some row is malformed or not UTF-8."""
    if block.startswith(b"\xef\xbb\xbf") or block.count(b"\r") != block.count(b"\r\n"):
        return None
    try:
        table = csv.read_csv(
            pa.BufferReader(block),
            csv.ReadOptions(use_threads=False, block_size=len(block) + 1, column_names=columns),
            csv.ParseOptions(delimiter="\t", quote_char=False, ignore_empty_lines=False),
            csv.ConvertOptions(
                column_types=dict.fromkeys(columns, pa.string()), null_values=[r"\N"], strings_can_be_null=True
            ),
        )
        arrays = [_with_escapes(column.combine_chunks()) for column in table.columns]
    except (pa.ArrowInvalid, UnicodeDecodeError):
        return None
    return pa.RecordBatch.from_arrays(arrays, names=list(columns))


def _with_escapes(cells: pa.StringArray) -> pa.StringArray:
    escaped = pc.fill_null(pc.match_substring(cells, "\\"), fill_value=False)
    if not pc.any(escaped).as_py():
        return cells
    meant = [unescaped(cell.encode()).decode() for cell in cells.filter(escaped).to_pylist()]
    return pc.replace_with_mask(cells, escaped, pa.array(meant, pa.string()))


def unescaped(cell: bytes) -> bytes:
    """The value of a COPY cell."""
    return _ESCAPE.sub(_character, cell) if b"\\" in cell else cell


def _character(match: re.Match[bytes]) -> bytes:
    if match[1]:
        return bytes([int(match[1], 8) & 255])
    if match[2]:
        return bytes([int(match[2], 16)])
    return _LETTERS.get(match[3], match[3]) if match[3] else b"'"


def open_quote(line: bytes, quote: bytes) -> bytes:
    """The kind of literal that is open at the end of a line: "" for none; `quote` was open at its start."""
    at = 0
    while True:
        if not quote:
            found = _QUOTE.search(line, at)
            if found is None:
                return b""
            quote, at = found[0], found.end()
        if quote == b"'":
            end = line.find(b"'", at) + 1
        else:
            closed = _END_OF_ESCAPED.match(line, at)
            end = closed.end() if closed else 0
        if not end:
            return quote
        quote, at = b"", end


def insert_rows(values: str) -> Iterator[list[str | None]]:
    """The rows of a VALUES list; ValueError where one cannot be read (without its text, which may be a secret)."""
    at = 0
    while opened := _NEXT_ROW.match(values, at):
        row: list[str | None] = []
        at, end = opened.end(), ","
        while end == ",":
            value = _VALUE.match(values, at)
            if value is None:
                raise ValueError(f"its value {len(row) + 1} is not written as pg_dump does")
            row.append(_literal(value))
            at, end = value.end(), value[4]
        yield row


def _literal(value: re.Match[str]) -> str | None:
    if value[1] is not None:
        return _ESCAPE_OR_QUOTE.sub(_character, value[1].encode()).decode()
    if value[2] is not None:
        return value[2].replace("''", "'")
    word = value[3].strip()
    return None if word.upper() in ("NULL", "DEFAULT") else word


def batch(columns: Sequence[str], rows: Sequence[Sequence[str | None]]) -> pa.RecordBatch:
    """Rows as text columns."""
    arrays = [pa.array([row[place] for row in rows], pa.string()) for place in range(len(columns))]
    return pa.RecordBatch.from_arrays(arrays, names=list(columns))
