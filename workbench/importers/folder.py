"""A folder of Parquet, JSONL or CSV files, one a table, or a single such file."""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import cast

import pyarrow as pa
import pyarrow.parquet as pq

from workbench.errors import BadInput
from workbench.importers.compressed import open_plain
from workbench.importers.json_types import wrong_type
from workbench.importers.jsonlines import Line, key_of, lines_of
from workbench.importers.options import ImportOptions
from workbench.importers.staging import CHUNK_BYTES, CHUNK_ROWS, Staging
from workbench.params.settings import looks_secret
from workbench.store import TABLES, Kind

_ENDINGS = {
    ".parquet": "parquet", ".jsonl": "jsonl", ".ndjson": "jsonl", ".jsonl.gz": "jsonl", ".ndjson.gz": "jsonl",
    ".csv": "csv", ".csv.gz": "csv",
}  # fmt: skip
_BATCH = 20_480
_BROKEN = re.compile("[\udc80-\udcff]")


def table_file(path: Path) -> tuple[str, str] | None:
    """(table, format) of a file that is named after a table, else None."""
    stem, dot, ending = path.name.partition(".")
    form = _ENDINGS.get(f"{dot}{ending}".lower())
    return (stem, form) if form and stem in TABLES else None


def holds_tables(path: Path) -> bool:
    """Whether a folder holds a table file; BadInput when it cannot be read."""
    return any(table_file(entry) is not None for entry in _entries(path))


def stage(path: Path, staging: Staging, options: ImportOptions) -> None:
    """Stage every table file of the folder `path`, or the one file; BadInput when there is none."""
    del options
    files = _table_files(path, staging)
    for number, (table, (file, form)) in enumerate(sorted(files.items())):
        staging.progress(number, len(files), f"reading {file.name}")
        if form == "parquet":
            _stage_parquet(table, file, staging)
        elif form == "jsonl":
            _stage_jsonl(table, file, staging)
        else:
            _stage_csv(table, file, staging)


def _table_files(path: Path, staging: Staging) -> dict[str, tuple[Path, str]]:
    found: dict[str, tuple[Path, str]] = {}
    ignored = []
    for entry in _entries(path):
        named = table_file(entry)
        if named is None or entry.is_dir():
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


def _entries(path: Path) -> list[Path]:
    try:
        return sorted(path.iterdir()) if path.is_dir() else [path]
    except OSError as error:
        raise BadInput(f"Cannot read the folder {path} ({error.strerror}); ask for permission or copy it.") from error


def _stage_parquet(table: str, file: Path, staging: Staging) -> None:
    try:
        with pq.ParquetFile(file) as source:
            names = [name for name in source.schema_arrow.names if name in TABLES[table].column_names]
            if not names or len(set(names)) < len(names):
                fault = "two columns of one name" if names else f"no column of {table}"
                raise BadInput(f"{file} has {fault}; export the table again.")
            batches = (_text_for_bytes(batch) for batch in source.iter_batches(_BATCH, columns=names))
            staging.add_batches(table, names, batches, lambda row: f"{file.name}, row {row}")
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno:  # the file system, not what the file holds
            raise
        reason = " ".join(str(error).split()).rstrip(". ")
        raise BadInput(f"{file} is not a whole Parquet file ({reason}); export or copy it again.") from error


