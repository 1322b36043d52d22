"""Backups and folders: every row accounted for, the same file twice adds nothing, what is missing is said."""

from __future__ import annotations

import gzip
import json
import lzma
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from import_sources import Row, backup, changes, csv_file, empty_store, event, jsonl, parquet, query, written

from workbench.errors import BadInput
from workbench.importers import load
from workbench.store import in_memory


def test_case_04_history_before_query_ids(tmp_path: Path) -> None:
    old: dict[str, Any] = {
        "query_id": ...,
        "session_id": ...,
        "client_type": ...,
        "ranked_position": ...,
        "displayed_position": ...,
    }
    ids = {"session_id": "old session", "client_type": "pi"}
    events = [
        *(event(n, **old, metadata={"raw_score": 0.5}) for n in range(3)),
        *(event(3 + n, **old, metadata={"query_id": "q6", "displayed_position": place, "ranked_position": n + 1, **ids})
          for n, place in enumerate(["3", "x", None, 2])),
        event(7, query_id="q7", query_text="zeta", node_uri="core://a", selected=True),
        event(8, query_id="q7", query_text="alpha", created_at="2026-03-01T10:05:00Z", node_uri="core://a"),
        event(9, query_id="q8", node_uri="core://gone", used_in_answer=True),
        event(10, query_id="q9", displayed_position="x", ranked_position="4"),
    ]  # fmt: skip
    tables = {
        "nodes": [{"uuid": "n"}], "memories": [{"id": "1", "node_uuid": "n", "content": "x"}],
        "edges": [{"id": "1", "child_uuid": "n"}], "paths": [{"domain": "core", "path": "a", "edge_id": "1"}],
    }  # fmt: skip
    with empty_store() as store:
        report = store.take(backup(tmp_path, {**tables, "recall_events": events}))
        assert store.column("recall_queries", "query_id") == ["q6", "q7", "q8", "q9"]
        assert store.column("recall_queries", "query_text")[1] == "alpha"
        assert store.column("recall_queries", "(merged_count, shown_count, used_count)") == [
            (4, 0, 0), (1, 1, 0), (1, 0, 1), (1, 0, 0),
        ]  # fmt: skip
        assert store.column("recall_queries", "session_id")[:2] == ["old session", "s1"]
        assert store.column("recall_query_candidates", "displayed_position") == [3, None, None, 2, None, None, None]
        assert store.column("recall_query_candidates", "ranked_position")[-1] == 4
        assert store.column("recall_events", "count(*)", "1") == [11]
        assert store.column("touched_queries", "query_id", "1") == ["q6", "q7", "q8", "q9"]
    assert "3 recall events name no query; they are unattributed and count nowhere." in report["warnings"]
    assert any(
        "logged addresses are gone: their memories were deleted, or have moved" in warning
        for warning in report["warnings"]
    )
    assert report["rejected"] == []


def test_case_11_ids_as_text_here_numbers_there(tmp_path: Path) -> None:
    memory = {"node_uuid": "n", "deprecated": False, "created_at": "2026-01-01T00:00:00Z"}
    old = {"node_uuid": "n", "deprecated": True}
    tables: dict[str, list[dict[str, Any]]] = {
        "nodes": [{"uuid": "n"}],
        "memories": [
            {"id": "9", "content": "nine", **memory}, {"id": 10, "content": "ten", **memory},
            {"id": "12", "migrated_to": 13, **old}, {"id": 13, "migrated_to": "13", **old},
            {"id": "14", "migrated_to": None, **old},
        ],
        "edges": [{"id": "7", "child_uuid": "n"}],
        "paths": [{"domain": "core", "path": "a", "edge_id": 7}, {"domain": "core", "path": "b", "edge_id": 8}],
    }  # fmt: skip
    with empty_store() as store:
        report = store.take(backup(tmp_path, tables))
        assert store.db.rows("SELECT path FROM paths JOIN edges ON edges.id = edge_id") == [("a",)]
        assert sorted(store.column("memories", "id")) == ["10", "12", "13", "14", "9"]
        assert store.column("memories", "migrated_to", "try_cast(id AS INTEGER)") == [None, None, "13", "13", None]
    said = " ".join(report["warnings"])
    assert "1 nodes have two memories that are both current, the first n" in said
    assert "1 paths name an edge that the store does not hold, the first core://b" in said


