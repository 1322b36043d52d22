"""A plain pg_dump of Lore's database: COPY blocks or INSERT statements, also compressed, in bounded memory."""

from __future__ import annotations

import gzip
import lzma
import re
import zlib
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from io import BufferedIOBase
from pathlib import Path
from typing import cast

import pyarrow as pa

from workbench.errors import BadInput
from workbench.importers.compressed import open_plain
from workbench.importers.dump_rows import batch, insert_rows, open_quote, read_fast, unescaped
from workbench.importers.options import ImportOptions
from workbench.importers.staging import Staging
from workbench.store import TABLES

CUSTOM_FORMAT, TAR_FORMAT = b"PGDMP", b"toc.dat\0"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_BLOCK, _PIECE = 4 * 1024 * 1024, 256 * 1024
_BATCH_ROWS = 10_000
_AGAIN = "the dump is cut off, make or copy it again."

_NAME = rb'(?:"(?:[^"]|"")+"|[\w$\x80-\xff]+)'
_TABLE = rb"(?:(" + _NAME + rb")\.)?(" + _NAME + rb")"
_NAMES = re.compile(_NAME)
_COPY = re.compile(rb"COPY " + _TABLE + rb"(?: \((.*)\))? FROM stdin;\s*$")
_INSERT = re.compile(
    rb"INSERT INTO " + _TABLE + rb" (?:\((.*?)\) )?(?:OVERRIDING (?:SYSTEM|USER) VALUE )?VALUES\s*", re.IGNORECASE
)
_CREATE = re.compile(rb"CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?" + _TABLE + rb" \(\s*$")
_COLUMN = re.compile(rb"\s+(" + _NAME + rb") ")
_ENCODING = re.compile(rb"SET client_encoding = '([^']+)'")
_CONNECT = re.compile(rb"\\connect (.+?)\s*$")
_FUNCTION = re.compile(rb"\b(?:AS|DO) (\$\w*\$)")
_CONSTRAINTS = frozenset({b"CONSTRAINT", b"PRIMARY", b"UNIQUE", b"CHECK", b"FOREIGN", b"EXCLUDE"})
_MARK = re.compile(rb"PostgreSQL database dump|^COPY [^;]+ FROM stdin;|^INSERT INTO ", re.MULTILINE)
_BEGIN, _COMPLETE = b"-- PostgreSQL database dump", b"-- PostgreSQL database dump complete"


def recognises(head: bytes, path: Path) -> bool:
    """Whether the first bytes of a (decompressed) file are those of a pg_dump; one in a form that `stage` refuses is
    recognised too, so that it can say what to do."""
    del path
    return head.startswith((CUSTOM_FORMAT, TAR_FORMAT)) or _MARK.search(_narrow(head)) is not None


def stage(path: Path, staging: Staging, options: ImportOptions) -> None:
    """Stage the tables of the dump in bounded memory.

    A row that cannot be read is rejected. Raises BadInput when the dump is binary, cut off, in an unknown encoding, or
    holds no table of Lore, or one of them twice.
    """
    del options
    with open_plain(path) as file:
        reader = _Reader(cast(BufferedIOBase, file), path, staging)
        reader.refuse_other_forms()
        _stage_all(reader)
    if not staging.tables:
        raise BadInput(f"{path} holds no table of Lore; dump the database of the Lore server, with its data.")
    if reader.whole is False:
        staging.warn(f"{path.name} lacks pg_dump's last line; it may be cut off after the table {reader.table}.")
    if reader.ignored:
        staging.warn(f"Tables that the workbench does not use: {', '.join(sorted(reader.ignored))}.")


def _narrow(head: bytes) -> bytes:
    """The head of a UTF-16 file, as PowerShell writes it, without its zero bytes."""
    return head.replace(b"\0", b"") if head.startswith(_UTF16) else head


