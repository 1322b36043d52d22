"""Sources that cannot be used: one sentence, exit code 2, and the store stays as it was, to the byte."""

from __future__ import annotations

import gzip
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from workbench import jobs
from workbench.cli.app import main
from workbench.errors import BadInput
from workbench.store import reading, writing

TABLES: dict[str, list[dict[str, Any]]] = {"nodes": [], "memories": [], "edges": [], "paths": []}
EVENT = {
    "id": "1", "query_text": "q", "node_uri": "core://a", "retrieval_path": "exact", "selected": True,
    "used_in_answer": False, "metadata": {"query_id": "q1", "raw_score": 1.0}, "created_at": "2026-01-01T00:00:00Z",
}  # fmt: skip


def backup(**changed: Any) -> bytes:
    return json.dumps({"format": "lore-backup-v1", "tables": TABLES, "stats": {}} | changed).encode()


def write(content: bytes, name: str = "backup.json") -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        (folder / name).write_bytes(content)
        return folder / name

    return make


def empty_folder(folder: Path) -> Path:
    (folder / "nothing").mkdir()
    (folder / "nothing" / "notes.txt").write_text("x", encoding="utf-8")
    return folder / "nothing"


def folder_with(name: str, content: bytes) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        (folder / "tables").mkdir()
        (folder / "tables" / name).write_bytes(content)
        return folder / "tables"

    return make


def as_parquet(columns: dict[str, list[Any]]) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    return out.getvalue()


def half_of_a_parquet_file(folder: Path) -> Path:
    whole = bytearray(as_parquet({"uuid": [f"n{n}" for n in range(5000)]}))
    whole[20:60] = b"\xff" * 40
    return folder_with("nodes.parquet", bytes(whole))(folder)


def folder_as_table(folder: Path) -> Path:
    (folder / "tables" / "nodes.jsonl").mkdir(parents=True)
    return folder / "tables"


def pipe(folder: Path) -> Path:
    if not hasattr(os, "mkfifo"):
        pytest.skip("this system has no named pipes")
    os.mkfifo(folder / "pipe")
    return folder / "pipe"


DEEP = b"[" * 5000 + b"]" * 5000

