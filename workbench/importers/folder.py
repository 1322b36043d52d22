"""A folder of Parquet, JSONL or CSV files, one a table, or a single such file."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pyarrow as pa

from workbench.errors import BadInput
from workbench.importers.compressed import open_plain
from workbench.importers.jsonlines import LineNumbers, lines_of
from workbench.importers.options import ImportOptions
from workbench.importers.staging import Staging
from workbench.store import TABLES

_ENDINGS = {
    ".parquet": "parquet", ".jsonl": "jsonl", ".ndjson": "jsonl", ".jsonl.gz": "jsonl", ".ndjson.gz": "jsonl",
    ".csv": "csv", ".csv.gz": "csv",
}  # fmt: skip
_BATCH = 20_000


def table_file(path: Path) -> tuple[str, str] | None:
    """(table, format) of a file that is named after a table, else None."""
    stem, dot, ending = path.name.partition(".")
    form = _ENDINGS.get(f"{dot}{ending}".lower())
    return (stem, form) if form and stem in TABLES else None


def stage(path: Path, staging: Staging, options: ImportOptions) -> None:
    """Stage every table file of the folder `path`, or the one file; BadInput when there is none."""
    del options
    files = _table_files(path, staging)
    for number, (table, (file, form)) in enumerate(sorted(files.items())):
        staging.progress(number, len(files), f"reading {file.name}")
        if form == "parquet":
            staging.add_parquet(table, file)
        elif form == "jsonl":
            _stage_jsonl(table, file, staging)
        else:
            _stage_csv(table, file, staging)


def _table_files(path: Path, staging: Staging) -> dict[str, tuple[Path, str]]:
    try:
        entries = sorted(path.iterdir()) if path.is_dir() else [path]
    except OSError as error:
        raise BadInput(f"Cannot read the folder {path} ({error.strerror}); ask for permission or copy it.") from error
    found: dict[str, tuple[Path, str]] = {}
    ignored = []
    for entry in entries:
        named = table_file(entry)
        if named is None:
            ignored.append(entry.name)
        elif named[0] in found:
            raise BadInput(f"{path} holds {named[0]} twice ({found[named[0]][0].name}, {entry.name}); keep one.")
        else:
            found[named[0]] = (entry, named[1])
    if not found:
        raise BadInput(
            f"{path} holds no table of Lore; name files after tables, for example recall_events.parquet or paths.jsonl."
        )
    if ignored:
        staging.warn(f"Files that are no table of the workbench: {', '.join(ignored[:20])}.")
    return found


def _stage_jsonl(table: str, file: Path, staging: Staging) -> None:
    numbers = LineNumbers()
    bad: list[tuple[str, str]] = []
    target = staging.temporary(f"{table}.jsonl")
    longest = 0
    with open_plain(file) as source, target.open("wb") as out:
        for line in lines_of(source, staging.mended):
            if line.reason:
                numbers.left_out.append(line.number)
                bad.append((f"{file.name}:{line.number}", line.reason))
            else:
                longest = max(longest, len(line.content))
                out.write(line.content + b"\n")
    staging.add_jsonl(table, target, file.name, numbers, longest)
    for where, reason in bad:
        staging.reject(where, reason, table)
    target.unlink()


def _stage_csv(table: str, file: Path, staging: Staging) -> None:
    csv.field_size_limit(sys.maxsize)
    with open_plain(file) as source:
        text = (line.decode("utf-8", errors="replace") for line in source)
        rows = csv.reader(text, strict=True)
        header = [name.strip().removeprefix("\ufeff") for name in next(rows, [])]
        if not set(header) & set(TABLES[table].column_names):
            raise BadInput(f"{file} has no header line with the columns of {table}; export it with a header.")
        starts: list[int] = []
        bad: list[tuple[str, str]] = []
        batches = _csv_batches(rows, header, starts, bad, file)
        staging.add_batches(table, header, batches, lambda row: f"{file.name}:{starts[row - 1]}")
        for where, reason in bad:
            staging.reject(where, reason, table)


def _csv_batches(
    rows: Iterator[list[str]], header: list[str], starts: list[int], bad: list[tuple[str, str]], file: Path
) -> Iterator[pa.RecordBatch]:
    """Batches of text columns, an empty cell NULL; `starts` collects the line of each row, `bad` what was left out."""
    kept: list[list[str]] = []
    line = 2
    while True:
        try:
            row = next(rows)
        except StopIteration:
            break
        except csv.Error as error:
            bad.append((f"{file.name}:{line}", f"not valid CSV: {error}"))
            break
        if row and len(row) != len(header):
            bad.append((f"{file.name}:{line}", f"has {len(row)} cells, the header {len(header)}"))
        elif row:
            kept.append(row)
            starts.append(line)
        line = cast(int, rows.line_num) + 1  # type: ignore[attr-defined]
        if len(kept) == _BATCH:
            yield _batch(kept, header)
            kept = []
    if kept:
        yield _batch(kept, header)


def _batch(rows: list[list[str]], header: list[str]) -> pa.RecordBatch:
    columns = [pa.array([cell or None for cell in column], pa.string()) for column in zip(*rows, strict=True)]
    return pa.RecordBatch.from_arrays(columns, names=header)
