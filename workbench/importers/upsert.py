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


def forget_changes(db: Database) -> None:
    """Make an empty temporary table changed_<name> for each table: the keys of rows that an import adds or updates."""
    for table in TABLES.values():
        keys = ", ".join(table.key)
        db.execute(f"CREATE OR REPLACE TEMP TABLE changed_{table.name} AS SELECT {keys} FROM {table.name} LIMIT 0")


def upsert(db: Database, counts: Counts, name: str, raw: str, typed: str, since: datetime | None = None) -> None:
    """Merge the view `typed` over the staged rows `raw` into the table `name`, and add to `counts`.

    Of rows with the same key the last one counts, with what only the earlier ones say; they count as updates where
    they changed something. A NULL never erases a value that the store holds. Rows from before `since` are skipped.
    Adds the keys of added and updated rows to changed_<name>.
    """
    table = TABLES[name]
    columns = [row[0] for row in db.rows(f"DESCRIBE {typed}") if row[0] != "source_row"]
    total = _count(db, raw)
    if since is not None and "created_at" in columns:
        _delete(db, raw, f"SELECT source_row FROM {typed} WHERE created_at < $since", {"since": since})
    repeated = _fold_repeats(db, table, raw, typed, columns)
    same = _same(table, "t", "n")
    updated, chosen = 0, typed
    if _count(db, f"{typed} AS n SEMI JOIN {name} AS t ON {same}"):
        updated = _update(db, table, typed, columns, same)
        chosen = f"{typed} AS n ANTI JOIN {name} AS t ON {same}"
    key = ", ".join(table.key)
    before = _count(db, f"changed_{name}")
    db.execute(f"INSERT INTO changed_{name} SELECT {key} FROM {chosen}")
    added = _count(db, f"changed_{name}") - before
    if added:
        db.execute(f"INSERT INTO {name} BY NAME SELECT {', '.join(columns)} FROM {chosen}")
    if repeated:
        updated += int(
            db.row(f"SELECT coalesce(sum(n.more), 0) FROM repeated AS n SEMI JOIN changed_{name} AS t ON {same}")[0]
        )
    counts.read += total
    counts.added += added
    counts.updated += updated
    counts.skipped += total - added - updated


def _fold_repeats(db: Database, table: Table, raw: str, typed: str, columns: list[str]) -> int:
    """Fold rows with the same key into the last of them. Returns how many are gone; `repeated` counts them."""
    key = ", ".join(table.key)
    total, distinct = db.row(
        f"SELECT count(*), (SELECT count(*) FROM (SELECT DISTINCT {key} FROM {typed})) FROM {typed}"
    )
    if total == distinct:
        return 0
    keys = ", ".join(f"t.{part}" for part in table.key)
    latest = ", ".join(f"arg_max(w.{name}, t.source_row) AS {name}" for name in columns)
    db.execute(
        f"CREATE OR REPLACE TEMP TABLE folded AS SELECT max(t.source_row) AS last, {latest} FROM {typed} AS t"
        f" JOIN {raw} AS w ON w.rowid + 1 = t.source_row GROUP BY {keys} HAVING count(*) > 1"
    )
    db.execute(
        f"CREATE OR REPLACE TEMP TABLE repeated AS"
        f" SELECT {key}, count(*) - 1 AS more FROM {typed} GROUP BY {key} HAVING count(*) > 1"
    )
    _delete(
        db,
        raw,
        f"SELECT source_row FROM {typed} AS t SEMI JOIN repeated AS r ON {_same(table, 't', 'r')}"
        " WHERE source_row NOT IN (SELECT last FROM folded)",
    )
    sets = ", ".join(f"{name} = f.{name}" for name in columns)
    db.execute(f"UPDATE {raw} AS w SET {sets} FROM folded AS f WHERE w.rowid + 1 = f.last")
    return int(total - distinct)


def _delete(db: Database, raw: str, source_rows: str, params: Mapping[str, Any] | None = None) -> None:
    db.execute(f"DELETE FROM {raw} WHERE rowid + 1 IN ({source_rows})", params)


def _update(db: Database, table: Table, typed: str, columns: list[str], same: str) -> int:
    """Update rows that differ; returns how many, and adds their keys to changed_<name>."""
    others = [column for column in table.columns if column.name in columns and column.name not in table.key]
    changed = " OR ".join(_differs(column) for column in others) or "false"
    keys = ", ".join(f"n.{part}" for part in table.key)
    before = _count(db, f"changed_{table.name}")
    db.execute(
        f"INSERT INTO changed_{table.name} SELECT {keys} FROM {typed} AS n JOIN {table.name} AS t ON {same}"
        f" WHERE {changed}"
    )
    updated = _count(db, f"changed_{table.name}") - before
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


def _same(table: Table, one: str, other: str) -> str:
    return " AND ".join(f"{one}.{part} = {other}.{part}" for part in table.key)


def _count(db: Database, relation: str) -> int:
    count: int = db.row(f"SELECT count(*) FROM {relation}")[0]
    return count
