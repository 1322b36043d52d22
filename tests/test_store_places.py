"""Where a store can be and what it can run out of: names, links, damage, disks, memory, other users."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from workbench.errors import BadConfig, BadInput
from workbench.store import in_memory, reading, writing


def python(code: str, path: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", code, str(path), *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def as_another_user(code: str, path: Path) -> str:
    """What `code` prints as a user who is not the administrator; modules are loaded before."""
    start = "import os, sys, duckdb, pyarrow, filelock\nfrom pathlib import Path\nfrom workbench.store import *\n"
    start += "with in_memory() as db: db.arrow('SELECT 1')\n"
    start += "if os.geteuid() == 0: os.setegid(65534); os.seteuid(65534)\n"
    guarded = "try:\n" + "".join(f"    {line}\n" for line in code.splitlines())
    process = python(f"{start}{guarded}except Exception as error: print(type(error).__name__, error)", path)
    said, trouble = process.communicate()
    assert process.returncode == 0, trouble
    return said


@pytest.fixture
def path(tmp_path: Path) -> Path:
    store = tmp_path / "store.duckdb"
    with writing(store, "test"):
        pass
    return store


def nodes(path: Path) -> int:
    with reading(path) as db:
        count: int = db.row("SELECT count(*) FROM nodes")[0]
        return count


@pytest.mark.parametrize("name", ["wb", "main", "memory", "store", "it's a store"])
def test_any_file_name_will_do(tmp_path: Path, name: str) -> None:
    path = tmp_path / f"{name}.duckdb"
    for count in (1, 2):
        with writing(path, "test") as db:
            db.execute("INSERT INTO nodes (uuid) VALUES ('a')")
        assert nodes(path) == count


def test_a_link_to_a_store_stays_a_link(path: Path) -> None:
    link = path.parent / "elsewhere" / "link.duckdb"
    link.parent.mkdir()
    link.symlink_to(path)
    with writing(link, "test") as db:
        db.execute("INSERT INTO nodes (uuid) VALUES ('a')")
    assert link.is_symlink()
    assert nodes(path) == 1


def test_a_database_with_only_a_view_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.duckdb"
    with duckdb.connect(str(path)) as other:
        other.execute("CREATE VIEW mine AS SELECT 1")
    with pytest.raises(BadInput, match="not a store of the workbench"), writing(path, "test"):
        pass


def test_a_pipe_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BadInput, match="not a file"), reading(tmp_path / "pipe"):
        pass


@pytest.mark.parametrize("where", [100, 9_000, 1_000_000])
@pytest.mark.parametrize("cut", [True, False])
def test_a_damaged_store_is_named_and_left_alone(path: Path, where: int, cut: bool) -> None:
    with writing(path, "test") as db:
        db.execute("INSERT INTO nodes (uuid) SELECT uuid() FROM range(100000)")
    content = path.read_bytes()
    damaged = content[:where] if cut else content[:where] + bytes([content[where] ^ 0xFF]) + content[where + 1 :]
    path.write_bytes(damaged)
    for opened in (reading(path), writing(path, "test")):
        with pytest.raises(BadInput, match="damaged"), opened as db:
            db.row("SELECT max(uuid) FROM nodes")
    assert path.read_bytes() == damaged


def test_a_full_disk_is_one_sentence_and_changes_nothing(path: Path) -> None:
    before = path.read_bytes()
    code = (
        "import resource, sys; from pathlib import Path; from workbench.store import writing\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (3_000_000, resource.RLIM_INFINITY))\n"
        "try:\n    with writing(Path(sys.argv[1]), 'test') as db:\n"
        "        db.execute('INSERT INTO nodes (uuid) SELECT uuid() FROM range(500000)')\n"
        "except Exception as error:\n    print(type(error).__name__, error)\n"
    )
    said, trouble = python(code, path).communicate()
    assert said.startswith("BadInput There is no room left on the disk"), trouble
    assert path.read_bytes() == before
    assert sorted(file.name for file in path.parent.iterdir()) == ["store.duckdb", "store.duckdb.lock"]


def test_a_limit_of_memory_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_MEMORY_LIMIT", "30MB")
    with in_memory() as db:
        db.execute("SET max_temp_directory_size = '1MB'")
        with pytest.raises(BadInput, match="WORKBENCH_MEMORY_LIMIT"):
            db.execute("CREATE TABLE big AS SELECT random() AS a, random() AS b FROM range(10000000)")


@pytest.mark.parametrize("variable", ["WORKBENCH_MEMORY_LIMIT", "WORKBENCH_THREADS"])
def test_a_limit_that_is_none_is_named(path: Path, monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    monkeypatch.setenv(variable, "plenty")
    with pytest.raises(BadConfig, match=f"{variable}='plenty'"), reading(path):
        pass


def test_threads_are_those_that_the_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORKBENCH_THREADS", raising=False)
    if sys.platform == "linux":
        monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0})
        with in_memory() as db:
            assert db.row("SELECT current_setting('threads')") == (1,)
    monkeypatch.setenv("WORKBENCH_THREADS", "3")
    with in_memory() as db:
        assert db.row("SELECT current_setting('threads')") == (3,)


def test_what_a_killed_reader_spilled_is_removed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = (
        "import sys, time; from pathlib import Path; from workbench.store import reading\n"
        "with reading(Path(sys.argv[1])):\n    print('inside', flush=True)\n    time.sleep(30)\n"
    )
    spilled = path.parent / "temporary"
    spilled.mkdir()
    monkeypatch.setenv("TMPDIR", str(spilled))
    with python(code, path) as reader:
        assert reader.stdout is not None
        reader.stdout.readline()
        (folder,) = spilled.iterdir()
        assert folder.stat().st_mode & 0o777 == 0o700
        assert others_spill(path) == "1\n"
        reader.kill()
    assert others_spill(path) == "0\n"


def others_spill(path: Path) -> str:
    """How many folders for spilled data another process finds once it has opened the store, its own not counted."""
    code = (
        "import os, sys; from pathlib import Path; from workbench.store import reading\n"
        "with reading(Path(sys.argv[1])):\n    print(len(os.listdir(os.environ['TMPDIR'])) - 1)\n"
    )
    return python(code, path).communicate()[0]


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user reaches."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only the administrator can act as another user")
def test_places_of_another_user_are_named(open_folder: Path) -> None:
    path = open_folder / "store.duckdb"
    with writing(path, "test"):
        pass
    read = as_another_user("with reading(Path(sys.argv[1])): pass", path)
    assert read.startswith("BadInput You may not read")
    write = as_another_user("with writing(Path(sys.argv[1]), 'test'): pass", path)
    assert write.startswith("BadInput Cannot write in")
    path.chmod(0o644)
    assert as_another_user("with reading(Path(sys.argv[1])) as db: print(db.row('SELECT 1'))", path) == "(1,)\n"


@pytest.mark.parametrize("name", ["a?b.duckdb", os.fsdecode(b"\xff\xfe.duckdb")])
def test_a_name_that_the_database_cannot_take_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadInput, match="takes no question mark and only UTF-8"), writing(tmp_path / name, "test"):
        pass
    assert list(tmp_path.iterdir()) == []
