"""Small sources in the formats that operators have, and their import into a store in memory."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from workbench.importers import ImportOptions, load
from workbench.store import TABLES, Database, Kind, in_memory

Row = Mapping[str, Any]
Tables = Mapping[str, Sequence[Row]]

NO_MEMORIES: Tables = {"nodes": [], "memories": [], "edges": [], "paths": []}


@dataclass
class Imported:
    """A store, and what imports into it said."""

    db: Database

    def take(self, source: Path, **options: Any) -> dict[str, Any]:
        """Import `source`; the counts of every table must add up."""
        report = load(self.db, str(source), ImportOptions(**options)).as_json()
        for counts in report["tables"].values():
            parts = ("added", "updated", "skipped", "rejected")
            assert counts["read"] == sum(counts[part] for part in parts)
        assert report["rejected_total"] == sum(counts["rejected"] for counts in report["tables"].values())
        return report

    def column(self, table: str, name: str, order: str | None = None) -> list[Any]:
        """One column, in the order of the table's key."""
        order = order or ", ".join(TABLES[table].key)
        return [value for (value,) in self.db.rows(f"SELECT {name} FROM {table} ORDER BY {order}")]


@contextmanager
def empty_store() -> Iterator[Imported]:
    """An empty store."""
    with in_memory() as db:
        yield Imported(db)


def changes(report: dict[str, Any]) -> dict[str, tuple[int, int]]:
    """(added or derived, updated) of the tables that changed."""
    found = {
        name: (counts["added"] + counts.get("derived", 0), counts["updated"])
        for name, counts in report["tables"].items()
    }
    return {name: pair for name, pair in found.items() if pair != (0, 0)}


def backup(folder: Path, tables: Tables) -> Path:
    """A backup with these tables; memories are empty unless given."""
    path = folder / "backup.json"
    document = {
        "format": "lore-backup-v1",
        "created_at": "2026-12-01T05:05:56.480Z",
        "tables": {**NO_MEMORIES, **tables},
    }
    path.write_text(json.dumps(document | {"stats": {}}), encoding="utf-8")
    return path


def event(number: int, **columns: Any) -> dict[str, Any]:
    """A recall event; `columns` may remove one by `...`."""
    row = {
        "id": str(number), "query_text": "how do refunds work", "node_uri": f"core://memory_{number}",
        "retrieval_path": "dense", "view_type": "gist", "pre_rank_score": 0.8, "final_rank_score": 0.7,
        "selected": False, "used_in_answer": False, "metadata": {"raw_score": 0.8},
        "created_at": "2026-03-01T10:00:00.000Z", "query_id": "q1", "session_id": "s1", "client_type": "codex",
        "ranked_position": 1, "displayed_position": None,
    }  # fmt: skip
    return {name: value for name, value in (row | columns).items() if value is not ...}


def query(query_id: str, **columns: Any) -> dict[str, Any]:
    """A row of recall_queries."""
    row = {
        "query_id": query_id, "query_text": "how do refunds work", "session_id": "s1", "client_type": "codex",
        "merged_count": 3, "shown_count": 1, "used_count": 0, "created_at": "2026-03-01T10:00:00.000Z",
    }  # fmt: skip
    return {name: value for name, value in (row | columns).items() if value is not ...}


def jsonl(folder: Path, table: str, rows: Sequence[Row]) -> Path:
    """A JSONL file of a table."""
    return written(folder, f"{table}.jsonl", "".join(json.dumps(row) + "\n" for row in rows).encode())


def csv_file(folder: Path, table: str, rows: Sequence[Row]) -> Path:
    """A CSV file of a table; documents and vectors as JSON text, no value as an empty cell."""
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, TABLES[table].column_names, extrasaction="raise")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: _cell(value) for name, value in row.items()})
    return written(folder, f"{table}.csv", out.getvalue().encode())


def parquet(folder: Path, table: str, rows: Sequence[Row]) -> Path:
    """A Parquet file of a table with the types of the store."""
    types = {
        Kind.INTEGER: pa.int32(), Kind.REAL: pa.float32(), Kind.BOOLEAN: pa.bool_(), Kind.VECTOR: pa.list_(pa.float32())
    }  # fmt: skip
    fields = [(column.name, types.get(column.kind, pa.string())) for column in TABLES[table].columns]
    kinds = {column.name: column.kind for column in TABLES[table].columns}
    plain = [
        {
            name: json.dumps(value) if kinds[name] is Kind.JSON and value is not None else value
            for name, value in row.items()
        }
        for row in rows
    ]
    path = folder / f"{table}.parquet"
    pq.write_table(pa.Table.from_pylist(plain, pa.schema(fields)), path)
    return path


def written(folder: Path, name: str, content: bytes) -> Path:
    """A file with this content."""
    (folder / name).write_bytes(content)
    return folder / name


def _cell(value: Any) -> Any:
    if isinstance(value, dict | list):
        return json.dumps(value)
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else value
