"""The clocks of a replay: named, read strictly, and never that of the machine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

import workbench
from workbench.errors import BadInput
from workbench.retrieve.clock import Clock, read_time
from workbench.store import Database, compose, in_memory

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
FIRST = datetime(2026, 2, 1, tzinfo=UTC)


@pytest.fixture
def db() -> Iterator[Database]:
    with in_memory() as store:
        store.append("recall_queries", [{"query_id": "q1", "query_text": "a", "created_at": FIRST},
                                        {"query_id": "q2", "query_text": "b", "created_at": NOON}])  # fmt: skip
        yield store


def bound(db: Database, clock: Clock) -> list[tuple[Any, ...]]:
    """(query_id, now, corpus_at) of the two queries, as text."""
    queries = ("queries", "SELECT query_id, created_at AS now FROM recall_queries UNION ALL SELECT 'undated', NULL")
    sql = compose(
        (queries, "corpus/clocked"), "SELECT query_id, now::VARCHAR, corpus_at::VARCHAR FROM {last} ORDER BY 1"
    )
    return db.rows(sql, clock.resolved(db).bindings())


@pytest.mark.parametrize(
    ("option", "engine", "mode", "at"),
    [
        ("logged", False, "logged", None),
        (" Logged ", True, "as-of", None),
        ("as-of", False, "as-of", None),
        ("TODAY", False, "today", None),
        ("2026-03-01", False, "fixed", datetime(2026, 3, 1, tzinfo=UTC)),
        ("2026-03-01T20:00:00", True, "fixed", datetime(2026, 3, 1, 20, tzinfo=UTC)),
        ("2026-03-01T20:00:00+08:00", False, "fixed", NOON),
        ("2026-03-01T12:00:00Z", False, "fixed", NOON),
    ],
)
def test_case_17_the_option_names_a_clock(option: str, engine: bool, mode: str, at: datetime | None) -> None:
    clock = Clock.parse(option, engine=engine)
    assert (clock.mode, clock.at) == (mode, at)
    assert clock.supports_verdicts == clock.per_prompt == (mode in ("logged", "as-of"))


@pytest.mark.parametrize("option", ["", "yesterday", "1772395200", "2026-02-30", "now", "12:00"])
def test_another_word_is_refused_with_what_to_write(option: str) -> None:
    with pytest.raises(BadInput, match=r"--as-of .* is no time; write it like logged, as-of, today, or a time"):
        Clock.parse(option)
    with pytest.raises(BadInput, match="--since"):
        read_time("--since", option)


@pytest.mark.parametrize(
    ("mode", "at"),
    [("fixed", None), ("logged", NOON), ("as-of", NOON), ("fixed", datetime(2026, 3, 1))],  # noqa: DTZ001
)
def test_a_clock_that_cannot_be_is_a_mistake(mode: Any, at: datetime | None) -> None:
    with pytest.raises(ValueError, match=r"do not go together|names no zone"):
        Clock(mode, at)


def test_each_prompt_has_its_own_time_logged_and_as_of(db: Database) -> None:
    for mode in ("logged", "as-of"):
        assert bound(db, Clock.parse(mode)) == [
            ("q1", "2026-02-01 00:00:00+00", "2026-02-01 00:00:00+00"),
            ("q2", "2026-03-01 12:00:00+00", "2026-03-01 12:00:00+00"),
            ("undated", None, None),
        ]


def test_a_fixed_time_is_that_of_every_prompt(db: Database) -> None:
    east = datetime(2026, 3, 1, 20, tzinfo=timezone(timedelta(hours=8)))
    assert {row[1:] for row in bound(db, Clock("fixed", east))} == {("2026-03-01 12:00:00+00",) * 2}


def test_today_is_the_newest_time_stamp_and_everything_that_still_stands(db: Database) -> None:
    assert {row[1:] for row in bound(db, Clock.parse("today"))} == {("2026-03-01 12:00:00+00", "infinity")}
    assert "2026-03-01T12:00:00+00:00" in Clock.parse("today").resolved(db).label
    dates = (NOON + timedelta(days=1), datetime(9999, 12, 31, tzinfo=UTC))
    db.append("memories", [{"id": str(at.year), "node_uuid": "n", "created_at": at} for at in dates])
    assert Clock.parse("today").resolved(db).at == NOON, "without an import, the log's own times count"
    db.execute("INSERT INTO wb.imports VALUES (1, 's', 'k', $at, '{}')", {"at": NOON + timedelta(days=2)})
    assert Clock.parse("today").resolved(db).at == NOON + timedelta(days=1), "case 14: a date of the far future is none"


def test_a_given_today_stays_and_an_empty_store_has_none(db: Database) -> None:
    given = Clock("today", FIRST)
    assert given.resolved(db) == given
    with pytest.raises(ValueError, match="resolve"):
        Clock("today").bindings()
    with in_memory() as empty, pytest.raises(BadInput, match="no time stamp"):
        Clock.parse("today").resolved(empty)


def test_no_statement_and_no_layer_of_a_replay_reads_the_clock_of_the_machine() -> None:
    package = Path(workbench.__file__).parent
    reads = re.compile(r"\b(now|today|transaction_timestamp)\(\)|current_(timestamp|date|time)\b", re.IGNORECASE)
    statements = [file for file in package.glob("sql/**/*.sql") if reads.search(file.read_text(encoding="utf-8"))]
    layers = ("retrieve", "replay", "judge", "metrics", "tune", "params", "textsearch")
    code = re.compile(r"datetime\.(now|utcnow|today)|date\.today|time\.time\(|\bnow\(\)")
    modules = [
        file
        for layer in layers
        for file in package.glob(f"{layer}/**/*.py")
        if code.search(file.read_text(encoding="utf-8"))
    ]
    assert (statements, modules) == ([], [])


def test_labels_say_which_memories_a_result_is_about() -> None:
    labels = {Clock.parse(option).label for option in ("logged", "as-of", "today", "2026-03-01")}
    assert len(labels) == 4
    assert any("2026-03-01T00:00:00+00:00" in label for label in labels)
