"""Rows of agent_prompts, agent_recalls, agent_searches and agent_opens on their way into the store."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pyarrow as pa

from workbench.importers.upsert import Counts
from workbench.store import Database

_BATCH = 2000
_TIME = pa.timestamp("us", tz="UTC")
_TEXT, _LIST = pa.string(), pa.list_(pa.string())
_WHO = {"source": _TEXT, "client_type": _TEXT, "session_id": _TEXT}

# Columns by table: the first is the key, `time` names the one that orders rows with the same key.
COLUMNS: dict[str, dict[str, pa.DataType]] = {
    "agent_prompts": {"prompt_id": _TEXT, **_WHO, "prompted_at": _TIME, "query_text": _TEXT},
    "agent_recalls": {
        "recall_id": _TEXT, **_WHO, "prompt_id": _TEXT, "query_id": _TEXT, "seen_at": _TIME, "uris": _LIST,
        "given_session_id": _TEXT,
    },
    "agent_searches": {"search_id": _TEXT, **_WHO, "searched_at": _TIME, "query_text": _TEXT, "uris": _LIST},
    "agent_opens": {
        "open_id": _TEXT, **_WHO, "opened_at": _TIME, "uri": _TEXT, "given_session_id": _TEXT,
        "given_query_id": _TEXT, "found": pa.bool_(),
    },
}  # fmt: skip


class Rows:
    """Collects rows in temporary tables of `db`, a few at a time in memory, until they are merged."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._held: dict[str, list[dict[str, Any]]] = {table: [] for table in COLUMNS}
        self._numbers = 0
        for table in COLUMNS:
            db.execute(
                f"CREATE OR REPLACE TEMP TABLE staged_{table} AS SELECT *, 0::BIGINT AS number FROM wb.{table} LIMIT 0"
            )

    def add(self, table: str, row: dict[str, Any]) -> None:
        """Take a row; columns that it does not name are NULL."""
        self._numbers += 1
        held = self._held[table]
        held.append({**row, "number": self._numbers})
        if len(held) == _BATCH:
            self._write(table)

    def merge(self, since: datetime | None) -> dict[str, Counts]:
        """Put every row into its table of schema wb; what the store holds stays, only what it lacks is filled in.

        Of rows with the same key the earliest counts. Rows from before `since` are skipped.
        """
        return {table: self._merge(table, since) for table in COLUMNS}

    def _write(self, table: str) -> None:
        schema = pa.schema([*COLUMNS[table].items(), ("number", pa.int64())])
        self._db.append(f"staged_{table}", pa.Table.from_pylist(self._held[table], schema))
        self._held[table] = []

    def _merge(self, table: str, since: datetime | None) -> Counts:
        self._write(table)
        db, staged, target = self._db, f"staged_{table}", f"wb.{table}"
        key, *others = COLUMNS[table]
        time = next(name for name, kind in COLUMNS[table].items() if kind == _TIME)
        read = _count(db, f"(SELECT DISTINCT {key} FROM {staged})")
        if since is not None:
            db.execute(f"DELETE FROM {staged} WHERE {time} < $since", {"since": since})
        order = f"(coalesce({time}, 'infinity'::TIMESTAMPTZ), number)"
        firsts = ", ".join(f"arg_min({_said(table, name)}, {order}) AS {name}" for name in others)
        db.execute(f"CREATE OR REPLACE TEMP TABLE folded AS SELECT {key}, {firsts} FROM {staged} GROUP BY {key}")
        known = f"folded AS n JOIN {target} AS t ON t.{key} = n.{key}"
        news = " OR ".join(f"({_said(table, name, 't.')} IS NULL AND n.{name} IS NOT NULL)" for name in others)
        updated = _count(db, f"{known} WHERE {news}")
        if updated:
            sets = ", ".join(f"{name} = {_filled(table, name)}" for name in others)
            db.execute(f"UPDATE {target} AS t SET {sets} FROM folded AS n WHERE t.{key} = n.{key} AND ({news})")
        fresh = f"folded AS n ANTI JOIN {target} AS t ON t.{key} = n.{key}"
        added = _count(db, fresh)
        columns = ", ".join(_whole(table, name) for name in others)
        db.execute(f"INSERT INTO {target} BY NAME SELECT {key}, {columns} FROM {fresh} ORDER BY {time}, {key}")
        db.execute(f"DROP TABLE folded; DROP TABLE {staged}")
        return Counts(read=read, added=added, updated=updated, skipped=read - added - updated)


def _said(table: str, name: str, of: str = "") -> str:
    """The value of a column, NULL where it says nothing."""
    return f"nullif({of}{name}, []::VARCHAR[])" if COLUMNS[table][name] == _LIST else f"{of}{name}"


def _filled(table: str, name: str) -> str:
    empty = ", []::VARCHAR[]" if COLUMNS[table][name] == _LIST else ""
    return f"coalesce({_said(table, name, 't.')}, n.{name}{empty})"


def _whole(table: str, name: str) -> str:
    return f"coalesce(n.{name}, []::VARCHAR[]) AS {name}" if COLUMNS[table][name] == _LIST else f"n.{name}"


def _count(db: Database, relation: str) -> int:
    count: int = db.row(f"SELECT count(*) FROM {relation}")[0]
    return count
