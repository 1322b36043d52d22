"""Sources that cannot be used: one sentence, exit code 2, and the store stays as it was, to the byte."""

from __future__ import annotations

import gzip
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench import jobs
from workbench.cli.app import main
from workbench.errors import BadInput
from workbench.store import reading

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


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="the administrator may read everything")
def test_a_folder_without_permission_is_named(store: Path, tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0)
    with pytest.raises(BadInput, match="Cannot read"):
        jobs.import_log(store, str(tmp_path / "closed"))


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