def test_case_12_a_backup_without_recalls_says_what_is_missing(tmp_path: Path) -> None:
    memories = [{"id": str(n), "node_uuid": f"n{n}", "content": "x"} for n in range(40)]
    keywords = [{"id": "1", "keyword": "refund", "node_uuid": "n1"}]
    with empty_store() as store:
        report = store.take(backup(tmp_path, {"memories": memories, "glossary_keywords": keywords}))
        possible = {name: found["possible"] for name, found in report["capabilities"].items()}
        assert store.column("memories", "count(*)", "1") == [40]
    assert possible == {
        "logged_replay": False, "engine_replay": True, "helpfulness": False, "memories": True, "glossary": True,
        "views": False, "glossary_vectors": False, "memory_history": False, "misses": False,
    }  # fmt: skip
    assert "export the backup with recall events" in report["capabilities"]["logged_replay"]["why"]


def test_case_12_a_backup_with_recalls_gives_queries_and_candidates(tmp_path: Path) -> None:
    events = [event(1, selected=True), event(2), event(3, node_uri="core://memory_1", used_in_answer=True)]
    with empty_store() as store:
        report = store.take(backup(tmp_path, {"recall_events": events}))
        assert store.db.rows("SELECT merged_count, shown_count, used_count FROM recall_queries") == [(2, 1, 1)]
    assert report["capabilities"]["logged_replay"]["possible"]
    assert report["capabilities"]["helpfulness"]["why"] == "1 memory was shown in all traffic, 1 of them marked as used"
    assert "1 query was derived from recall events, because no source held them." in report["warnings"]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"format": "lore-backup-v2"}, "lore-backup-v2"),
        ({"tables": {name: [] for name in ("nodes", "memories", "edges")}}, "paths"),
    ],
)
def test_case_12_other_formats_and_missing_tables_are_refused(
    tmp_path: Path, changed: dict[str, Any], said: str
) -> None:
    with empty_store() as store:
        document = json.loads(backup(tmp_path, {}).read_bytes()) | changed
        with pytest.raises(BadInput, match=said):
            store.take(written(tmp_path, "backup.json", json.dumps(document).encode()))
        assert store.db.row("SELECT count(*) FROM wb.imports") == (0,)


def test_case_12_columns_that_the_first_row_lacks_are_kept(tmp_path: Path) -> None:
    rows = [event(1, displayed_position=..., session_id=..., view_type=...), event(2, displayed_position=2)]
    with empty_store() as store:
        store.take(backup(tmp_path, {"recall_events": rows}))
        assert store.column("recall_events", "(displayed_position, session_id, view_type)") == [
            (None, None, None),
            (2, "s1", "gist"),
        ]


def test_a_row_is_only_wrong_by_itself_in_a_backup_with_bad_bytes(tmp_path: Path) -> None:
    path = backup(tmp_path, {"recall_events": [event(1), event(2, query_text="BAD"), event(3, query_text="TWICE")]})
    content = path.read_bytes().replace(b'"BAD"', b'"\xff\xfe"').replace(b'"TWICE"', b'"first", "query_text": "last"')
    path.write_bytes(content)
    with empty_store() as store:
        report = store.take(path)
        assert store.column("recall_events", "query_text") == ["how do refunds work", "last"]
    assert report["rejected"][0]["where"] == "recall_events (backup.json, row 2)"
    assert report["rejected"][0]["reason"].startswith("not valid JSON")


