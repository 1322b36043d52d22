"""Answers by hand in files: CSV, JSON lines or Parquet, with the columns query_id or prompt, uri and grade."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
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


@dataclass
class Read:
    """What a file of answers holds: the answers, and the rows that are none, {where, reason}."""

    rows: int = 0
    answers: list[Answer] = field(default_factory=list)
    rejected: list[dict[str, str]] = field(default_factory=list)


def read_answers(db: Database, path: Path) -> Read:
    """The answers of a file, held against the store `db`.

    A row names its prompt by query_id, else by `prompt`, its whole text: it then answers for every query of that text.
    A row that cannot be used is listed and left out. BadInput for a file that cannot be read.
    """
    found = Read()
    for number, row in _rows(path):
        found.rows += 1
        try:
            found.answers += _answers_of(db, row, path.name)
        except BadInput as error:
            found.rejected.append({"where": f"{path.name}, row {number}", "reason": str(error)})
    return found


def _answers_of(db: Database, row: Mapping[str, Any], source: str) -> Iterator[Answer]:
    grade, uri = _text(row, "grade").lower(), _text(row, "uri")
    checked_grade(grade)
    at = _text(row, "labelled_at")
    moment = read_time("labelled_at", at).isoformat() if at else None
    subject: Subject | None = subject_at(db, uri) if uri else None
    if subject is None:
        raise BadInput(f"There is no memory at {uri!r}." if uri else "The row names no uri.")
    by = _text(row, "labelled_by") or None
    return iter([imported(db, query, subject, grade, by, moment, source) for query in _queries(db, row)])


def _queries(db: Database, row: Mapping[str, Any]) -> list[str]:
    """The queries that a row is about."""
    query, prompt = _text(row, "query_id"), trimmed(str(row.get("prompt") or ""))
    if query:
        sql, bound = "SELECT query_id FROM recall_queries WHERE query_id = $it", query
    elif prompt:
        sql, bound = "SELECT query_id FROM recall_queries WHERE query_text = $it ORDER BY query_id", prompt
    else:
        raise BadInput("The row names neither a query_id nor a prompt.")
    found = [name for (name,) in db.rows(sql, {"it": bound})]
    if not found:
        raise BadInput(f"The log holds no prompt {bound[:80]!r}.")
    return found


def _text(row: Mapping[str, Any], column: str) -> str:
    value = row.get(column)
    return "" if value is None else trimmed(str(value))


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Each row with its number, 1 being the first."""
    ending = path.suffix.lower()
    if ending not in _ENDINGS:
        raise BadInput(f"Cannot read answers from {path}: let its name end in {', '.join(_ENDINGS)}.")
    try:
        if ending == ".parquet":
            rows: list[Any] = pq.read_table(path).to_pylist()
        elif ending == ".csv":
            rows = [_unquoted(row) for row in csv.DictReader(io.StringIO(path.read_text("utf-8-sig"), newline=""))]
        else:
            rows = [_object(line) for line in path.read_text("utf-8-sig").splitlines() if line.strip()]
    except OSError as error:
        raise BadInput(f"Cannot read {path} ({error.strerror}); check its name and permissions.") from error
    except (ValueError, csv.Error, pa.ArrowException) as error:
        raise BadInput(f"{path} is not a readable {ending[1:]} file ({error}).") from error
    return enumerate(rows, 1)


def _object(line: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _unquoted(row: Mapping[str, Any]) -> dict[str, Any]:
    """Values without the mark by which a spreadsheet is kept from running them."""
    return {
        name: value[1:] if isinstance(value, str) and value[:1] == "'" and csv_cell(value[1:]) == value else value
        for name, value in row.items()
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