@dataclass
class _Reader:
    """A dump, a block of whole lines at a time in UTF-8, and what was learnt on the way.

    `number` counts the lines that were taken. `whole`: whether the last line that pg_dump writes was seen; None when
    the first one was not.
    """

    file: BufferedIOBase
    path: Path
    staging: Staging
    number: int = 0
    encoding: str = "utf-8"
    table: str = ""
    database: str = ""
    whole: bool | None = None
    columns: dict[Sequence[bytes], list[str]] = field(default_factory=dict)
    schemas: dict[str, str] = field(default_factory=dict)
    ignored: set[str] = field(default_factory=set)
    _data: bytes = b""
    _at: int = 0
    _broken: Exception | None = None

    def refuse_other_forms(self) -> None:
        """Raise BadInput when this is not plain SQL."""
        self._more()
        if self._data.startswith((CUSTOM_FORMAT, TAR_FORMAT)):
            raise BadInput(f"{self.path} is a binary dump; make a plain one with `pg_dump --format=plain`.")
        if self._data.startswith(_UTF16):
            raise BadInput(f"{self.path} is UTF-16, as PowerShell's > writes it; use `pg_dump --file=FILE` instead.")

    def line(self) -> bytes:
        """The next line; empty at the end."""
        if self._at == len(self._data) and not self._more():
            return b""
        end = self._data.find(b"\n", self._at) + 1 or len(self._data)
        line = self._data[self._at : end]
        self._at = end
        self.number += 1
        return line

    def back(self, line: bytes) -> None:
        """Give the line back that was taken last."""
        self._at -= len(line)
        self.number -= bool(line)

    def copy_blocks(self) -> Iterator[bytes]:
        """The rows of a COPY block, many lines at a time; BadInput when the dump ends inside it."""
        while self._at < len(self._data) or self._more():
            data, start = self._data, self._at
            stop = start if data.startswith(b"\\.", start) else data.find(b"\n\\.", start) + 1 or len(data)
            self._at = stop
            if stop > start:
                yield data[start:stop]
                self.number += data.count(b"\n", start, stop)
            if stop < len(data):
                self.line()
                return
        raise BadInput(f"{self.path} ends inside the table {self.table}; {_AGAIN}")

    def known(self, found: re.Match[bytes]) -> str | None:
        """The name of a table of Lore that a statement names, else None; BadInput when the dump holds it twice."""
        self.table = name = _unquoted(found[2])
        if name not in TABLES:
            self.ignored.add(name)
            return None
        place = ".".join(part for part in (self.database, _unquoted(found[1] or b"")) if part)
        if (other := self.schemas.setdefault(name, place)) != place:
            raise BadInput(f"{self.path} holds {name} in {other} and in {place}; dump one of them with `--schema`.")
        return name

    def column_names(self, found: re.Match[bytes]) -> list[str]:
        """The columns of the rows that a statement holds; BadInput when Lore's table has none of them."""
        names = self.columns.get(found.group(1, 2), [])
        if found[3]:
            names = [_unquoted(name) for name in _NAMES.findall(found[3])]
        if not set(names) & set(TABLES[self.table].column_names):
            raise BadInput(f"{self.path} does not name columns of {self.table}; dump again with `--column-inserts`.")
        return names

    def read_as(self, name: str) -> None:
        """Take what comes as text in this encoding of PostgreSQL; BadInput when Python does not know it."""
        python = re.sub(r"^WIN(?=\d)", "cp", {"SQL_ASCII": "utf-8", "UTF8": "utf-8"}.get(name, name))
        python = re.sub(r"^KOI8(?=\w)", "koi8-", python)
        try:
            b"x".decode(python)
        except LookupError as error:
            raise BadInput(f"{self.path} is in the encoding {name}; dump it with `pg_dump --encoding=UTF8`.") from error
        rest = self._data[self._at :]
        if self.encoding != "utf-8":
            rest = rest.decode().encode(self.encoding)
        self.encoding = python
        self._data, self._at = self._as_utf8(rest), 0

    def _more(self) -> bool:
        """Read the next block; False at the end. What stands before the place where a file is broken is read."""
        if self._broken is not None:
            place = f" inside the table {self.table}" if self.table else ""
            raise BadInput(f"{self.path} cannot be unpacked{place} ({self._broken}); copy or export it again.")
        data = bytearray()
        try:
            while len(data) < _BLOCK and (piece := self.file.read1(_PIECE)):
                data += piece
            data += self.file.readline()
        except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
            self._broken = error
        self._tell_progress()
        self._data, self._at = self._as_utf8(bytes(data)), 0
        return bool(data) or (self._broken is not None and self._more())

    def _tell_progress(self) -> None:
        """In bytes of the file as it is stored; only of an xz file it is not known how many were read."""
        stored = cast(BufferedIOBase, self.file.fileobj) if isinstance(self.file, gzip.GzipFile) else self.file
        size = None if isinstance(self.file, lzma.LZMAFile) else self.path.stat().st_size
        self.staging.progress(stored.tell(), size, f"reading {self.path.name}")

    def _as_utf8(self, data: bytes) -> bytes:
        if self.encoding == "utf-8":
            return data
        try:
            return data.decode(self.encoding).encode()
        except UnicodeDecodeError as error:
            line = self.number + data.count(b"\n", 0, error.start) + 1
            raise BadInput(
                f"{self.path}, line {line}: not valid {self.encoding} text; dump it with `pg_dump --encoding=UTF8`."
            ) from error