def test_rows_of_a_backup_that_are_no_objects_are_rejected(tmp_path: Path) -> None:
    events: list[Any] = [None, 1, event(1), "x", [event(2)], {}]
    with empty_store() as store:
        report = store.take(backup(tmp_path, {"recall_events": events}))
        assert store.column("recall_events", "id") == ["1"]
        assert report["tables"]["recall_events"]["rejected"] == 5


@pytest.mark.parametrize("form", ["indented", "gz", "xz", "mark", "another first key"])
def test_a_backup_is_recognised_in_every_dress(tmp_path: Path, form: str) -> None:
    plain = backup(tmp_path, {"recall_events": [event(1, query_text="two\nlines"), event(2)]}).read_bytes()
    content = {
        "indented": json.dumps(json.loads(plain), indent=2).replace("\n", "\r\n").encode(),
        "gz": gzip.compress(plain),
        "xz": lzma.compress(plain),
        "mark": b"\xef\xbb\xbf" + plain,
        "another first key": b'{"server": "2.0", ' + plain[1:],
    }[form]
    with empty_store() as store:
        report = store.take(written(tmp_path, "export.bin", content))
        assert report["kind"] == "backup"
        assert store.column("recall_events", "query_text") == ["two\nlines", "how do refunds work"]


def test_case_38_an_object_larger_than_the_reader_takes(tmp_path: Path) -> None:
    events = [event(n, metadata={"raw_score": 0.8, "text": "x" * 1000}) for n in range(6000)]
    long = event(6000, query_id="long", query_text="字" * 6_000_000)
    path = backup(tmp_path, {"recall_events": [*events, long]})
    assert path.stat().st_size > 24_000_000
    steps: list[tuple[int, int | None, str]] = []
    with in_memory() as db:
        report = load(db, str(path), progress=lambda *step: steps.append(step))
        assert report.tables["recall_events"].added == 6001
        assert db.row("SELECT length(query_text) FROM recall_events WHERE query_id = 'long'") == (6_000_000,)
    assert any(what == "reading recall_events" and total == 6001 for _, total, what in steps)


def a_backup(folder: Path, table: str, rows: Sequence[Row]) -> Path:
    return backup(folder, {table: rows})


@pytest.mark.parametrize("form", [jsonl, csv_file, parquet, a_backup])
def test_chunks_are_invisible(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: Any) -> None:
    for module in ("backup", "folder", "staging"):
        monkeypatch.setattr(f"workbench.importers.{module}.CHUNK_ROWS", 7)
    monkeypatch.setattr("workbench.importers.folder._BATCH", 3)
    rows = [event(number, query_id=f"q{number % 4}") for number in range(40)]
    for number in (8, 20, 21, 39):
        rows[number]["id"] = None
    rows.append(event(0, query_id="q0", session_id="later"))
    with empty_store() as store:
        report = store.take(form(tmp_path, "recall_events", rows))
        assert report["tables"]["recall_events"] == {"read": 41, "added": 36, "updated": 1, "skipped": 0, "rejected": 4}
        assert store.db.row("SELECT session_id FROM recall_events WHERE id = '0'") == ("later",)
        assert report["tables"]["recall_queries"]["derived"] == 4
    first = 2 if form is csv_file else 1
    places = [int(re.findall(r"[0-9]+", row["where"])[-1]) - first for row in report["rejected"]]
    assert places == [8, 20, 21, 39]


