"""Times that no calendar holds, and what a command leaves behind that could not be carried out."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from import_sources import backup, event, query

from workbench.replay.selection import Selection

Run = Callable[..., tuple[int, str, str]]
FAR = "0001-01-01T00:00:00+23:59"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return backup(tmp_path, {"recall_queries": [query("q1")], "recall_events": [event(1, query_id="q1")]})


def test_a_time_that_utc_cannot_hold_is_refused_in_one_sentence(run: Run, source: Path, tmp_path: Path) -> None:
    path = tmp_path / "s.duckdb"
    assert run("import", source, "--db", path)[0] == 0
    for arguments in (
        ("report", "--since", FAR),
        ("replay", "--signals", "engine", "--as-of", FAR),
        ("explain", "q1", "--signals", "engine", "--as-of", FAR),
    ):
        code, out, err = run(*arguments, "--db", path)
        assert (code, out, err.count("\n")) == (2, "", 1), err
        assert "outside the years 1 to 9999" in err
    for since in ("0001-06-01", "9999-12-31T23:59:59.999999"):
        code, _, err = run("report", "--since", since, "--db", path)
        assert (code, err) == (0, "")


def test_the_time_before_a_start_has_its_length_or_is_open() -> None:
    end = datetime(2026, 3, 1, tzinfo=UTC)
    before = Selection(since=datetime(2026, 2, 1, tzinfo=UTC)).preceding(end)
    assert (before.since, before.until) == (datetime(2026, 1, 4, tzinfo=UTC), datetime(2026, 2, 1, tzinfo=UTC))
    early, late = datetime(1, 6, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)
    assert (Selection(since=early).preceding(end).since, Selection(since=early).preceding(end).until) == (None, early)
    assert (Selection(since=late).preceding(end).since, Selection(since=late).preceding(end).until) == (late, late)


def test_a_command_that_makes_no_store_leaves_nothing(run: Run, source: Path, tmp_path: Path) -> None:
    before = sorted(file.name for file in tmp_path.iterdir())
    assert run("import", source, "--db", tmp_path / "s.duckdb", "--dry-run")[0] == 0
    assert run("import", tmp_path / "none.json", "--db", tmp_path / "s.duckdb")[0] == 2
    assert sorted(file.name for file in tmp_path.iterdir()) == before


def test_an_error_is_one_sentence_also_where_events_wait(run: Run, source: Path, tmp_path: Path) -> None:
    path = tmp_path / "s.duckdb"
    assert run("import", source, "--db", path)[0] == 0
    assert run("label", "add", "q1", "core://memory_1", "yes", "--db", path)[0] == 0
    code, _, err = run("label", "add", "nobody", "core://memory_1", "yes", "--db", path)
    assert (code, err.count("\n")) == (2, 1), err
    code, _, err = run("label", "list", "--db", path)
    assert (code, "events wait" in err) == (0, True)
