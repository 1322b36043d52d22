"""Typed rows into the store's tables: new ones are added, changed ones updated, equal ones skipped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from workbench.store import TABLES, Column, Database, Kind, Table


@dataclass
class Counts:
    """What became of the rows of one table; read = added + updated + skipped + rejected."""

    read: int = 0
    added: int = 0
    updated: int = 0
    skipped: int = 0
    rejected: int = 0
    derived: int = 0

    def as_json(self) -> dict[str, int]:
        """The counts of the import report; `derived` only where rows were derived from events."""
        counts = asdict(self)
        if not self.derived:
            del counts["derived"]
        return counts

    @property
    def changed(self) -> bool:
        return bool(self.added or self.updated or self.derived)


def upsert(db: Database, name: str, raw: str, typed: str, since: datetime | None = None) -> Counts:
    """Merge the view `typed` over the staged rows `raw` into the table `name`.

    Of rows with the same key the last one counts, the others count as updates. A NULL never erases a value that the
    store holds. Rows from before `since` are skipped. Leaves the temporary table `changed_<name>` with the keys of
    added and updated rows.
    """
    table = TABLES[name]
    columns = [row[0] for row in db.rows(f"DESCRIBE {typed}") if row[0] != "source_row"]
    key = ", ".join(table.key)
    total: int = db.row(f"SELECT count(*) FROM {raw}")[0]
    if since is not None:
        _delete(db, raw, f"SELECT source_row FROM {typed} WHERE created_at < $since", {"since": since})
    repeated = _keep_last(db, raw, typed, key)
    is_new = db.row(f"SELECT count(*) FROM {name}")[0] == 0
    if is_new:
        db.execute(f"CREATE OR REPLACE TEMP TABLE changed_{name} AS SELECT {key} FROM {typed}")
        updated, chosen = 0, typed
    else:
        updated = _update(db, table, typed, columns)
        same = " AND ".join(f"t.{part} = n.{part}" for part in table.key)
        chosen = f"(SELECT * FROM {typed} AS n WHERE NOT EXISTS (SELECT 1 FROM {name} AS t WHERE {same}))"
        db.execute(f"INSERT INTO changed_{name} SELECT {key} FROM {chosen}")
    added: int = db.row(f"SELECT count(*) FROM changed_{name}")[0] - updated
    if added:
        db.execute(f"INSERT INTO {name} BY NAME SELECT {', '.join(columns)} FROM {chosen}")
    return Counts(total, added, updated + repeated, total - added - updated - repeated)


def _keep_last(db: Database, raw: str, typed: str, key: str) -> int:
    """Delete all but the last row of each key; returns how many were deleted."""
    total, distinct = db.row(
        f"SELECT count(*), (SELECT count(*) FROM (SELECT DISTINCT {key} FROM {typed})) FROM {typed}"
    )
    if total != distinct:
        last = f"SELECT max(source_row) FROM {typed} GROUP BY {key}"
        _delete(db, raw, f"SELECT source_row FROM {typed} WHERE source_row NOT IN ({last})")
    return int(total - distinct)


def _delete(db: Database, raw: str, source_rows: str, params: Mapping[str, Any] | None = None) -> None:
    db.execute(f"DELETE FROM {raw} WHERE rowid + 1 IN ({source_rows})", params)


def _update(db: Database, table: Table, typed: str, columns: list[str]) -> int:
    """Update rows that differ; returns how many, and writes changed_<name> with their keys."""
    others = [column for column in table.columns if column.name in columns and column.name not in table.key]
    changed = " OR ".join(_differs(column) for column in others) or "false"
    same = " AND ".join(f"t.{part} = n.{part}" for part in table.key)
    keys = ", ".join(f"n.{part}" for part in table.key)
    db.execute(
        f"CREATE OR REPLACE TEMP TABLE changed_{table.name} AS SELECT {keys} FROM {typed} AS n "
        f"JOIN {table.name} AS t ON {same} WHERE {changed}"
    )
    updated: int = db.row(f"SELECT count(*) FROM changed_{table.name}")[0]
    if updated:
        sets = ", ".join(f"{column.name} = coalesce(n.{column.name}, t.{column.name})" for column in others)
        db.execute(f"UPDATE {table.name} AS t SET {sets} FROM {typed} AS n WHERE {same} AND ({changed})")
    return updated


def _differs(column: Column) -> str:
    """Whether the new row says something else. Sources keep time stamps to the millisecond or finer."""
    new, old = f"n.{column.name}", f"t.{column.name}"
    if column.kind is Kind.TIME:
        return f"({new} IS NOT NULL AND epoch_us({new}) // 1000 IS DISTINCT FROM epoch_us({old}) // 1000)"
    return f"({new} IS NOT NULL AND {new} IS DISTINCT FROM {old})"
