"""The same source again, a richer, a poorer and a newer one, and a source that is still being written."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from import_sources import backup, changes, csv_file, empty_store, event, jsonl, parquet, query, written


def test_case_39_one_bad_line_and_the_same_file_twice(tmp_path: Path) -> None:
    lines = [json.dumps(query(f"q{number}")).encode() for number in range(1, 101)]
    lines[0] = b"\xef\xbb\xbf" + lines[0]
    lines[9] = b'{"a":1}TRAILER'
    lines[19] = b"null"
    lines[29] = b""
    lines[49] = json.dumps(query("q40", duration_ms=7)).encode()
    cut = lines[99][:-9]
    path = written(tmp_path, "recall_queries.jsonl", b"\r\n".join([*lines[:99], cut]))
    with empty_store() as store:
        first = store.take(path)
        assert first["tables"]["recall_queries"] == {
            "read": 100,
            "added": 95,
            "updated": 1,
            "skipped": 0,
            "rejected": 4,
        }
        assert [(row["where"], row["reason"].partition(":")[0]) for row in first["rejected"]] == [
            ("recall_queries (recall_queries.jsonl:10)", "not valid JSON"),
            ("recall_queries (recall_queries.jsonl:20)", "not a JSON object"),
            ("recall_queries (recall_queries.jsonl:30)", "blank line"),
            ("recall_queries (recall_queries.jsonl:100)", "unfinished last line; it will be read next time"),
        ]
        assert store.db.row("SELECT duration_ms FROM recall_queries WHERE query_id = 'q40'") == (7,)
        second = store.take(path)
        assert second["tables"]["recall_queries"] == {
            "read": 100,
            "added": 0,
            "updated": 0,
            "skipped": 96,
            "rejected": 4,
        }
        path.write_bytes(b"\r\n".join([*lines, json.dumps(query("q101")).encode(), b""]))
        third = store.take(path)
        assert third["tables"]["recall_queries"] == {
            "read": 101,
            "added": 2,
            "updated": 0,
            "skipped": 96,
            "rejected": 3,
        }
        assert store.column("touched_queries", "query_id", "1") == ["q100", "q101"]


def test_a_later_row_keeps_what_only_the_earlier_says(tmp_path: Path) -> None:
    rows = [query("a", duration_ms=7, shown_count=1), query("b"), query("a", shown_count=2)]
    with empty_store() as store:
        report = store.take(jsonl(tmp_path, "recall_queries", rows))
        assert store.db.rows("SELECT query_id, duration_ms, shown_count FROM recall_queries ORDER BY 1") == [
            ("a", 7, 2),
            ("b", None, 1),
        ]
        assert changes(report) == {"recall_queries": (2, 1)}
        assert changes(store.take(tmp_path)) == {}


def test_a_poorer_source_erases_nothing_and_a_newer_one_updates(tmp_path: Path) -> None:
    rich, poor, newer = (tmp_path / name for name in ("rich", "poor", "newer"))
    for folder in (rich, poor, newer):
        folder.mkdir()
    view: dict[str, Any] = {
        "id": "1", "domain": "core", "path": "a", "uri": "core://a", "view_type": "gist", "text_content": "old",
    }  # fmt: skip
    vector = {"embedding_model": "m", "embedding_dim": 3, "embedding_vector": [0.1, 0.2, 0.3], "weight": 0.96}
    parquet(rich, "memory_views", [view | vector])
    jsonl(rich, "recall_queries", [query("q", duration_ms=40, created_at="2026-03-01T10:00:00.123456Z")])
    jsonl(poor, "memory_views", [view | {"embedding_vector": None}])
    csv_file(poor, "recall_queries", [query("q", created_at="2026-03-01T10:00:00.123Z")])
    jsonl(
        newer, "memory_views", [view | {"text_content": "new", "embedding_vector": "[0.1,0.2,0.4]", "embedding_dim": 3}]
    )
    with empty_store() as store:
        store.take(rich)
        before = store.db.rows("SELECT * FROM memory_views"), store.db.rows("SELECT * FROM recall_queries")
        assert changes(store.take(poor)) == {}
        assert (store.db.rows("SELECT * FROM memory_views"), store.db.rows("SELECT * FROM recall_queries")) == before
        assert changes(store.take(newer)) == {"memory_views": (0, 1)}
        (kept,) = store.db.rows("SELECT text_content, embedding_vector, embedding_model FROM memory_views")
        assert (kept[0], kept[1], kept[2]) == ("new", pytest.approx([0.1, 0.2, 0.4]), "m")


def test_since_leaves_older_recalls_out(tmp_path: Path) -> None:
    events = [event(n, query_id=f"q{n}", created_at=f"2026-03-0{n}T00:00:00Z") for n in range(1, 6)]
    history = [{"id": "1", "event_type": "create", "node_uri": "core://a", "created_at": "2026-01-01T00:00:00Z"}]
    tables = {"recall_events": events, "memory_events": history, "nodes": [{"uuid": "n", "created_at": "2020-01-01"}]}
    with empty_store() as store:
        report = store.take(backup(tmp_path, tables), since=datetime(2026, 3, 3, tzinfo=UTC))
        assert store.column("recall_queries", "query_id") == ["q3", "q4", "q5"]
        assert report["tables"]["memory_events"]["skipped"] == 1
        assert report["tables"]["nodes"]["added"] == 1


def test_since_passes_over_a_table_without_times(tmp_path: Path) -> None:
    candidate = {"query_id": "q1", "node_uri": "core://a", "selected": True, "used_in_answer": True}
    with empty_store() as store:
        report = store.take(
            jsonl(tmp_path, "recall_query_candidates", [candidate]), since=datetime(2026, 3, 3, tzinfo=UTC)
        )
        assert changes(report) == {"recall_query_candidates": (1, 0)}


def test_rollups_of_a_source_are_kept_and_only_missing_queries_derived(tmp_path: Path) -> None:
    own = {"id": "1", "query_id": "q1", "node_uri": "core://own", "selected": True, "used_in_answer": True}
    jsonl(tmp_path, "recall_queries", [query("q1", query_text="its own text", shown_count=1, used_count=1)])
    jsonl(tmp_path, "recall_query_candidates", [own])
    jsonl(tmp_path, "recall_events", [event(1, query_id="q1"), event(2, query_id="q2", selected=True)])
    with empty_store() as store:
        report = store.take(tmp_path)
        assert store.column("recall_queries", "query_text") == ["its own text", "how do refunds work"]
        assert store.column("recall_query_candidates", "node_uri") == ["core://own", "core://memory_2"]
        assert report["tables"]["recall_queries"]["derived"] == 1
        # A mark that arrives later changes what was derived, never what a source holds.
        jsonl(
            tmp_path,
            "recall_events",
            [event(1, query_id="q1"), event(2, query_id="q2", selected=True, used_in_answer=True)],
        )
        store.take(tmp_path)
        assert store.column("recall_queries", "used_count") == [1, 1]
        assert store.column("touched_queries", "query_id", "1") == ["q2"]
        # The database holds the rollup now: it takes the place of the derived one.
        jsonl(tmp_path, "recall_queries", [query("q2", duration_ms=9, used_count=1)])
        store.take(tmp_path)
        assert store.column("recall_queries", "duration_ms") == [None, 9]