BAD: dict[str, tuple[Callable[[Path], Path], str]] = {
    "truncated JSON": (write(backup()[:-7]), "cut off or not valid JSON"),
    "a newer format": (write(backup(format="lore-backup-v2")), "lore-backup-v2"),
    "no paths": (write(backup(tables={name: [] for name in ("nodes", "memories", "edges")})), "no table paths"),
    "tables of another shape": (write(backup(tables=[1, 2])), "not a Lore backup"),
    "an empty file": (write(b""), "empty"),
    "a binary file": (write(bytes(range(256)) * 40), "none of the known sources"),
    "a text": (write(b"hello", "notes.txt"), "none of the known sources"),
    "a truncated gzip": (write(gzip.compress(backup() * 50)[:-30], "backup.json.gz"), "cannot be unpacked"),
    "a missing file": (lambda folder: folder / "missing.json", "There is no"),
    "a folder without tables": (empty_folder, "holds no table of Lore"),
    "a broken Parquet file": (folder_with("nodes.parquet", b"PAR1 nonsense PAR1"), "nodes.parquet"),
    "CSV without a header": (folder_with("nodes.csv", b"1,2\n3,4\n"), "no header line"),
    "a missing column": (folder_with("nodes.jsonl", b'{"created_at": "2026-01-01"}\n'), "no column uuid"),
    "a damaged gzip": (write(b"\x1f\x8b\x08\x00 nonsense", "dump.sql.gz"), "cannot be unpacked"),
    "a truncated table": (folder_with("nodes.jsonl.gz", gzip.compress(b'{"uuid": "a"}\n' * 999)[:-9]), "be unpacked"),
    "half a Parquet file": (half_of_a_parquet_file, "nodes.parquet"),
    "Parquet of another table": (folder_with("nodes.parquet", as_parquet({"x": ["a"]})), "no column of nodes"),
    "Parquet with broken text": (folder_with("nodes.parquet", as_parquet({"uuid": [b"\xff"]})), "nodes.parquet"),
    "CSV in UTF-16": (folder_with("nodes.csv", "uuid\r\na\r\n".encode("utf-16")), "export it as UTF-8 CSV"),
    "CSV with a bad header": (folder_with("nodes.csv", b"uuid,\xff\na,b\n"), "not UTF-8 text"),
    "CSV with an open quote": (folder_with("nodes.csv", b'uuid,"x\na,b\n'), "export it as UTF-8 CSV"),
    "a table that is a folder": (folder_as_table, "holds no table of Lore"),
    "a value nested too deeply": (
        write(backup(tables=TABLES | {"nodes": ["DEEP"]}).replace(b'"DEEP"', DEEP)),
        "deeply",
    ),
    "a JSON list": (write(b"[1, 2]"), "none of the known sources"),
    "a backup without tables": (write(b'{"format": "lore-backup-v1"}'), "no table nodes"),
    "a name too long": (lambda folder: folder / ("x" * 300), "Cannot read"),
    "a file below a file": (lambda folder: folder / "good.json" / "x", "There is no"),
    "a name with a line end": (lambda folder: folder / "a\nb", "There is no"),
    "a pipe": (pipe, "a device or a pipe"),
}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with one query in it."""
    (tmp_path / "good.json").write_bytes(backup(tables=TABLES | {"recall_events": [EVENT]}))
    jobs.import_log(tmp_path / "store.duckdb", str(tmp_path / "good.json"))
    return tmp_path / "store.duckdb"


@pytest.mark.parametrize("case", BAD)
def test_a_bad_source_is_one_sentence_and_changes_nothing(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], case: str
) -> None:
    make, said = BAD[case]
    source = make(tmp_path)
    before = store.read_bytes()
    monkeypatch.setattr(sys, "argv", ["workbench", "import", str(source), "--db", str(store)])
    with pytest.raises(SystemExit) as ended:
        main()
    out, err = capfd.readouterr()
    assert (ended.value.code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
    assert "Traceback" not in err
    assert store.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir() if ".next-" in file.name] == []


@pytest.mark.parametrize("source", ["trunc.json", "", " ", "postgresql://me:geh/eim@host/lore", "postgresql://[bad"])
def test_the_command_ends_with_one_line_on_standard_error(store: Path, tmp_path: Path, source: str) -> None:
    (tmp_path / "trunc.json").write_bytes(backup()[:-7])
    before = store.read_bytes()
    command = [sys.executable, "-c", "from workbench.cli import main; main()", "import", source, "--db", str(store)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "Traceback" not in done.stderr
    assert "eim" not in done.stderr
    assert store.read_bytes() == before


IN_LITTLE_ROOM = """
import resource, signal, sys
from workbench.cli import main
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (8_000_000, 8_000_000))
main()
"""


@pytest.mark.skipif(os.name != "posix", reason="the size of files is limited by POSIX means")
def test_a_backup_that_finds_no_room_is_one_sentence(store: Path, tmp_path: Path) -> None:
    large = gzip.compress(backup(tables=TABLES | {"recall_events": [EVENT | {"query_text": "x" * 9_000_000}]}))
    source = write(large, "large.json.gz")(tmp_path)
    before = store.read_bytes()
    command = [sys.executable, "-c", IN_LITTLE_ROOM, "import", str(source), "--db", str(store)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "no room left on the disk" in done.stderr
    assert store.read_bytes() == before


AS_ANOTHER_USER = """
import os, sys
from pathlib import Path
from workbench.importers import load
from workbench.store import in_memory
with in_memory() as db:
    before = os.geteuid()
    if before == 0:
        os.seteuid(65534)
    for source in sys.argv[1:]:
        try:
            load(db, source)
        except Exception as error:
            print(type(error).__name__, error)
    os.seteuid(before)
