"""Answers by hand in files: CSV, JSON lines or Parquet, with the columns query_id or prompt, uri and grade."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from workbench.errors import BadInput
from workbench.judge.hand import Answer, Subject, checked_grade, imported, subject_at
from workbench.params.files import write_atomic
from workbench.retrieve.clock import read_time
from workbench.store import Database
from workbench.text import csv_bytes, csv_cell, trimmed

COLUMNS = ("query_id", "prompt", "uri", "grade", "labelled_by", "labelled_at", "expired")
_ENDINGS = (".csv", ".jsonl", ".parquet")
_NEEDED = (("uri",), ("grade",), ("query_id", "prompt"))
_AHEAD = timedelta(days=1)
_Row = Mapping[str, Any]


@dataclass
class Read:
    """What a file of answers holds: the answers, and the rows that are none, {where, reason}."""

    rows: int = 0
    answers: list[Answer] = field(default_factory=list)
    rejected: list[dict[str, str]] = field(default_factory=list)


def read_answers(db: Database, path: Path, now: datetime) -> Read:
    """The answers of a file, held against the store `db`; `now` is the time of those that name none.

    A row names its prompt by query_id, else by `prompt`, its whole text: it then answers for every query of that text.
    Of answers without a time the one further down is the newer. A row that cannot be used is listed and left out.
    BadInput for a file that cannot be read, holds no row, or lacks a column.
    """
    found = Read()
    for number, row in _rows(path):
        found.rows += 1
        try:
            if isinstance(row, str):
                raise BadInput(row)
            found.answers += _answers_of(db, row, path.name, now + timedelta(microseconds=number))
        except BadInput as error:
            found.rejected.append({"where": f"{path.name}, row {number}", "reason": str(error)})
    return found


def _answers_of(db: Database, row: _Row, source: str, now: datetime) -> list[Answer]:
    grade, uri = _text(row, "grade").lower(), _text(row, "uri")
    checked_grade(grade)
    given = _time(row, now)
    subject: Subject | None = subject_at(db, uri) if uri else None
    if subject is None:
        raise BadInput(f"There is no memory at {uri!r}." if uri else "The row names no uri.")
    by = _text(row, "labelled_by") or None
    return [imported(query, subject, grade, by, given, now, source) for query in _queries(db, row)]


def _time(row: _Row, now: datetime) -> datetime | None:
    """When the answer was given, if the row says it. A clock may run ahead a little; the newest answer must count."""
    if isinstance(value := row.get("labelled_at"), datetime):
        given = value if value.tzinfo else value.replace(tzinfo=UTC)
    elif text := _text(row, "labelled_at"):
        given = read_time("labelled_at", text)
    else:
        return None
    if given > now + _AHEAD:
        raise BadInput(f"labelled_at {given:%Y-%m-%d %H:%M} lies in the future; no later answer would count.")
    return given


def _queries(db: Database, row: _Row) -> list[str]:
    """The queries that a row is about."""
    query, prompt = _text(row, "query_id"), _text(row, "prompt")
    if query:
        sql, bound = "SELECT query_id, query_text FROM recall_queries WHERE query_id = $it", query
    elif prompt:
        sql, bound = "SELECT query_id, query_text FROM recall_queries WHERE query_text = $it ORDER BY query_id", prompt
    else:
        raise BadInput("The row names neither a query_id nor a prompt.")
    found = db.rows(sql, {"it": bound})
    if not found:
        raise BadInput(f"The log holds no prompt {bound[:80]!r}.")
    for name, text in found:
        if prompt and text and prompt.split() != text.split():
            raise BadInput(f"The prompt of {name!r} is {text[:80]!r}, not the one of the row.")
    return [name for name, _ in found]


def _text(row: _Row, column: str) -> str:
    value = row.get(column)
    if value is not None and not isinstance(value, str):
        raise BadInput(f"{column} {str(value)[:60]!r} is no text.")
    return trimmed(value or "")


def _rows(path: Path) -> Iterator[tuple[int, _Row | str]]:
    """Each row with its number, 1 being the first, or the reason why it is none."""
    ending = path.suffix.lower()
    if ending not in _ENDINGS:
        raise BadInput(f"Cannot read answers from {path}: let its name end in {', '.join(_ENDINGS)}.")
    try:
        columns, rows = _READERS[ending](path)
    except OSError as error:
        raise BadInput(f"Cannot read {path} ({error.strerror}); check its name and permissions.") from error
    except (ValueError, csv.Error, pa.ArrowException) as error:
        raise BadInput(f"{path} is not a readable {ending[1:]} file ({error}).") from error
    for names in _NEEDED:
        if not set(names) & set(columns):
            has = f"its columns are {', '.join(map(repr, columns[:8]))}" if columns else "it has none"
            raise BadInput(f"{path} has no column {' or '.join(names)}; {has}.")
    return enumerate(rows, 1)


def _parquet(path: Path) -> tuple[list[str], list[_Row | str]]:
    table = pq.read_table(path)
    return table.column_names, table.to_pylist()


def _csv(path: Path) -> tuple[list[str], list[_Row | str]]:
    csv.field_size_limit(sys.maxsize)  # a prompt may be longer than what the reader expects of a cell
    cells = csv.reader(io.StringIO(path.read_text("utf-8-sig"), newline=""))
    header = [name.strip() for name in next(cells, [])]
    return header, [
        _unquoted(dict(zip(header, row, strict=True)))
        if len(row) == len(header)
        else f"The row has {len(row)} cells, the header {len(header)}."
        for row in cells
        if row
    ]


def _json_lines(path: Path) -> tuple[list[str], list[_Row | str]]:
    rows = [_object(line) for line in path.read_text("utf-8-sig").split("\n") if line.strip()]
    return list(dict.fromkeys(name for row in rows if not isinstance(row, str) for name in row)), rows


def _object(line: str) -> _Row | str:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        return f"The line is not valid JSON ({error})."
    return found if isinstance(found, dict) else "The line is no JSON object."


_READERS: dict[str, Callable[[Path], tuple[list[str], list[_Row | str]]]] = {
    ".csv": _csv, ".jsonl": _json_lines, ".parquet": _parquet,
}  # fmt: skip


def _unquoted(row: dict[str, str]) -> dict[str, str]:
    """Values without the mark by which a spreadsheet is kept from running them."""
    return {
        name: value[1:] if value[:1] == "'" and csv_cell(value[1:]) == value else value for name, value in row.items()
    }


def write_answers(answers: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Write a listing of answers to a file, whole or not at all; reading it again gives the same answers."""
    ending = path.suffix.lower()
    rows = [{name: answer[name] for name in COLUMNS} for answer in answers]
    if ending == ".csv":
        content = csv_bytes(COLUMNS, (row.values() for row in rows))
    elif ending == ".jsonl":
        content = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    elif ending == ".parquet":
        kinds = [(name, pa.bool_() if name == "expired" else pa.string()) for name in COLUMNS]
        buffer = pa.BufferOutputStream()
        pq.write_table(pa.Table.from_pylist(rows, pa.schema(kinds)), buffer)
        content = buffer.getvalue().to_pybytes()
    else:
        raise BadInput(f"Cannot write answers to {path}: let its name end in {', '.join(_ENDINGS)}.")
    write_atomic(path, content)