IMPORT_AND_SAY_PEAK = """
import sys
from pathlib import Path
from workbench.importers import load
from workbench.store import writing
with writing(Path(sys.argv[1]), "test") as db:
    print(load(db, sys.argv[2]).tables["recall_events"].added)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from /proc")
def test_case_38_the_big_backup_in_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "big.json"
    row = json.dumps(event(1, id="NUMBER", query_id="QUERY", metadata={"raw_score": 0.8, "text": "x" * 1000}))
    with path.open("w", encoding="utf-8") as file:
        file.write(
            '{"format":"lore-backup-v1","tables":{"nodes":[],"memories":[],"edges":[],"paths":[],"recall_events":['
        )
        for number in range(220_000):
            file.write(
                ("," if number else "") + row.replace("NUMBER", str(number)).replace("QUERY", f"q{number % 999}")
            )
        file.write("]}}")
    assert path.stat().st_size > 300_000_000
    command = [sys.executable, "-c", IMPORT_AND_SAY_PEAK, str(tmp_path / "store.duckdb"), str(path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    peak = 0
    while process.poll() is None:
        peak = max(peak, anonymous_memory(process.pid))
        time.sleep(0.05)
    assert process.communicate()[0] == "220000\n"
    assert 0 < peak < 3 * path.stat().st_size


def anonymous_memory(pid: int) -> int:
    try:
        found = re.search(r"RssAnon:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(encoding="utf-8"))
    except OSError:
        return 0
    return int(found[1]) * 1024 if found else 0


def test_a_folder_lists_what_it_ignores_and_a_single_file_is_a_source(tmp_path: Path) -> None:
    jsonl(tmp_path, "nodes", [{"uuid": "a"}, {"uuid": "b", "unknown": 1}])
    path = written(tmp_path, "edges.ndjson.gz", gzip.compress(b'{"id": 1, "child_uuid": "a"}\n'))
    written(tmp_path, "notes.txt", b"x")
    written(tmp_path, "paths.jsonl", b"")
    with empty_store() as store:
        report = store.take(tmp_path)
        assert (report["kind"], changes(report)) == ("tables", {"nodes": (2, 0), "edges": (1, 0)})
        assert "Files that are no table of the workbench: notes.txt." in report["warnings"]
        assert changes(store.take(path)) == {}
        assert store.db.rows("SELECT import_id, kind FROM wb.imports") == [(1, "tables"), (2, "tables")]


def test_the_same_table_twice_in_a_folder_is_refused(tmp_path: Path) -> None:
    jsonl(tmp_path, "nodes", [{"uuid": "a"}])
    csv_file(tmp_path, "nodes", [{"uuid": "b"}])
    with empty_store() as store, pytest.raises(BadInput, match="holds nodes twice"):
        store.take(tmp_path)


def test_a_column_twice_in_a_header_is_refused(tmp_path: Path) -> None:
    with empty_store() as store, pytest.raises(BadInput, match="two columns of one name"):
        store.take(written(tmp_path, "nodes.csv", b"uuid,uuid\na,b\n"))


def test_only_the_first_thousand_rejected_rows_are_listed(tmp_path: Path) -> None:
    rows = [query(f"q{number}", shown_count="x") for number in range(1100)]
    with empty_store() as store:
        report = store.take(jsonl(tmp_path, "recall_queries", rows))
    assert (len(report["rejected"]), report["rejected_total"]) == (1000, 1100)


@pytest.mark.parametrize("form", [jsonl, csv_file, parquet])
def test_no_secret_of_a_table_file_is_kept_or_said(tmp_path: Path, form: Any) -> None:
    rows = [
        {"key": "embedding.api_key", "value": {"value": "sk-geheim"}},
        {"key": "embedding.base_url", "value": {"value": "postgresql://me:geheim@host/db"}},
        {"key": "recall.display.min_display_score", "value": 0.6},
    ]
    with empty_store() as store:
        report = store.take(form(tmp_path, "app_settings", rows))
        kept = store.db.rows("SELECT key, value FROM app_settings ORDER BY key")
    assert [key for key, _ in kept] == ["embedding.base_url", "recall.display.min_display_score"]
    assert "geheim" not in json.dumps(report) + str(kept)
    assert "Secrets were left out: embedding.api_key." in report["warnings"]


def test_a_step_that_raises_stops_the_import(tmp_path: Path) -> None:
    def stop(done: int, total: int | None, what: str) -> None:
        if what == "reading recall_events":
            raise KeyboardInterrupt

    path = backup(tmp_path, {"recall_events": [event(1)]})
    with in_memory() as db:
        with pytest.raises(KeyboardInterrupt):
            load(db, str(path), progress=stop)
        assert load(db, str(path)).tables["recall_events"].added == 1
