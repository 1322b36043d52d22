"""The inbox: nothing acknowledged is lost, nothing is taken in twice, whatever is killed when."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from workbench.errors import BadInput
from workbench.store import Database, Inbox, reading, writing

APPENDER = """
import sys
from pathlib import Path
from workbench.store import Inbox
inbox = Inbox(Path(sys.argv[1]))
for number in range(int(sys.argv[3])):
    inbox.append("node", {"uuid": f"{sys.argv[2]}-{number}"})
    print(number, flush=True)
"""

FOLDER = """
import os, signal, sys
from pathlib import Path
from workbench.store import Inbox, writing
path = Path(sys.argv[1])
def take(db, records):
    for record in records:
        db.execute("INSERT INTO nodes (uuid) VALUES ($uuid)", record)
if sys.argv[2] == "after":
    Inbox._remove = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
with writing(path, "fold") as db:
    Inbox(path).fold(db, {"node": take})
    if sys.argv[2] == "before":
        os.kill(os.getpid(), signal.SIGKILL)
"""


def take(db: Database, records: Sequence[dict[str, Any]]) -> None:
    for record in records:
        db.execute("INSERT INTO nodes (uuid) VALUES ($uuid)", record)


def fold(path: Path) -> int:
    with writing(path, "fold") as db:
        return Inbox(path).fold(db, {"node": take})


def stored(path: Path) -> list[str]:
    with reading(path) as db:
        return [uuid for (uuid,) in db.rows("SELECT uuid FROM nodes ORDER BY uuid")]


def waiting(path: Path) -> list[str]:
    with Inbox(path).pending() as (_, entries):
        return [entry.record["uuid"] for entry in entries]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    store = tmp_path / "store.duckdb"
    with writing(store, "test"):
        pass
    return store


def test_entries_are_read_in_order_and_folded_once(path: Path) -> None:
    inbox = Inbox(path)
    for uuid in ("b", "a\nc", "\ud800"):
        inbox.append("node", {"uuid": uuid})
    assert waiting(path) == ["b", "a\nc", "\ud800"]
    inbox = Inbox(path)
    with writing(path, "fold") as db:
        seen: list[str] = []
        assert inbox.fold(db, {"node": lambda _, records: seen.extend(r["uuid"] for r in records)}) == 3
    assert seen == ["b", "a\nc", "\ud800"]
    assert waiting(path) == []
    assert fold(path) == 0
    assert list(path.with_name("store.duckdb.inbox").glob("*.jsonl")) == []


def test_the_inbox_is_readable_by_its_owner_alone(path: Path) -> None:
    Inbox(path).append("node", {"uuid": "a"})
    folder = path.with_name("store.duckdb.inbox")
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {file.stat().st_mode & 0o777 for file in folder.iterdir()} == {0o600}


def fold_twice_and_fail(path: Path) -> None:
    with writing(path, "fold") as db:
        assert Inbox(path).fold(db, {"node": take}) == 1
        assert Inbox(path).fold(db, {"node": take}) == 0
        raise ZeroDivisionError


def test_a_publication_that_fails_leaves_every_entry_pending(path: Path) -> None:
    Inbox(path).append("node", {"uuid": "a"})
    with pytest.raises(ZeroDivisionError):
        fold_twice_and_fail(path)
    Inbox(path).append("node", {"uuid": "b"})
    assert waiting(path) == ["a", "b"]
    assert fold(path) == 2
    assert stored(path) == ["a", "b"]


@pytest.mark.parametrize(("moment", "before"), [("before", []), ("after", ["a", "b"])])
def test_a_kill_around_the_publication_neither_loses_nor_doubles(path: Path, moment: str, before: list[str]) -> None:
    for uuid in ("a", "b"):
        Inbox(path).append("node", {"uuid": uuid})
    killed = subprocess.run([sys.executable, "-c", FOLDER, str(path), moment], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert stored(path) == before
    assert sorted(stored(path) + waiting(path)) == ["a", "b"]
    fold(path)
    assert stored(path) == ["a", "b"]
    assert list(path.with_name("store.duckdb.inbox").glob("*.jsonl")) == []


def test_a_reader_of_an_old_generation_keeps_what_is_folded_meanwhile(path: Path) -> None:
    Inbox(path).append("node", {"uuid": "a"})
    with Inbox(path).pending() as (db, entries):
        fold(path)
        assert db.row("SELECT count(*) FROM nodes") == (0,)
        assert [entry.record["uuid"] for entry in entries] == ["a"]
    assert (stored(path), waiting(path)) == (["a"], [])


def test_an_unfinished_last_line_is_left_out_and_cut_off_by_the_next(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    inbox = Inbox(path)
    inbox.append("node", {"uuid": "a"})
    current = path.with_name("store.duckdb.inbox") / "current.jsonl"
    whole = current.read_bytes()
    current.write_bytes(whole + b'{"kind":"node","rec')
    assert waiting(path) == ["a"]
    inbox.append("node", {"uuid": "b"})
    assert waiting(path) == ["a", "b"]
    current.write_bytes(current.read_bytes() + b"[1]\nno json\n")
    assert waiting(path) == ["a", "b"]
    assert caplog.text.count("is left out") == 2


def test_an_unknown_kind_is_kept(path: Path) -> None:
    Inbox(path).append("from the future", {"x": 1})
    with pytest.raises(BadInput, match="from the future"):
        fold(path)
    assert [entry.kind for entry in Inbox(path).read()] == ["from the future"]


def test_processes_append_while_others_fold_and_one_is_killed(path: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", APPENDER, str(path), name, "60"], stdout=subprocess.PIPE, text=True)
        for name in ("x", "y", "z")
    ]
    assert writers[2].stdout is not None
    acknowledged = [int(writers[2].stdout.readline()) for _ in range(5)]
    writers[2].kill()
    acknowledged += [int(line) for line in writers[2].stdout if line.endswith("\n")]
    while any(writer.poll() is None for writer in writers):
        fold(path)
    for writer in writers:
        writer.communicate()
    fold(path)
    found = stored(path)
    promised = {f"{name}-{number}" for name in "xy" for number in range(60)} | {f"z-{n}" for n in acknowledged}
    assert len(found) == len(set(found))
    assert promised <= set(found) <= promised | {f"z-{len(acknowledged)}"}


@pytest.mark.skipif(os.name != "posix", reason="limits of file sizes are POSIX")
def test_an_entry_that_finds_no_room_is_refused_whole(path: Path) -> None:
    code = (
        "import resource, sys; from pathlib import Path; from workbench.store import Inbox\n"
        "inbox = Inbox(Path(sys.argv[1]))\n"
        "inbox.append('node', {'uuid': 'a'})\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (300, resource.RLIM_INFINITY))\n"
        "try:\n    inbox.append('node', {'uuid': 'x' * 1000})\n"
        "except Exception as error:\n    print(type(error).__name__, error)\n"
        "inbox.append('node', {'uuid': 'b'})\n"
    )
    said = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert said.stdout.startswith("BadInput Cannot write to")
    assert waiting(path) == ["a", "b"]
