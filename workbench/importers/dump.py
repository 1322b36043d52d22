"""A plain pg_dump of Lore's database: COPY blocks or INSERT statements, also compressed."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from workbench.errors import BadInput
from workbench.importers.compressed import open_plain
from workbench.importers.options import ImportOptions
from workbench.importers.staging import Staging
from workbench.store import TABLES

CUSTOM_FORMAT = b"PGDMP"
_BATCH = 10_000
_PROGRESS_LINES = 5_000
_NAME = rb'(?:"(?:[^"]|"")+"|[\w$]+)'
_COPY = re.compile(rb"COPY (?:" + _NAME + rb"\.)?(" + _NAME + rb") \((.*)\) FROM stdin;\s*$")
_INSERT = re.compile(rb"INSERT INTO (?:" + _NAME + rb"\.)?(" + _NAME + rb") (?:\(([^)]*)\) )?VALUES\s*", re.IGNORECASE)
_CREATE = re.compile(rb"CREATE TABLE (?:" + _NAME + rb"\.)?(" + _NAME + rb") \(\s*$")
_COLUMN = re.compile(rb"\s+(" + _NAME + rb") ")
_ENCODING = re.compile(rb"SET client_encoding = '([^']+)'")
_CONSTRAINTS = frozenset({"CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN", "EXCLUDE"})
_VALUE = re.compile(
    r"\s*(?:([eE]?)'((?:[^'\\]|\\.|'')*)'|([^,()']+))(?:::[\w \[\].\"]+(?:\(\d+(?:,\d+)?\))?)?\s*([,)])", re.DOTALL
)
_ESCAPE = re.compile(rb"\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2})|(.))", re.DOTALL)
_LETTERS = {b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}

_MARK = re.compile(rb"PostgreSQL database dump|^COPY [^;]+ FROM stdin;", re.MULTILINE)


def recognises(head: bytes, path: Path) -> bool:
    """Whether the first bytes of a (decompressed) file are those of a pg_dump; a binary one is recognised too, so that
    it can be refused with the right advice."""
    del path
    return head.startswith(CUSTOM_FORMAT) or _MARK.search(head) is not None


def stage(path: Path, staging: Staging, options: ImportOptions) -> None:
    """Stage the tables of the dump in bounded memory; BadInput when it is binary, cut off or in an unknown encoding."""
    del options
    with open_plain(path) as file:
        if file.read(len(CUSTOM_FORMAT)) == CUSTOM_FORMAT:
            raise BadInput(f"{path} is a binary dump; make a plain one with `pg_dump --format=plain`.")
        file.seek(0)
        reader = _Reader(file, path, staging)
        _stage_all(reader)
    if not staging.tables:
        raise BadInput(f"{path} holds no table of Lore; dump the database of the Lore server.")
    if reader.ignored:
        staging.warn(f"Tables that the workbench does not use: {', '.join(sorted(reader.ignored))}.")


@dataclass
class _Reader:
    """The lines of a dump, their number, and what was learnt on the way."""

    file: BinaryIO
    path: Path
    staging: Staging
    number: int = 0
    encoding: str = "utf-8"
    columns: dict[str, list[str]] = field(default_factory=dict)
    ignored: set[str] = field(default_factory=set)

    def lines(self) -> Iterator[bytes]:
        for line in self.file:
            self.number += 1
            if self.number % _PROGRESS_LINES == 0:
                self.staging.progress(self.number, None, f"reading lines of {self.path.name}")
            yield line

    def text(self, content: bytes) -> str:
        try:
            return content.decode(self.encoding)
        except UnicodeDecodeError as error:
            raise BadInput(
                f"{self.path}, line {self.number}: not valid {self.encoding} text; dump the database again."
            ) from error


def _stage_all(reader: _Reader) -> None:
    lines = reader.lines()
    inserts: dict[str, _Inserts] = {}
    for line in lines:
        if copy := _COPY.match(line):
            table = _unquoted(copy[1])
            columns = [_unquoted(name) for name in copy[2].split(b", ")]
            _stage_copy(reader, lines, table, columns)
        elif create := _CREATE.match(line):
            reader.columns[_unquoted(create[1])] = _created_columns(lines)
        elif insert := _INSERT.match(line):
            _collect_insert(reader, lines, line, insert, inserts)
        elif encoding := _ENCODING.match(line):
            reader.encoding = _python_encoding(reader, encoding[1].decode())
    for table, collected in inserts.items():
        batch = _batch(collected.columns, collected.rows)
        where = collected.starts
        reader.staging.add_batches(
            table,
            collected.columns,
            [batch],
            lambda row, where=where: f"line {where[row - 1]}",  # type: ignore[misc]
        )


def _stage_copy(reader: _Reader, lines: Iterator[bytes], table: str, columns: Sequence[str]) -> None:
    if table not in TABLES:
        reader.ignored.add(table)
        for _ in _copy_lines(reader, lines, table):
            pass
        return
    first = reader.number + 1
    bad: list[tuple[str, str]] = []
    starts: list[int] = []
    batches = _copy_batches(reader, lines, table, columns, starts, bad)
    reader.staging.add_batches(
        table, columns, batches, lambda row: f"{reader.path.name}:{starts[row - 1] if bad else first + row - 1}"
    )
    for where, reason in bad:
        reader.staging.reject(where, reason, table)


def _copy_lines(reader: _Reader, lines: Iterator[bytes], table: str) -> Iterator[bytes]:
    """The rows of a COPY block; BadInput when the dump ends inside it."""
    for line in lines:
        content = line.rstrip(b"\r\n")
        if content == b"\\.":
            return
        yield content
    raise BadInput(f"{reader.path} ends inside the table {table}; the dump is cut off, make or copy it again.")


def _copy_batches(
    reader: _Reader, lines: Iterator[bytes], table: str, columns: Sequence[str], starts: list[int],
    bad: list[tuple[str, str]],
) -> Iterator[pa.RecordBatch]:  # fmt: skip
    rows: list[list[bytes]] = []
    for line in _copy_lines(reader, lines, table):
        row = line.split(b"\t")
        if len(row) != len(columns):
            bad.append((f"{reader.path.name}:{reader.number}", f"has {len(row)} cells instead of {len(columns)}"))
            continue
        rows.append(row)
        starts.append(reader.number)
        if len(rows) == _BATCH:
            yield _decoded(reader, columns, rows)
            rows = []
    if rows:
        yield _decoded(reader, columns, rows)


def _decoded(reader: _Reader, columns: Sequence[str], rows: list[list[bytes]]) -> pa.RecordBatch:
    """Rows of COPY text as text columns; `\\N` is NULL."""
    arrays = []
    for column in zip(*rows, strict=True):
        cells = [None if cell == b"\\N" else _unescaped(cell) for cell in column]
        if reader.encoding == "utf-8":
            try:
                arrays.append(pa.array(cells, pa.binary()).cast(pa.string()))
                continue
            except pa.ArrowInvalid:
                pass
        arrays.append(pa.array([None if cell is None else reader.text(cell) for cell in cells], pa.string()))
    return pa.RecordBatch.from_arrays(arrays, names=list(columns))


def _unescaped(cell: bytes) -> bytes:
    """The value of a COPY cell."""
    if b"\\" not in cell:
        return cell
    parts = cell.split(b"\\\\")
    return b"\\".join(_ESCAPE.sub(_character, part) if b"\\" in part else part for part in parts)


def _character(match: re.Match[bytes]) -> bytes:
    if match[1]:
        return bytes([int(match[1], 8) & 255])
    if match[2]:
        return bytes([int(match[2], 16)])
    return _LETTERS.get(match[3], match[3])


@dataclass
class _Inserts:
    """Rows of one table that came as INSERT statements, and the line of each."""

    columns: list[str]
    rows: list[list[str | None]] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)


def _collect_insert(
    reader: _Reader, lines: Iterator[bytes], line: bytes, insert: re.Match[bytes], inserts: dict[str, _Inserts]
) -> None:
    table = _unquoted(insert[1])
    start = reader.number
    statement = line
    while not _is_whole(statement):
        more = next(lines, None)
        if more is None:
            raise BadInput(f"{reader.path} ends inside a row of {table}; the dump is cut off, make or copy it again.")
        statement += more
    if table not in TABLES:
        reader.ignored.add(table)
        return
    named = [_unquoted(name.strip()) for name in insert[2].split(b",")] if insert[2] else reader.columns.get(table, [])
    collected = inserts.setdefault(table, _Inserts(named))
    for row in _insert_rows(reader.text(statement[insert.end() :])):
        if len(row) != len(collected.columns):
            raise BadInput(
                f"{reader.path}, line {start}: a row of {table} has {len(row)} values; dump with --column-inserts."
            )
        collected.rows.append(row)
        collected.starts.append(start)


def _is_whole(statement: bytes) -> bool:
    return statement.rstrip().endswith(b";") and statement.count(b"'") % 2 == 0


def _insert_rows(values: str) -> Iterator[list[str | None]]:
    """The rows of a VALUES list."""
    position = values.find("(")
    while position >= 0:
        row: list[str | None] = []
        position += 1
        end = ","
        while end == ",":
            match = _VALUE.match(values, position)
            if match is None:
                raise BadInput(
                    f"A row cannot be read near {values[position : position + 60]!r}; dump without --inserts."
                )
            row.append(_literal(match))
            position, end = match.end(), match[4]
        yield row
        position = values.find("(", position)


def _literal(match: re.Match[str]) -> str | None:
    if match[2] is None:
        word = match[3].strip()
        return None if word.upper() == "NULL" else word
    text = match[2].replace("''", "'")
    return codecs.decode(text.encode("latin-1", "backslashreplace"), "unicode_escape") if match[1] else text


def _created_columns(lines: Iterator[bytes]) -> list[str]:
    names = []
    for line in lines:
        if line.startswith(b")"):
            break
        if (column := _COLUMN.match(line)) and _unquoted(column[1]) not in _CONSTRAINTS:
            names.append(_unquoted(column[1]))
    return names


def _batch(columns: Sequence[str], rows: Sequence[Sequence[str | None]]) -> pa.RecordBatch:
    arrays = [pa.array(column, pa.string()) for column in zip(*rows, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, names=list(columns))


def _python_encoding(reader: _Reader, name: str) -> str:
    known = {"UTF8": "utf-8", "SQL_ASCII": "utf-8", "LATIN1": "latin-1", "WIN1252": "cp1252", "EUC_CN": "gb2312"}
    try:
        return codecs.lookup(known.get(name, name)).name
    except LookupError as error:
        raise BadInput(f"{reader.path} is in the encoding {name}; dump it with `pg_dump --encoding=UTF8`.") from error


def _unquoted(name: bytes) -> str:
    text = name.decode("utf-8", errors="replace")
    return text[1:-1].replace('""', '"') if text.startswith('"') else text
