"""Every scored candidate of a replay with its label, for other tools."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from workbench.errors import BadInput
from workbench.judge.labels import judge_log
from workbench.params.files import write_atomic
from workbench.replay.run import Settings, candidates_of, full_chain
from workbench.store import Database, compose, sql_text
from workbench.text import csv_bytes

_ENDINGS = (".parquet", ".csv")


def dump(db: Database, settings: Settings, selected: str | None, path: Path) -> None:
    """Write every candidate of the selected queries (None: all) to `path`, whole or not at all: a Parquet file, or CSV
    that a spreadsheet opens and does not run where the name ends in .csv.

    Signals are the merged ones, `lexical` undamped. The label is that of the standard evidence: used, shown_unused, or
    unknown for memories that were never shown or whose evidence is set aside.
    """
    if path.suffix.lower() not in _ENDINGS:
        raise BadInput(f"Cannot dump to {path}: let its name end in {' or '.join(_ENDINGS)}.")
    judge_log(db, selected)
    sql, bound = (
        compose(full_chain(candidates_of(selected, settings.candidates)), sql_text("judge/dump")),
        settings.bindings(),
    )
    if path.suffix.lower() == ".csv":
        write_atomic(path, _csv(db.batches(sql, bound)))
    else:
        db.copy_to(sql, path, bound)


def _csv(batches: pa.RecordBatchReader) -> bytes:
    names: list[str] = batches.schema.names
    columns = ([column.to_pylist() for column in batch.columns] for batch in batches)
    return csv_bytes(names, (row for batch in columns for row in zip(*batch, strict=True)))
