"""Whole imports into a store file: what an operator's settings, kills, locks, consoles and secrets do to them."""

from __future__ import annotations

import json
import os
import random
import re
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from import_sources import backup, csv_file, event, jsonl, parquet, query

from workbench import jobs
from workbench.errors import StoreLocked
from workbench.importers import ImportOptions
from workbench.params import Params
from workbench.replay.logged import settings_in_force
from workbench.store import TABLES, reading, writing

COUNTS = ("read", "added", "updated", "skipped", "rejected")
IMPORT = """
import sys
from pathlib import Path
from workbench import jobs
print("inside", flush=True)
jobs.import_log(Path(sys.argv[1]), sys.argv[2])
"""


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store.duckdb"


def take(store: Path, source: Path, **options: Any) -> dict[str, Any]:
    """Import, and check that every table's counts add up."""
    report = jobs.import_log(store, str(source), ImportOptions(**options))
    for counts in report["tables"].values():
        assert counts["read"] == sum(counts[part] for part in COUNTS[1:])
    return report


def rows(store: Path, sql: str) -> list[tuple[Any, ...]]:
    with reading(store) as db:
        return db.rows(sql)


def workbench(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-c", "from workbench.cli import main; main()", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, env=os.environ | environment, check=False)


def many(count: int) -> list[dict[str, Any]]:
    return [event(n, query_id=f"q{n // 4}", displayed_position=1, selected=n % 4 == 0) for n in range(count)]


def test_case_10_retired_settings_and_another_scoring(store: Path, tmp_path: Path) -> None:
    stored: dict[str, Any] = {
        "recall.scoring.strategy": "rrf", "recall.scoring.rrf_k": 20, "recall.display.read_node_display_mode": "soft",
        "recall.weights.w_dense": "0.3", "recall.display.min_display_score": 0.6,
        "recall.display.max_display_items": {"value": 3.9}, "recall.weights.w_exact": {"value": "abc"},
    }  # fmt: skip
    settings = [{"key": key, "value": value} for key, value in stored.items()]
    other = event(1, metadata={"raw_score": 0.8, "retrieval_meta": {"strategy": "rrf", "query_tokens": 1}})
    report = take(store, backup(tmp_path, {"app_settings": settings, "recall_events": [other]}))
    with reading(store) as db:
        params = settings_in_force(db).params
    assert params.changed_from(Params()) == {}
    said = [warning for warning in report["warnings"] if "recall." in warning]
    assert len(said) == 4
    assert any(
        "recall.display.read_node_display_mode, recall.scoring.rrf_k, recall.scoring.strategy" in one for one in said
    )
    assert report["rejected"] == []
    compared = json.loads(workbench("parity", "--db", store, "--json").stdout)
    assert (compared["rows"], compared["excluded"]) == (0, [{"reason": "other scoring strategy", "rows": 1}])


def test_case_38_a_stop_leaves_the_store_as_it_was(store: Path, tmp_path: Path) -> None:
    take(store, backup(tmp_path, {"recall_events": many(8)}))
    before = store.read_bytes()
    said: list[str] = []

    def stop(done: int, total: int | None, what: str) -> None:
        said.append(what)
        if what == "deriving candidates":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        jobs.import_log(store, str(backup(tmp_path, {"recall_events": many(40)})), progress=stop)
    assert "reading recall_events" in said
    assert store.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["backup.json", "store.duckdb", "store.duckdb.lock"]


@pytest.mark.slow
def test_case_42_a_kill_during_an_import_leaves_the_last_finished_one(store: Path, tmp_path: Path) -> None:
    take(store, backup(tmp_path, {"recall_events": many(8)}))
    large = backup(tmp_path, {"recall_events": many(60_000)})
    (tmp_path / "temporary").mkdir()
    environment = os.environ | {"TMPDIR": str(tmp_path / "temporary")}
    moments, killed = random.Random(42), 0
    for _ in range(8):
        before = store.read_bytes()
        command = [sys.executable, "-c", IMPORT, str(store), str(large)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(moments.uniform(0.05, 1.5))
            killed += process.poll() is None
            process.kill()
        events, candidates = rows(
            store, "SELECT (SELECT count(*) FROM recall_events), (SELECT count(*) FROM wb.logged_candidates)"
        )[0]
        assert (events, candidates) in ((8, 8), (60_000, 60_000))
        assert (events == 8) == (store.read_bytes() == before)
        if events != 8:
            break
    assert killed
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    assert rows(store, "SELECT count(*) FROM recall_events") == [(60_000,)]
    left = sorted(path.name for path in tmp_path.rglob("*"))
    assert left == ["backup.json", "store.duckdb", "store.duckdb.lock", "temporary"]


def test_case_42_an_import_while_the_store_is_read(store: Path, tmp_path: Path) -> None:
    take(store, backup(tmp_path, {"recall_events": many(8)}))
    with reading(store) as db:
        take(store, backup(tmp_path, {"recall_events": many(40)}))
        assert db.row("SELECT count(*) FROM recall_events") == (8,)
    assert rows(store, "SELECT count(*) FROM recall_events") == [(40,)]


def test_case_42_an_import_while_another_one_writes(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.jobs.writing", lambda path, purpose: writing(path, purpose, wait_seconds=0))
    source = backup(tmp_path, {"recall_events": many(8)})
    with (
        writing(store, "import of spring.json"),
        pytest.raises(StoreLocked, match=r"process \d+ \(import of spring.json, since "),
    ):
        jobs.import_log(store, str(source))
    assert take(store, source)["tables"]["recall_events"]["added"] == 8


@pytest.mark.parametrize("encoding", ["gbk", "ascii", "utf-8"])
def test_case_45_an_import_on_any_console(store: Path, tmp_path: Path, encoding: str) -> None:
    folder = tmp_path / "数据 😀"
    folder.mkdir()
    jsonl(folder, "recall_queries", [query("9007199254740993", query_text="=1"), query("b", shown_count="😀 x")])
    done = workbench("import", folder, "--db", store, PYTHONIOENCODING=encoding, PYTHONUTF8="0")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"recall_queries" in done.stdout
    done = workbench("import", folder, "--db", store, "--json", PYTHONIOENCODING=encoding, PYTHONUTF8="0")
    assert (done.returncode, done.stderr) == (0, b"")
    report = json.loads(done.stdout.decode("utf-8"))
    assert report["source"] == str(folder)
    assert report["rejected"][0]["reason"] == "shown_count = 😀 x is not a whole number"
    assert rows(store, "SELECT query_id FROM recall_queries") == [("9007199254740993",)]


@pytest.mark.parametrize("form", [jsonl, csv_file, parquet])
def test_a_second_import_adds_and_updates_nothing(store: Path, tmp_path: Path, form: Any) -> None:
    (tmp_path / "tables").mkdir()
    form(tmp_path / "tables", "recall_events", many(9))
    form(tmp_path / "tables", "recall_queries", [query(f"q{n}") for n in range(3)])
    take(store, tmp_path / "tables")
    everything = "SELECT * FROM recall_events ORDER BY ALL", "SELECT * FROM wb.logged_candidates ORDER BY ALL"
    before = [rows(store, sql) for sql in everything]
    again = take(store, tmp_path / "tables")
    assert {(counts["added"], counts["updated"], counts.get("derived")) for counts in again["tables"].values()} == {
        (0, 0, None)
    }
    assert (again["candidates"], [rows(store, sql) for sql in everything]) == (0, before)


def test_only_recalls_since_a_time(store: Path, tmp_path: Path) -> None:
    events = [event(n, query_id=f"q{n}", created_at=f"2026-03-0{n}T00:00:00+08:00") for n in range(1, 6)]
    source = backup(tmp_path, {"recall_events": events})
    done = workbench("import", source, "--db", store, "--since", "2026-03-02T16:00:00Z", "--json")
    counts = json.loads(done.stdout)["tables"]["recall_events"]
    assert tuple(counts[part] for part in COUNTS) == (5, 3, 0, 2, 0)
    assert rows(store, "SELECT query_id FROM recall_queries ORDER BY 1") == [("q3",), ("q4",), ("q5",)]
    assert take(store, source)["tables"]["recall_events"]["added"] == 2


@pytest.mark.parametrize("form", ["backup", "jsonl", "csv", "parquet"])
def test_tables_and_columns_of_a_newer_server_are_passed_over(store: Path, tmp_path: Path, form: str) -> None:
    (tmp_path / "tables").mkdir()
    row = {"uuid": "n", "created_at": "2026-01-01T00:00:00Z"}
    if form == "backup":
        source = backup(tmp_path, {"nodes": [row | {"mood": "good"}], "dream_diary": [{"id": 1}], "zoo": []})
    else:
        source = tmp_path / "tables"
        jsonl(source, "nodes", [row | {"mood": "good"}])
        (source / "dream_diary.jsonl").write_text('{"id": 1}\n', encoding="utf-8")
    if form == "csv":
        (source / "nodes.jsonl").unlink()
        (source / "nodes.csv").write_text("mood,uuid,created_at\ngood,n,2026-01-01T00:00:00Z\n", encoding="utf-8")
    if form == "parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        (source / "nodes.jsonl").unlink()
        pq.write_table(pa.Table.from_pylist([row | {"mood": "good"}]), source / "nodes.parquet")
    report = take(store, source)
    assert rows(store, "SELECT * EXCLUDE (created_at) FROM nodes") == [("n",)]
    assert any("dream_diary" in warning for warning in report["warnings"])
    assert set(report["tables"]) <= set(TABLES)


SECRETS = {
    "embedding.api_key": "sk-geheim-1", "view_llm.api_key": {"value": "sk-geheim-2"}, "admin.TOKEN": "geheim-3",
    "embedding.base_url": "https://me:geheim-4@host/v1", "embedding.proxy": {"value": "http://me:p@geheim-5@host/v1"},
    "other.dsn": {"value": {"url": ["postgresql://me:geh/geheim-6@host/d"]}},
    "other.query": "https://host/v1?api_key=geheim-7&a=b", "other.words": "host=h password=geheim-8 dbname=d",
    "other.login": {"value": {"user": "me", "password": "geheim-9"}}, "other.kept": "nothing secret here",
}  # fmt: skip


@pytest.mark.parametrize("form", ["backup", "jsonl", "csv", "parquet", "escaped"])
def test_no_secret_is_in_the_file_or_the_report(store: Path, tmp_path: Path, form: str) -> None:
    settings = [{"key": key, "value": value} for key, value in SECRETS.items()]
    if form in ("backup", "escaped"):
        source = backup(tmp_path, {"app_settings": settings})
        if form == "escaped":
            text = re.sub("[/@]", lambda found: f"\\u{ord(found[0]):04x}", source.read_text(encoding="utf-8"))
            source.write_text(text, encoding="utf-8")
    else:
        write = {"jsonl": jsonl, "csv": csv_file, "parquet": parquet}[form]
        if form == "csv":
            settings = [row | {"value": {"value": row["value"]}} for row in settings]
        source = write(tmp_path, "app_settings", settings)
    report = take(store, source)
    assert report["rejected"] == []
    content = store.read_bytes()
    assert b"nothing secret here" in content
    assert b"geheim" not in content
    assert "geheim" not in json.dumps(report)
    assert "Secrets were left out: admin.TOKEN, embedding.api_key, view_llm.api_key." in report["warnings"]
    kept = dict(rows(store, "SELECT key, value FROM app_settings"))
    assert "https://me:***@host/v1" in kept["embedding.base_url"]
    assert "https://host/v1?api_key=***&a=b" in kept["other.query"]


def test_no_secret_is_said_of_a_setting_that_is_rejected(store: Path, tmp_path: Path) -> None:
    secret = "geheim" * 20
    (tmp_path / "app_settings.csv").write_text(
        f"key,value\nembedding.base_url,https://me:{secret}@host\nrecall.display.max_display_items,3\n",
        encoding="utf-8",
    )
    report = take(store, tmp_path / "app_settings.csv")
    assert report["rejected"] == [{"where": "app_settings (app_settings.csv:2)", "reason": "value is not JSON"}]
    assert b"geheim" not in store.read_bytes()


@pytest.mark.skipif(os.name != "posix", reason="file modes are those of POSIX")
def test_the_store_is_readable_by_its_owner_alone(store: Path, tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        take(store, backup(tmp_path, {"recall_events": many(4)}))
        assert stat.S_IMODE(store.stat().st_mode) == 0o600
        store.chmod(0o644)
        take(store, backup(tmp_path, {"recall_events": many(8)}))
        assert stat.S_IMODE(store.stat().st_mode) == 0o600
    finally:
        os.umask(before)