def _text_for_bytes(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Some programs write text without saying that it is text."""
    for number, field in enumerate(batch.schema):
        if pa.types.is_binary(field.type) or pa.types.is_large_binary(field.type):
            batch = batch.set_column(number, field.name, batch.column(number).cast(pa.large_string()))
    return batch


def _stage_jsonl(table: str, file: Path, staging: Staging) -> None:
    target = staging.temporary(f"{table}.jsonl")
    with open_plain(file) as source:
        lines = lines_of(source, staging.mended)
        more = True
        while more:
            numbers: list[int] = []
            longest = size = 0
            with target.open("wb") as out:
                for line in _usable(lines, table, file, staging):
                    numbers.append(line.number)
                    longest = max(longest, len(line.content))
                    size += out.write(line.content + b"\n")
                    if more := len(numbers) == CHUNK_ROWS or size > CHUNK_BYTES:
                        break
                else:
                    more = False
            staging.add_jsonl(table, target, _lines_in(file, numbers), longest)


def _lines_in(file: Path, numbers: Sequence[int]) -> Callable[[int], str]:
    return lambda row: f"{file.name}:{numbers[row - 1]}"


def _usable(lines: Iterator[Line], table: str, file: Path, staging: Staging) -> Iterator[Line]:
    """The lines that hold a row; the others are rejected, secret settings named and left out."""
    for line in lines:
        if line.reason:
            staging.reject(f"{table} ({file.name}:{line.number})", line.reason, table)
        elif table == "app_settings" and (key := key_of(line.content)) is not None and looks_secret(key):
            staging.secrets.append(key)
        elif reason := wrong_type(table, line.content):
            staging.reject(f"{table} ({file.name}:{line.number})", reason, table)
        else:
            yield line


def _stage_csv(table: str, file: Path, staging: Staging) -> None:
    csv.field_size_limit(sys.maxsize)
    with open_plain(file) as source:
        # A byte that is no UTF-8 becomes a character that no UTF-8 text holds.
        text = (line.decode("utf-8", errors="surrogateescape") for line in source)
        rows = csv.reader(text, strict=True)
        header = _header(rows, file)
        if not set(header) & set(TABLES[table].column_names):
            raise BadInput(f"{file} has no header line with the columns of {table}; export it with a header.")
        if len(set(header)) < len(header):
            raise BadInput(f"{file} has two columns of one name in its header; export it with each column once.")
        lines: list[int] = []
        staging.add_batches(
            table, header, _csv_batches(rows, header, lines, table, file, staging), _lines_in(file, lines)
        )


def _header(rows: Iterator[list[str]], file: Path) -> list[str]:
    try:
        names = next(rows, [])
    except csv.Error as error:
        raise BadInput(f"{file} is not CSV as the workbench reads it ({error}); export it as UTF-8 CSV.") from error
    if any(_BROKEN.search(name) for name in names):
        raise BadInput(f"{file} is not UTF-8 text; export it as UTF-8 CSV.")
    return [name.strip().removeprefix("\ufeff") for name in names]


def _csv_batches(
    rows: Iterator[list[str]], header: Sequence[str], lines: list[int], table: str, file: Path, staging: Staging
) -> Iterator[pa.RecordBatch]:
    """Batches of text columns; `lines` collects the line of each row. A row that cannot be used is rejected."""
    kept: list[list[str]] = []
    for line, row, reason in _csv_rows(rows, len(header)):
        if reason:
            staging.reject(f"{table} ({file.name}:{line})", reason, table)
            continue
        kept.append(row)
        lines.append(line)
        if len(kept) == _BATCH:
            yield _batch(table, kept, header)
            kept = []
    if kept:
        yield _batch(table, kept, header)


def _csv_rows(rows: Iterator[list[str]], width: int) -> Iterator[tuple[int, list[str], str]]:
    """(line, cells, reason why it cannot be used) of each row; what stands behind broken quoting cannot be told."""
    line = 2
    while True:
        try:
            row = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            yield line, [], f"not valid CSV: {error}"
            return
        if not row:
            yield line, row, "blank line"
        elif len(row) != width:
            yield line, row, f"has {len(row)} cells, the header {width}"
        elif any(not cell.isascii() and _BROKEN.search(cell) for cell in row):
            yield line, row, "not valid UTF-8"
        else:
            yield line, row, ""
        line = cast(int, rows.line_num) + 1  # type: ignore[attr-defined]


def _batch(table: str, rows: list[list[str]], header: Sequence[str]) -> pa.RecordBatch:
    """An empty cell is NULL, except in a text that every row has."""
    texts = {column.name for column in TABLES[table].columns if column.required and column.kind is Kind.TEXT}
    columns = [
        pa.array(cells if name in texts else [cell or None for cell in cells], pa.string())
        for name, cells in zip(header, zip(*rows, strict=True), strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, names=list(header))
