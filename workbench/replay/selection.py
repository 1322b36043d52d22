"""Which logged queries a figure is about: one filter for every surface."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from workbench.store import Database, compose, sql_text

TRAFFIC = ("prompt", "startup", "search", "console", "heartbeat")
SELECTED = "selected"
PRECEDING = "selected_before"


@dataclass(frozen=True)
class Selection:
    """A filter over the logged queries; None leaves everything through.

    `clients` may hold "" for queries that name no client; `text` is matched literally, ignoring case; `since` is
    inclusive, `until` exclusive; `replayable` asks whether the signals of all candidates are known. Of prompts with the
    same text, `once` keeps the first alone; else each counts as often as it was sent. The default keeps the prompts
    that somebody typed.
    """

    traffic: tuple[str, ...] | None = ("prompt",)
    clients: tuple[str, ...] | None = None
    text: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    query_ids: tuple[str, ...] | None = None
    replayable: bool | None = None
    once: bool = False

    def bindings(self) -> dict[str, Any]:
        """The bound values of selected.sql."""
        return {
            "traffic": _listed(self.traffic),
            "clients": _listed(self.clients),
            "text": self.text or None,
            "since": self.since,
            "until": self.until,
            "query_ids": _listed(self.query_ids),
            "replayable": self.replayable,
            "once": self.once or None,
        }

    def for_replay(self) -> Selection:
        """The same filter, without queries whose signals are not all in the log."""
        return replace(self, replayable=True)

    def preceding(self, end: datetime) -> Selection:
        """The same filter over the time before `since`, as long as from there to `end`: none for an earlier `end`, and
        all of it where it would begin before the first year that has a number."""
        if self.since is None:
            raise ValueError("a selection without a start has nothing before it")
        length = max(end - self.since, timedelta(0))
        is_open = length > self.since - datetime.min.replace(tzinfo=UTC)
        return replace(self, since=None if is_open else self.since - length, until=self.since)

    def materialise(self, db: Database, name: str = SELECTED) -> int:
        """Write the temporary table `name` with the queries that pass; returns how many there are."""
        passing = compose(("logged/traffic",), sql_text("selected"))
        db.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS {passing}", self.bindings())
        count: int = db.row(f"SELECT count(*) FROM {name}")[0]
        return count

    def materialise_preceding(self, db: Database, name: str = PRECEDING) -> str | None:
        """Write the temporary table `name` with what passes the same filter in as much time before `since`, where no
        `until` is given up to the newest query of the table SELECTED; returns the name. None without a start."""
        if self.since is None:
            return None
        end = self.until
        if end is None:
            (newest_at,) = db.row(f"SELECT max(now) FROM {SELECTED}")
            end = newest_at + timedelta(microseconds=1) if newest_at else self.since
        self.preceding(end).materialise(db, name)
        return name


def _listed(values: tuple[str, ...] | None) -> list[str] | None:
    return None if values is None else list(values)


def clients(db: Database) -> list[str]:
    """The client types of the log, "" for queries that name none."""
    return [name for (name,) in db.rows("SELECT DISTINCT coalesce(client_type, '') FROM wb.logged_queries ORDER BY 1")]


def log_span(db: Database) -> tuple[datetime | None, datetime | None]:
    """The times of the oldest and the newest query of the log; None where it holds none with a time."""
    first, last = db.row("SELECT min(now), max(now) FROM wb.logged_queries")
    return first, last


_LISTED = (
    "SELECT s.query_id, s.now::VARCHAR, left(r.query_text, 200) FROM {table} AS s"
    " JOIN recall_queries AS r ON r.query_id = s.query_id"
)


def newest(db: Database, most: int, selected: str = SELECTED) -> list[tuple[str, str, str]]:
    """(query_id, time, first 200 characters) of the newest `most` queries of the table `selected`."""
    return db.rows(
        f"{_LISTED.format(table=selected)} ORDER BY s.now DESC, s.query_id LIMIT $most",
        {"most": most},
    )


def prompt_of(db: Database, query_id: str) -> tuple[str, str, str] | None:
    """The same of one query of the log; None where it holds no such query."""
    rows = db.rows(f"{_LISTED.format(table='wb.logged_queries')} WHERE s.query_id = $query_id", {"query_id": query_id})
    return rows[0] if rows else None