"""


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
def test_what_another_user_closed_is_named(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir()
    (tmp_path / "closed" / "nodes.csv").write_bytes(b"uuid\na\n")
    sources = [tmp_path / "closed" / "nodes.csv", tmp_path / "closed", tmp_path / "closed" / "nothing.json"]
    (tmp_path / "closed").chmod(0)
    try:
        command = [sys.executable, "-c", AS_ANOTHER_USER, *map(str, sources)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    finally:
        (tmp_path / "closed").chmod(0o700)
    said = done.stdout.splitlines()
    assert (done.stderr, len(said)) == ("", 3)
    for source, sentence in zip(sources, said, strict=True):
        assert sentence.startswith("BadInput Cannot read")
        assert str(source) in sentence
        assert "Permission denied" in sentence


def imported(tmp_path: Path, event: dict[str, Any], *more: dict[str, Any]) -> dict[str, Any]:
    (tmp_path / "b.json").write_bytes(backup(tables=TABLES | {"recall_events": [EVENT | event, *more]}))
    return jobs.import_log(tmp_path / "new.duckdb", str(tmp_path / "b.json"))


def texts(tmp_path: Path) -> list[str]:
    with reading(tmp_path / "new.duckdb") as db:
        return [text for (text,) in db.rows("SELECT query_text FROM recall_queries ORDER BY query_id")]


def test_a_prompt_of_two_megabytes_is_kept_whole(tmp_path: Path) -> None:
    imported(tmp_path, {"query_text": "字" * 2_000_000})
    assert texts(tmp_path) == ["字" * 2_000_000]


def test_nul_and_half_pairs_are_marked_and_counted(tmp_path: Path) -> None:
    report = imported(tmp_path, {"query_text": "a\x00b \ud83d c \ud83d\ude00 \\u0000"})
    assert texts(tmp_path) == ["a␀b \ufffd c 😀 \\u0000"]
    assert any(warning.startswith("1 NUL characters") for warning in report["warnings"])
    assert any(warning.startswith("1 halves of surrogate pairs") for warning in report["warnings"])


def test_of_two_rows_with_one_id_the_later_counts(tmp_path: Path) -> None:
    report = imported(tmp_path, {}, EVENT | {"query_text": "later"})
    assert texts(tmp_path) == ["later"]
    events = report["tables"]["recall_events"]
    assert (events["read"], events["added"], events["updated"]) == (2, 1, 1)


def test_a_line_that_is_nested_too_deeply_is_rejected(tmp_path: Path) -> None:
    deep = json.dumps(EVENT | {"id": "2", "metadata": "DEEP"}).encode().replace(b'"DEEP"', DEEP)
    source = write(b"\n".join([deep, json.dumps(EVENT).encode(), b""]), "recall_events.jsonl")(tmp_path)
    report = jobs.import_log(tmp_path / "new.duckdb", str(source))
    assert report["rejected"] == [{"where": "recall_events (recall_events.jsonl:1)", "reason": "nested too deeply"}]
    assert texts(tmp_path) == ["q"]


def test_a_waiting_import_is_announced_without_its_password(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []

    def note(path: Path, purpose: str) -> Any:
        said.append(purpose)
        return writing(path, purpose)

    monkeypatch.setattr("workbench.jobs.writing", note)
    for address in ("postgresql://me@host/lore?password=geheim&sslmode=x@y", "postgresql://me:geh/eim@host/lore"):
        with pytest.raises(BadInput):
            jobs.import_log(tmp_path / "new.duckdb", address)
    assert said == ["import of lore?password=***&sslmode=x@y", "import of lore"]


def test_no_secret_reaches_the_store(tmp_path: Path) -> None:
    settings = [
        {"key": "embedding.api_key", "value": {"value": "sk-geheim-1"}},
        {"key": "view_llm.api_key", "value": "sk-geheim-2"},
        {"key": "embedding.base_url", "value": {"value": "https://me:geheim-3@host/v1"}},
    ]
    (tmp_path / "b.json").write_bytes(backup(tables=TABLES | {"app_settings": settings}))
    report = jobs.import_log(tmp_path / "new.duckdb", str(tmp_path / "b.json"))
    assert "geheim" not in json.dumps(report)
    assert b"geheim" not in (tmp_path / "new.duckdb").read_bytes()
    with reading(tmp_path / "new.duckdb") as db:
        assert db.rows("SELECT key, value FROM app_settings") == [
            ("embedding.base_url", '{"value":"https://me:***@host/v1"}')
        ]


def test_a_connection_string_that_is_no_source_keeps_its_password(tmp_path: Path) -> None:
    with pytest.raises(BadInput) as told:
        jobs.import_log(tmp_path / "new.duckdb", "host=h password=geheim dbname=d")
    assert "geheim" not in str(told.value)
    assert "postgresql://USER@HOST/DATABASE" in str(told.value)
    assert all(b"geheim" not in file.read_bytes() for file in tmp_path.iterdir())