def _stage_all(reader: _Reader) -> None:
    while line := reader.line():
        if copy := _COPY.match(line):
            _stage_copy(reader, copy)
        elif insert := _INSERT.match(line):
            reader.back(line)
            _stage_inserts(reader, insert)
        elif create := _CREATE.match(line):
            reader.columns[create.group(1, 2)] = _created_columns(reader)
        elif encoding := _ENCODING.match(line):
            reader.read_as(encoding[1].decode())
        elif connect := _CONNECT.match(line):
            reader.database = _unquoted(connect[1])
        elif function := _FUNCTION.search(line):
            _pass_over_function(reader, line, function[1])
        elif line.startswith(_BEGIN):
            reader.whole = line.startswith(_COMPLETE)


def _pass_over_function(reader: _Reader, line: bytes, quote: bytes) -> None:
    """A function's text may hold statements that are no data."""
    is_open = line.count(quote) % 2
    while is_open:
        line = reader.line()
        if not line:
            raise BadInput(f"{reader.path} ends inside a function; {_AGAIN}")
        is_open = (is_open + line.count(quote)) % 2


def _created_columns(reader: _Reader) -> list[str]:
    """The columns of a CREATE TABLE statement; an expression may go on over several lines."""
    names, is_new = [], True
    while (line := reader.line()) and not line.startswith(b")"):
        column = _COLUMN.match(line)
        if is_new and column and column[1] not in _CONSTRAINTS:
            names.append(_unquoted(column[1]))
        is_new = line.rstrip().endswith(b",")
    return names


@dataclass
class _Lines:
    """Where the rows of a COPY block stand: one a line from `first` on, less the rejected ones.

    `rejected` holds, for each rejected line, how many rows were taken before it.
    """

    name: str
    first: int
    taken: int = 0
    rejected: list[int] = field(default_factory=list)

    def where(self, row: int) -> str:
        return f"{self.name}:{self.first + row - 1 + bisect_right(self.rejected, row - 1)}"


def _stage_copy(reader: _Reader, copy: re.Match[bytes]) -> None:
    table = reader.known(copy)
    if table is None:
        for _ in reader.copy_blocks():
            pass
        return
    columns = reader.column_names(copy)
    lines = _Lines(reader.path.name, reader.number + 1)
    reader.staging.add_batches(table, columns, _copy_batches(reader, table, columns, lines), lines.where)


