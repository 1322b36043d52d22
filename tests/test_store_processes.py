"""The store among processes: kills, readers during publications, writers that queue, journals of other programs."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import pytest

from workbench.errors import StoreLocked
from workbench.store import Database, in_memory, newest_version, reading, writing
from workbench.store.database import connect
from workbench.store.migrations import migrate

# Every publication of this writer adds as many rows to one table as to the other.
PUBLISHER = """
import sys
from pathlib import Path
from workbench.store import writing
for number in range(int(sys.argv[2])):
    with writing(Path(sys.argv[1]), "steady writer") as db:
        if number == 0:
            print("inside", flush=True)
        db.execute("INSERT INTO nodes (uuid) SELECT uuid()::VARCHAR FROM range(2000)")
        db.execute("INSERT INTO app_settings (key, value) SELECT uuid()::VARCHAR, '{}' FROM range(2000)")
"""

READER = """
import sys
from pathlib import Path
from workbench.store import reading
last = 0
for _ in range(int(sys.argv[2])):
    with reading(Path(sys.argv[1])) as db:
        for _ in range(2):
            nodes = db.row("SELECT count(*) FROM nodes")[0]
            settings = db.row("SELECT count(*) FROM app_settings")[0]
            assert nodes == settings and nodes % 2000 == 0 and nodes >= last, (nodes, settings, last)
            last = nodes
print("inside", flush=True)
"""

# Another program that commits into the store and ends without tidying up.
CRASHED = """
import duckdb, os, signal, sys
connection = duckdb.connect(sys.argv[1])
for number in range(3):
    connection.execute("INSERT INTO nodes (uuid) SELECT $n || '-' || i FROM range(100) AS r(i)", {"n": str(number)})
