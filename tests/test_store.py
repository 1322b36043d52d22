"""The store: generations, writers that queue, kills, versions, journals, threads."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

from workbench.errors import BadInput, StoreLocked, StoreVersion
from workbench.store import TABLES, compose, in_memory, newest_version, reading, sql_text, writing
from workbench.store.database import connect
from workbench.store.migrations import migrate
from workbench.store.pipeline import bound_values

INSERT = "INSERT INTO nodes (uuid) SELECT 'n' || i FROM range($count) AS r(i)"

WRITER = """
import sys, time
from pathlib import Path
from workbench.store import writing
with writing(Path(sys.argv[1]), "a long import") as db:
    db.execute("INSERT INTO nodes (uuid) SELECT 'late' || i FROM range(200000) AS r(i)")
    print("inside", flush=True)
    time.sleep(float(sys.argv[2]))
"""


OTHER_PROGRAM = """
import duckdb, sys, time
connection = duckdb.connect(sys.argv[1])
connection.execute("BEGIN")
connection.execute("INSERT INTO nodes (uuid) VALUES ('x')")
print("inside", flush=True)
time.sleep(30)
"""


@contextmanager
def running(code: str, path: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A process that holds `path` when this is entered, and is gone when it is left."""
    command = [sys.executable, "-c", code, str(path), *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "inside\n"
            yield process
        finally:
            process.kill()


def fill(path: Path, count: int) -> None:
    with writing(path, "test") as db:
        db.execute(INSERT, {"count": count})


def nodes(path: Path) -> int:
    with reading(path) as db:
        count: int = db.row("SELECT count(*) FROM nodes")[0]
        return count


def older_store(path: Path) -> None:
    """A store as the first migration left it."""
    db = connect(path)
    migrate(db, 0, target=1)
    db.execute(INSERT, {"count": 3})
    db.close()


def test_the_migrations_make_the_declared_tables() -> None:
    with in_memory() as db:
        for table in TABLES.values():
            made = db.rows(
                "SELECT column_name, data_type, is_nullable FROM duckdb_columns()"
                " WHERE schema_name = 'main' AND table_name = $name ORDER BY column_index",
                {"name": table.name},
            )
            assert made == [(column.name, column.kind.sql_type, column.nullable) for column in table.columns]


def test_every_migration_is_recorded_once() -> None:
    with in_memory() as db:
        assert [version for (version,) in db.rows("SELECT version FROM wb.migrations ORDER BY version")] == list(
            range(1, newest_version() + 1)
        )


def test_a_reader_keeps_its_generation_and_a_new_one_sees_the_next(tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    fill(path, 2)
    with reading(path) as old:
        fill(path, 3)
        with reading(path) as new:
            assert old.row("SELECT count(*) FROM nodes") == (2,)
            assert new.row("SELECT count(*) FROM nodes") == (5,)


def test_an_exception_in_a_publication_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    fill(path, 2)
    before = path.read_bytes()
    with pytest.raises(duckdb.ConstraintException), writing(path, "test") as db:
        db.execute("INSERT INTO nodes (uuid) VALUES ('a'); INSERT INTO nodes (uuid) VALUES (NULL)")
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir() if ".next-" in file.name] == []


def test_the_store_is_readable_by_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    with writing(path, "test") as db:
        db.execute(INSERT, {"count": 1})
        (folder,) = tmp_path.glob("*.next-*")
        assert folder.stat().st_mode & 0o777 == 0o700
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("delay", [0.0, 0.05, 0.3])
def test_case_42_a_kill_leaves_the_last_published_state(tmp_path: Path, delay: float) -> None:
    path = tmp_path / "store.duckdb"
    fill(path, 7)
    with running(WRITER, path, "30"):
        time.sleep(delay)
    assert nodes(path) == 7
    fill(path, 1)
    assert nodes(path) == 8
    assert list(tmp_path.glob("*.next-*")) == []


def test_case_42_a_second_writer_is_told_who_holds_the_store(tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    fill(path, 1)
    with running(WRITER, path, "30") as writer:
        with pytest.raises(StoreLocked) as told, writing(path, "test", wait_seconds=0.2):
            pass
        assert f"process {writer.pid} (a long import, since " in str(told.value)
        assert "try again" in str(told.value)
        assert nodes(path) == 1


def test_writers_queue(tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    fill(path, 1)
    with running(WRITER, path, "0.5") as writer:
        fill(path, 2)
        assert writer.wait() == 0
    assert nodes(path) == 200_003


def test_case_42_a_newer_store_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    fill(path, 1)
    db = connect(path)
    db.execute("INSERT INTO wb.migrations (version, name) VALUES (9999, 'from the future')")
    db.close()
    before = path.read_bytes()
    for attempt in (lambda: nodes(path), lambda: fill(path, 1)):
        with pytest.raises(StoreVersion, match="newer workbench"):
            attempt()
    assert path.read_bytes() == before


def test_case_42_an_older_store_is_upgraded_once_with_a_copy_kept(tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    older_store(path)
    before = path.read_bytes()
    assert nodes(path) == 3
    assert (tmp_path / "store.duckdb.v1.bak").read_bytes() == before
    with reading(path) as db:
        assert db.row("SELECT max(version) FROM wb.migrations") == (newest_version(),)
        assert db.row("SELECT count(*) FROM wb.logged_candidates") == (0,)


@pytest.mark.parametrize("journal", [b"\x00garbage" * 50, b"x"])
def test_case_42_a_broken_journal_is_set_aside(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, journal: bytes
) -> None:
    path = tmp_path / "store.duckdb"
    fill(path, 4)
    (tmp_path / "store.duckdb.wal").write_bytes(journal)
    assert nodes(path) == 4
    assert len(list(tmp_path.glob("store.duckdb.wal.broken-*"))) == 1
    assert "journal" in caplog.text


def test_case_42_a_store_that_another_program_writes_is_named(tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    fill(path, 1)
    with running(OTHER_PROGRAM, path), pytest.raises(StoreLocked, match="Another program has"):
        nodes(path)


@pytest.mark.parametrize("content", [b"not a database at all", b"", b"PAR1 something else"])
def test_a_file_that_is_no_store_is_never_overwritten(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other.duckdb"
    path.write_bytes(content)
    with pytest.raises(BadInput, match="not a store"):
        fill(path, 1)
    assert path.read_bytes() == content


def test_a_database_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.duckdb"
    with duckdb.connect(str(path)) as other:
        other.execute("CREATE TABLE mine (x INTEGER)")
    before = path.read_bytes()
    for attempt in (lambda: nodes(path), lambda: fill(path, 1)):
        with pytest.raises(BadInput, match="not a store of the workbench"):
            attempt()
    assert path.read_bytes() == before


def test_places_that_cannot_hold_a_store_are_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is a folder"):
        fill(tmp_path, 1)
    with pytest.raises(BadInput, match="does not exist"):
        fill(tmp_path / "missing" / "store.duckdb", 1)
    with pytest.raises(BadInput, match="workbench import"):
        nodes(tmp_path / "none.duckdb")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="the administrator may write everywhere")
def test_a_folder_without_permission_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o500)
    with pytest.raises(BadInput, match="Cannot write in"):
        fill(folder / "store.duckdb", 1)


def test_threads_get_cursors_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    fill(path, 500)
    wrong: list[object] = []

    def ask(number: int) -> None:
        own = db.cursor()
        for _ in range(40):
            got = own.row("SELECT $number + count(*) FROM nodes", {"number": number})
            if got != (number + 500,):
                wrong.append(got)

    with reading(path) as db:
        threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []


def test_the_session_is_utc_whatever_the_machine_says(tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    fill(path, 1)
    code = (
        "import sys; from pathlib import Path; from workbench.store import reading\n"
        "with reading(Path(sys.argv[1])) as db:\n"
        "    print(db.row(\"SELECT '2026-03-01 20:00:00'::TIMESTAMPTZ::VARCHAR, current_setting('TimeZone')\"))"
    )
    said = subprocess.run(
        [sys.executable, "-c", code, str(path)], env={**os.environ, "TZ": "Asia/Shanghai"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert said.stdout.strip() == "('2026-03-01 20:00:00+00', 'UTC')"


def test_stages_compose_into_one_statement() -> None:
    with in_memory() as db:
        sql = compose(
            (("start", "SELECT $first AS x"), ("last", "SELECT x + 1 AS y FROM start")), "SELECT y FROM {last}"
        )
        assert db.rows(sql, {"first": 4, "unused": 1}) == [(5,)]
    assert not sql_text("score").startswith("--")


def test_braces_of_a_statement_stay() -> None:
    with in_memory() as db:
        assert db.rows(compose((("one", "SELECT 1 AS x"),), "SELECT {'a': x} FROM {last}")) == [({"a": 1},)]


def test_a_missing_bound_value_is_an_error_of_ours() -> None:
    with pytest.raises(KeyError, match=r"names \$wanted, but only \['other'\]"):
        bound_values("SELECT $wanted", {"other": 1})


def test_only_names_that_stand_in_the_statement_are_bound() -> None:
    sql = """
        SELECT '$text', 'it''s $quoted', "$column", $one, $Two_2 + $one, meta->>'$.path'  -- $comment
        /* $block
           $comment */ FROM a$b WHERE x = $$ $dollars $$
    """
    given = dict.fromkeys(("text", "quoted", "column", "one", "Two_2", "comment", "b", "dollars"), 1)
    assert list(bound_values(sql, given)) == ["one", "Two_2"]


def test_rows_and_tables_are_appended_by_name() -> None:
    with in_memory() as db:
        db.append("nodes", [{"created_at": None, "uuid": "a"}, {"created_at": None, "uuid": "b"}])
        db.append("nodes", db.arrow("SELECT 'c' AS uuid"))
        assert db.rows("SELECT uuid, created_at FROM nodes ORDER BY 1") == [("a", None), ("b", None), ("c", None)]
        assert [batch.num_rows for batch in db.batches("SELECT * FROM range(5000)", size=2048)] == [2048, 2048, 904]


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "out.parquet"
    with in_memory() as db:
        db.copy_to("SELECT $x AS x", target, {"x": 7})
        before = target.read_bytes()
        with pytest.raises(duckdb.Error):
            db.copy_to("SELECT CASE WHEN i > 9000 THEN error('stop') ELSE i END AS i FROM range(10000) AS r(i)", target)
        with pytest.raises(BadInput, match="Cannot write"):
            db.copy_to("SELECT 1 AS x", tmp_path / "missing" / "out.parquet")
    assert target.read_bytes() == before
    assert list(tmp_path.iterdir()) == [target]


def test_a_long_statement_writes_nothing_to_standard_output(capfd: pytest.CaptureFixture[str]) -> None:
    with in_memory() as db:
        assert db.row("SELECT current_setting('enable_progress_bar')") == (False,)
        db.cursor().rows("SELECT count(*) FROM range(1000)")
        assert db.cursor().row("SELECT current_setting('enable_progress_bar')") == (False,)
    assert capfd.readouterr().out == ""