def _copy_batches(reader: _Reader, table: str, columns: Sequence[str], lines: _Lines) -> Iterator[pa.RecordBatch]:
    for block in reader.copy_blocks():
        rows = read_fast(block, columns)
        if rows is None:
            rows = _read_by_line(reader, block, table, columns, lines)
        lines.taken += rows.num_rows
        if rows.num_rows:
            yield rows


def _read_by_line(
    reader: _Reader, block: bytes, table: str, columns: Sequence[str], lines: _Lines
) -> pa.RecordBatch:  # fmt: skip
    """The good rows of a block as text columns; the others are rejected."""
    rows: list[list[str | None]] = []
    for number, line in enumerate(block.removesuffix(b"\n").split(b"\n"), reader.number + 1):
        cells = line.removesuffix(b"\r").split(b"\t")
        reason = f"has {len(cells)} cells instead of {len(columns)}" if len(cells) != len(columns) else ""
        try:
            row = [None if cell == rb"\N" else unescaped(cell).decode() for cell in cells]
        except UnicodeDecodeError:
            reason = reason or "not valid UTF-8"
        if reason:
            reader.staging.reject(f"{table} ({lines.name}:{number})", reason, table)
            lines.rejected.append(lines.taken + len(rows))
        else:
            rows.append(row)
    return batch(columns, rows)


def _stage_inserts(reader: _Reader, first: re.Match[bytes]) -> None:
    """Stage the INSERT statements that follow, as long as they name the same table and columns."""
    table = reader.known(first)
    statements = _statements(reader, first.groups())
    if table is None:
        for _ in statements:
            pass
        return
    columns = reader.column_names(first)
    starts = array("Q")
    rows = _usable_rows(reader, statements, columns, starts)
    name = reader.path.name
    reader.staging.add_batches(
        table, columns, _insert_batches(columns, rows), lambda row: f"{name}:{starts[row - 1]}"
    )  # fmt: skip


def _statements(reader: _Reader, names: Sequence[bytes]) -> Iterator[tuple[int, bytes]]:
    """(line, what stands behind VALUES) of each INSERT statement; BadInput when the dump ends inside one."""
    while line := reader.line():
        insert = _INSERT.match(line)
        if insert is None or insert.groups() != names:
            if line.strip():
                reader.back(line)
                return
            continue
        start, parts = reader.number, [line[insert.end() :]]
        quote = open_quote(parts[0], b"")
        while quote or not parts[-1].rstrip().endswith(b";"):
            if not (line := reader.line()):
                raise BadInput(f"{reader.path} ends inside a row of {reader.table}; {_AGAIN}")
            parts.append(line)
            quote = open_quote(line, quote)
        yield start, b"".join(parts)


def _usable_rows(
    reader: _Reader, statements: Iterator[tuple[int, bytes]], columns: Sequence[str], starts: array[int]
) -> Iterator[list[str | None]]:
    """The good rows; `starts` collects the line of the statement of each. The others are rejected."""
    for start, values in statements:
        where = f"{reader.table} ({reader.path.name}:{start})"
        try:
            for row in insert_rows(values.decode()):
                if len(row) != len(columns):
                    reason = f"has {len(row)} values instead of {len(columns)}"
                    reader.staging.reject(where, reason, reader.table)
                else:
                    starts.append(start)
                    yield row
        except UnicodeDecodeError:
            reader.staging.reject(where, "not valid UTF-8", reader.table)
        except ValueError as error:
            reader.staging.reject(where, str(error), reader.table)


def _insert_batches(columns: Sequence[str], rows: Iterator[list[str | None]]) -> Iterator[pa.RecordBatch]:
    held: list[list[str | None]] = []
    size = 0
    for row in rows:
        held.append(row)
        size += sum(len(cell) for cell in row if cell is not None)
        if len(held) == _BATCH_ROWS or size > _BLOCK:
            yield batch(columns, held)
            held, size = [], 0
    if held:
        yield batch(columns, held)


def _unquoted(name: bytes) -> str:
    text = name.decode("utf-8", errors="replace")
    return text[1:-1].replace('""', '"') if text.startswith('"') else text