os.kill(os.getpid(), signal.SIGKILL)
"""

COUNTS = "SELECT (SELECT count(*) FROM nodes), (SELECT count(*) FROM app_settings)"


def python(code: str, path: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", code, str(path), *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    store = tmp_path / "store.duckdb"
    with writing(store, "test"):
        pass
    return store


@pytest.fixture
def crashed(path: Path) -> Iterator[Path]:
    """A store with the journal of a program that died: 300 rows."""
    python(CRASHED, path).communicate()
    assert path.with_name("store.duckdb.wal").exists()
    yield path
    assert not path.with_name("store.duckdb.wal").exists()


def fail_to_empty(path: Path) -> None:
    with writing(path, "test") as db:
        db.execute("DELETE FROM nodes")
        raise ZeroDivisionError


def counts(path: Path) -> tuple[int, int]:
    with reading(path) as db:
        nodes, settings = db.row(COUNTS)
        return nodes, settings


def test_case_42_a_kill_at_any_moment_leaves_a_whole_generation(path: Path) -> None:
    moments = random.Random(42)
    before = 0
    for _ in range(12):
        with python(PUBLISHER, path, "1000") as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            time.sleep(moments.uniform(0, 0.4))
            writer.kill()
        nodes, settings = counts(path)
        assert nodes == settings
        assert nodes >= before
        assert nodes % 2000 == 0
        before = nodes
    with writing(path, "test"):
        pass
    assert {file.name for file in path.parent.iterdir()} == {"store.duckdb", "store.duckdb.lock"}


def test_readers_see_whole_generations_while_a_writer_publishes(path: Path) -> None:
    writer = python(PUBLISHER, path, "12")
    readers = [python(READER, path, "25") for _ in range(2)]
    for process in (*readers, writer):
        _, trouble = process.communicate()
        assert process.returncode == 0, trouble
    assert counts(path) == (24_000, 24_000)


def test_readers_in_threads_see_whole_generations_while_a_writer_publishes(path: Path) -> None:
    def read(_: int) -> bool:
        with reading(path) as db:
            nodes, settings = db.row(COUNTS)
            return nodes == settings and (nodes, settings) == db.row(COUNTS)

    with python(PUBLISHER, path, "8") as writer, ThreadPoolExecutor(4) as pool:
        assert all(pool.map(read, range(60)))
        writer.communicate()
    assert counts(path) == (16_000, 16_000)


def test_writers_queue_and_none_is_lost(path: Path) -> None:
    writers = [python(PUBLISHER, path, "5") for _ in range(3)]
    waited = [process.communicate()[1] for process in writers]
    assert [process.returncode for process in writers] == [0, 0, 0]
    assert counts(path) == (30_000, 30_000)
    assert any("Waiting for process" in said and "(steady writer, since 2" in said for said in waited)


def test_case_42_a_journal_of_another_program_is_read_and_taken_in(crashed: Path) -> None:
    assert counts(crashed) == (300, 0)
    with pytest.raises(ZeroDivisionError):
        fail_to_empty(crashed)
    assert counts(crashed) == (300, 0)
    with writing(crashed, "test") as db:
        assert db.row("SELECT count(*) FROM nodes") == (300,)
    assert list(crashed.parent.glob("*.broken-*")) == []
    assert counts(crashed) == (300, 0)


@pytest.mark.parametrize("kept", [0.2, 0.5, 0.99])
def test_case_42_a_truncated_journal_is_set_aside(crashed: Path, kept: float, caplog: pytest.LogCaptureFixture) -> None:
    journal = crashed.with_name("store.duckdb.wal")
    cut = journal.read_bytes()[: int(journal.stat().st_size * kept)]
    journal.write_bytes(cut)
    nodes, _ = counts(crashed)
    assert nodes in {0, 100, 200}
    (aside,) = crashed.parent.glob("store.duckdb.wal.broken-*")
    assert aside.read_bytes() == cut
    assert aside.stat().st_mode & 0o777 == 0o600
    assert str(aside) in caplog.text
    assert counts(crashed) == (nodes, 0)


def test_case_42_a_damaged_journal_is_set_aside_by_a_writer(crashed: Path, caplog: pytest.LogCaptureFixture) -> None:
    journal = crashed.with_name("store.duckdb.wal")
    damaged = bytearray(journal.read_bytes())
    damaged[len(damaged) // 2] ^= 0xFF
    journal.write_bytes(damaged)
    with writing(crashed, "test"):
        pass
    assert len(list(crashed.parent.glob("store.duckdb.wal.broken-*"))) == 1
    assert "set aside" in caplog.text
    assert counts(crashed) == (0, 0)


def test_a_journal_that_is_in_the_store_already_is_not_taken_in_twice(crashed: Path) -> None:
    journal = crashed.with_name("store.duckdb.wal")
    content = journal.read_bytes()
    with writing(crashed, "test"):
        pass
    journal.write_bytes(content)  # as after a kill between the publication and the removal
    assert counts(crashed) == (300, 0)


def test_case_42_a_store_without_the_duration_column_is_upgraded(tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    db = connect(path)
    migrate(db, 0, target=2)
    db.execute("ALTER TABLE recall_queries DROP COLUMN duration_ms")
    db.execute("INSERT INTO recall_queries (query_id, query_text) VALUES ('q', 'text')")
    db.close()
    with reading(path) as db:
        assert db.rows("SELECT query_id, duration_ms FROM recall_queries") == [("q", None)]
        versions = [version for (version,) in db.rows("SELECT version FROM wb.migrations ORDER BY applied_at, version")]
    assert versions == list(range(1, newest_version() + 1))
    copy = tmp_path / "store.duckdb.v2.bak"
    assert copy.stat().st_mode & 0o777 == 0o600
    with duckdb.connect(str(copy), read_only=True) as older:
        assert older.execute("SELECT max(version) FROM wb.migrations").fetchall() == [(2,)]


def test_an_upgrade_that_fails_leaves_the_older_store(tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    db = connect(path)
    migrate(db, 0, target=2)
    db.execute("CREATE TABLE wb.inbox_folded (mine INTEGER)")
    db.close()
    before = path.read_bytes()
    with pytest.raises(duckdb.CatalogException), writing(path, "test"):
        pass
    assert path.read_bytes() == before
    assert sorted(file.name for file in tmp_path.iterdir()) == ["store.duckdb", "store.duckdb.lock"]


def write_with_another_program(path: Path) -> None:
    with writing(path, "test"):
        code = "import duckdb, sys; duckdb.connect(sys.argv[1]).execute(\"INSERT INTO nodes (uuid) VALUES ('x')\")"
        subprocess.run([sys.executable, "-c", code, str(path)], check=True)


def test_what_another_program_wrote_meanwhile_is_not_overwritten(path: Path) -> None:
    with pytest.raises(StoreLocked, match="Another program changed"):
        write_with_another_program(path)
    assert counts(path) == (1, 0)


def test_case_42_a_writer_names_the_program_that_has_the_store_open(path: Path) -> None:
    code = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('inside', flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", code, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with (
            pytest.raises(StoreLocked, match=rf"open for writing \(process {other.pid}, python"),
            writing(path, "test"),
        ):
            pass
        other.kill()


def test_a_cursor_that_outlives_its_publication_cannot_change_the_store(path: Path) -> None:
    with writing(path, "test") as db:
        left = db.cursor()
        left.execute("BEGIN TRANSACTION")
        left.execute("INSERT INTO nodes (uuid) VALUES ('late')")
    with pytest.raises(duckdb.Error):
        left.rows("SELECT 1")
    assert counts(path) == (0, 0)


def test_a_second_thread_on_one_connection_is_refused() -> None:
    refused: list[str] = []

    def ask(db: Database) -> None:
        try:
            db.row("SELECT 1")
        except RuntimeError as error:
            refused.append(str(error))

    with in_memory() as db:
        slow = threading.Thread(
            target=db.row,
            args=("SELECT count(*) FROM range(200000) a, range(5000) b WHERE a.range % 7 = b.range % 5",),
        )
        slow.start()
        while not db._busy.locked() and slow.is_alive():
            time.sleep(0.01)
        ask(db)
        slow.join()
        ask(db)
    assert refused == ["a Database is in use by another thread; give each thread its own cursor()"]
