"""Fixed types: ids stay text, nothing is cast silently, what cannot be read is counted and never stops an import."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from import_sources import backup, csv_file, empty_store, event, jsonl, parquet, query, written

from workbench.errors import BadInput
from workbench.store import TABLES

STAMPS = {
    "2026-03-01T20:00:00Z": "2026-03-01 20:00:00",
    "2026-03-01T20:00:00+08:00": "2026-03-01 12:00:00",
    "2026-03-01T20:00:00": "2026-03-01 20:00:00",
    "2026-03-01 20:00:00.123": "2026-03-01 20:00:00.123",
    1772395200: "2026-03-01 20:00:00",
    1772395200123: "2026-03-01 20:00:00.123",
    "": None,
    "yesterday": None,
}


def utc(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text).replace(tzinfo=UTC)


def test_case_17_naive_aware_local(tmp_path: Path) -> None:
    rows = [query(f"q{number}", created_at=stamp) for number, stamp in enumerate(STAMPS)]
    with empty_store() as store:
        report = store.take(jsonl(tmp_path, "recall_queries", rows))
        assert store.column("recall_queries", "created_at") == [utc(text) for text in STAMPS.values()]
        assert report["tables"]["recall_queries"]["added"] == 8
    assert "recall_queries.created_at: 2 values cannot be used and became empty." in report["warnings"]
    assert (
        "recall_queries.created_at: 2 time stamps name no zone; they were read as UTC (--zone)." in report["warnings"]
    )


@pytest.mark.parametrize(
    ("stamp", "read"),
    [
        ("2026-03-01 20:00:00 +0800", "2026-03-01 12:00:00"),
        ("2026-03-01 20:00:00.5+00", "2026-03-01 20:00:00.5"),
        ("2026-03-01T20:00:00-05", "2026-03-02 01:00:00"),
        ("2026-03-01 20:00:00 UTC", "2026-03-01 20:00:00"),
        ("2026-03-01", "2026-02-28 16:00:00"),
        ("2026-03-01T20:00", "2026-03-01 12:00:00"),
        ("1772395200.25", "2026-03-01 20:00:00.25"),
        ("2026-03-01 20:00:00 America/New_York", None),
        ("2026-02-30T20:00:00Z", None),
        ("infinity", None),
        ("epoch", None),
        ("12", None),
    ],
)
def test_a_stamp_is_read_by_one_rule_or_becomes_empty(tmp_path: Path, stamp: str, read: str | None) -> None:
    with empty_store() as store:
        store.take(jsonl(tmp_path, "recall_queries", [query("q", created_at=stamp)]), zone="Asia/Shanghai")
        assert store.column("recall_queries", "created_at") == [utc(read)]


def test_case_14_dates_of_the_far_future_are_kept_and_counted(tmp_path: Path) -> None:
    soon = datetime.now(UTC).timestamp() + 300
    stamps = [None, "9999-12-31T23:59:59.999Z", soon, "1926-12-01T12:00:00Z"]
    rows = [{"id": str(n), "node_uuid": "n", "content": "x", "created_at": stamp} for n, stamp in enumerate(stamps)]
    with empty_store() as store:
        report = store.take(jsonl(tmp_path, "memories", rows))
        found = store.column("memories", "created_at")
        assert found[:2] == [None, utc("9999-12-31 23:59:59.999")]
        assert found[2].timestamp() == pytest.approx(soon, abs=0.001)
        assert found[3] == utc("1926-12-01 12:00:00")
    assert "memories.created_at: 1 time stamp lies in the future." in report["warnings"]


def test_case_40_guessed_types(tmp_path: Path) -> None:
    ids = ["007", "1e5", "0123456789abcdef0123456789abcdef", *(f"q{number}" for number in range(3, 120))]
    rows = [query(name, **({"duration_ms": number} if number >= 100 else {})) for number, name in enumerate(ids)]
    rows[50]["merged_count"] = True
    candidates = [
        {"id": str(n), "query_id": "007", "node_uri": f"core://{n}", "final_rank_score": score, "selected": True,
         "used_in_answer": False}
        for n, score in enumerate([1, 0.73, True, "0.5", "1_000", "NaN", "1e400"])
    ]  # fmt: skip
    jsonl(tmp_path, "recall_queries", rows)
    jsonl(tmp_path, "recall_query_candidates", candidates)
    with empty_store() as store:
        report = store.take(tmp_path)
        kept = [name for number, name in enumerate(ids) if number != 50]
        assert sorted(store.column("recall_queries", "query_id")) == sorted(kept)
        assert store.db.row("SELECT count(duration_ms), min(duration_ms), max(duration_ms) FROM recall_queries") == (
            20, 100, 119,
        )  # fmt: skip
        assert store.column("recall_query_candidates", "final_rank_score") == pytest.approx([1.0, 0.73, 0.5])
    reasons = {row["where"]: row["reason"] for row in report["rejected"]}
    assert reasons["recall_queries (recall_queries.jsonl:51)"] == "merged_count = true is not a whole number"
    assert [reason for where, reason in reasons.items() if "candidates" in where] == [
        "final_rank_score = true is not a number",
        "final_rank_score = 1_000 is not a number",
        "final_rank_score = NaN is not a number",
        "final_rank_score = 1e400 is not a number",
    ]


@pytest.mark.parametrize("value", ["3.9", 3.9, "abc", True, [1], {"a": 1}, "1e3", 3_000_000_000, ""])
def test_a_value_that_is_no_whole_number_rejects_its_row(tmp_path: Path, value: Any) -> None:
    with empty_store() as store:
        report = store.take(jsonl(tmp_path, "recall_queries", [query("a", shown_count=value), query("b")]))
        assert store.column("recall_queries", "query_id") == ["b"]
    assert report["rejected"][0]["where"] == "recall_queries (recall_queries.jsonl:1)"
    assert report["rejected"][0]["reason"].startswith("shown_count = ")


def test_numbers_in_text_are_numbers_and_missing_ones_are_empty(tmp_path: Path) -> None:
    rows = [
        query("a", shown_count="12"),
        query("b", shown_count=3.0),
        query("c", shown_count=None),
        query("d", shown_count=...),
    ]
    with empty_store() as store:
        store.take(jsonl(tmp_path, "recall_queries", rows))
        assert store.column("recall_queries", "shown_count") == [12, 3, None, None]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"query_text": 5}, "query_text = 5 is not text"),
        ({"query_id": 7}, "query_id = 7 is not text"),
        ({"session_id": ["s"]}, 'session_id = ["s"] is not text'),
        ({"merged_count": True}, "merged_count = true is not a whole number"),
    ],
)
def test_case_40_a_value_of_another_type_is_rejected_not_cast(tmp_path: Path, wrong: dict[str, Any], said: str) -> None:
    with empty_store() as store:
        report = store.take(jsonl(tmp_path, "recall_queries", [query("a") | wrong, query("b")]))
        assert store.column("recall_queries", "query_id") == ["b"]
    assert [one["reason"] for one in report["rejected"]] == [said]


def test_an_id_that_the_server_counts_may_be_a_number(tmp_path: Path) -> None:
    rows = [event(1, id=7), event(2, id="8")]
    with empty_store() as store:
        assert store.take(jsonl(tmp_path, "recall_events", rows))["rejected"] == []
        assert store.column("recall_events", "id") == ["7", "8"]


@pytest.mark.parametrize(
    ("missing", "said"), [({"selected": None}, "selected is missing"), ({"id": ""}, "id is missing")]
)
def test_a_required_value_that_is_missing_rejects_its_row(tmp_path: Path, missing: dict[str, Any], said: str) -> None:
    with empty_store() as store:
        report = store.take(backup(tmp_path, {"recall_events": [event(1), event(2, **missing), event(3)]}))
        assert store.column("recall_events", "id") == ["1", "3"]
    assert report["rejected"] == [{"where": "recall_events (backup.json, row 2)", "reason": said}]


def test_a_required_column_that_is_missing_names_table_and_column(tmp_path: Path) -> None:
    with (
        empty_store() as store,
        pytest.raises(BadInput, match="table recall_events of the source has no column node_uri"),
    ):
        store.take(backup(tmp_path, {"recall_events": [event(1, node_uri=...)]}))


def test_case_45_ids_stay_text(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"id": 9007199254740993, "node_uuid": "n", "content": "=1"},
        {"id": "9007199254740994", "node_uuid": "007"},
    ]
    for source in (backup(tmp_path, {"memories": rows}), jsonl(tmp_path, "memories", rows)):
        with empty_store() as store:
            store.take(source)
            assert store.column("memories", "id") == ["9007199254740993", "9007199254740994"]
            assert store.column("memories", "node_uuid") == ["n", "007"]
            assert store.column("memories", "content") == ["=1", None]


def view(number: int, model: str, dim: int, vector: Any) -> dict[str, Any]:
    return {
        "id": str(number), "domain": "core", "path": f"m{number}", "uri": f"core://m{number}", "view_type": "gist",
        "text_content": "text", "embedding_model": model, "embedding_dim": dim, "embedding_vector": vector,
    }  # fmt: skip


def test_case_21_vectors_of_two_models_in_one_table(tmp_path: Path) -> None:
    good = [
        *(view(n, "m1", 3, [1.0, 0.5, 0.25]) for n in range(30)),
        *(view(n, "m2", 4, [1, 2, 3, 4]) for n in range(30, 40)),
        *(view(n, "m1", 4, "[1,0.5,0.25,2]") for n in range(40, 42)),
    ]
    odd = [[1.0, 0.5], [1.0, None, 0.5], ["NaN", 0.5, 0.25], [1e39, 0.5, 0.25], "[1,2", "a", [], {"a": 1}]
    bad = [view(42 + n, "m1", 3, vector) for n, vector in enumerate(odd)]
    with empty_store() as store:
        report = store.take(jsonl(tmp_path, "memory_views", [*good, *bad]))
        assert store.db.row("SELECT count(*), count(embedding_vector) FROM memory_views") == (50, 42)
        assert store.db.rows("SELECT DISTINCT embedding_vector FROM memory_views WHERE embedding_model = 'm2'") == [
            ([1.0, 2.0, 3.0, 4.0],)
        ]
    assert "memory_views.embedding_vector: 8 values cannot be used and became empty." in report["warnings"]
    assert any(
        warning.startswith("10 view vectors come from another embedding model") for warning in report["warnings"]
    )
    assert report["rejected"] == []


TEXTS = (
    "binary \0 in it", "cost $5 or $7", "email:dev@host", "[x] (y)", "<b>hi</b>", "שלום \u202e abc",
    "core://" + "a" * 300, "core://new\nline",
)  # fmt: skip


@pytest.mark.parametrize("form", [jsonl, csv_file, parquet])
def test_case_23_characters_that_break_screens(tmp_path: Path, form: Any) -> None:
    rows = [query(f"q{number}", query_text=text) for number, text in enumerate(TEXTS)]
    with empty_store() as store:
        report = store.take(form(tmp_path, "recall_queries", rows))
        assert store.column("recall_queries", "query_text") == [text.replace("\0", "␀") for text in TEXTS]
        assert report["rejected"] == []
    assert [warning for warning in report["warnings"] if "NUL" in warning] == [
        "1 NUL characters are shown as ␀, because no database keeps them."
    ]


@pytest.mark.parametrize("form", [jsonl, csv_file, parquet])
def test_escapes_in_documents_are_mended_not_lost(tmp_path: Path, form: Any) -> None:
    metadata = {"a": "x\0y", "b": "half \ud83d", "c": "whole 😀", "d": "text \\u0000"}
    with empty_store() as store:
        store.take(form(tmp_path, "recall_events", [event(1, metadata=metadata)]))
        kept = json.loads(store.column("recall_events", "metadata")[0])
    assert kept == {"a": "x␀y", "b": "half \ufffd", "c": "whole 😀", "d": "text \\u0000"}


def test_a_document_in_a_string_is_unwrapped(tmp_path: Path) -> None:
    with empty_store() as store:
        store.take(
            jsonl(tmp_path, "recall_events", [event(1, metadata='{ "query_id": "q9" }'), event(2, metadata="no")])
        )
        assert store.column("recall_events", "metadata") == ['{"query_id":"q9"}']


def test_documents_and_texts_of_a_parquet_file_may_have_types_of_their_own(tmp_path: Path) -> None:
    row = event(1, query_text="字".encode(), metadata={"query_id": "q1", "cue_terms": ["it's", '"'], "raw_score": 0.5})
    pq.write_table(pa.Table.from_pylist([row]), tmp_path / "recall_events.parquet")
    with empty_store() as store:
        assert store.take(tmp_path)["rejected"] == []
        assert store.column("recall_events", "query_text") == ["字"]
        assert json.loads(store.column("recall_events", "metadata")[0]) == row["metadata"]


text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=12)
real = st.floats(width=32, allow_nan=False, allow_infinity=False)
documents = st.dictionaries(
    text, st.one_of(text, st.integers(-(2**31), 2**31), st.booleans(), st.none(), st.lists(real))
)
rows_of_events = st.lists(
    st.fixed_dictionaries(
        {
            "id": st.one_of(text, st.integers(0, 2**63 - 1).map(str)), "query_text": text | st.just(""),
            "node_uri": text, "retrieval_path": st.sampled_from(["exact", "dense"]), "selected": st.booleans(),
            "used_in_answer": st.booleans(), "metadata": documents,
            "created_at": st.datetimes(datetime(1971, 1, 1), datetime(9999, 1, 1)).map(lambda at: at.isoformat() + "Z"),  # noqa: DTZ001
        },
        optional={
            "view_type": text | st.none(), "pre_rank_score": real | st.none(), "final_rank_score": real | st.none(),
            "query_id": text | st.none(), "session_id": text | st.none(), "client_type": text | st.none(),
            "ranked_position": st.integers(-(2**31), 2**31 - 1) | st.none(),
            "displayed_position": st.integers(0, 50) | st.none(),
        },
    ),
    max_size=8,
)  # fmt: skip


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows_of_events)
def test_the_same_rows_give_the_same_tables_from_every_format(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, Any]]
) -> None:
    folder = tmp_path_factory.mktemp("formats")
    found = []
    sources = [form(folder, "recall_events", rows) for form in (jsonl, csv_file, parquet)]
    for source in [*sources, backup(folder, {"recall_events": rows})]:
        with empty_store() as store:
            report = store.take(source)
            again = store.take(source)["tables"]["recall_events"]
            assert (again["added"], again["updated"]) == (0, 0)
            order = "ORDER BY ALL"
            tables = [store.db.rows(f"SELECT * FROM {name} {order}") for name in TABLES if name.startswith("recall_")]
            found.append((report["tables"]["recall_events"], report["rejected_total"], tables))
    assert found[0][1] == 0
    assert len(found[0][2][-1]) == len({row["id"] for row in rows})
    assert all(one == found[0] for one in found[1:])
    for row in found[0][2][-1]:
        assert row[5] is None or math.isfinite(row[5])


def test_csv_with_quoted_line_ends_and_a_mark_at_the_start(tmp_path: Path) -> None:
    head = "\ufeffquery_id,query_text,created_at,shown_count\r\n"
    lines = 'q1,"two\r\nlines, ""quoted""",2026-03-01T10:00:00Z,\r\nq2,,2026-03-01T10:00:00Z,2\r\n'
    with empty_store() as store:
        store.take(written(tmp_path, "recall_queries.csv", (head + lines).encode()))
        assert store.db.rows("SELECT query_id, query_text, shown_count FROM recall_queries ORDER BY 1") == [
            ("q1", 'two\r\nlines, "quoted"', None),
            ("q2", "", 2),
        ]


def test_csv_rows_that_cannot_be_read_are_listed_by_line(tmp_path: Path) -> None:
    head = b"query_id,query_text,created_at\n"
    rows = b'q1,"a\nb",2026-03-01\nq2,too,many,cells\n\nq3,\xff\xfe,2026-03-01\nq4,"open\n'
    with empty_store() as store:
        report = store.take(written(tmp_path, "recall_queries.csv", head + rows))
        assert store.column("recall_queries", "query_id") == ["q1"]
    assert [(row["where"], row["reason"]) for row in report["rejected"]] == [
        ("recall_queries (recall_queries.csv:4)", "has 4 cells, the header 3"),
        ("recall_queries (recall_queries.csv:5)", "blank line"),
        ("recall_queries (recall_queries.csv:6)", "not valid UTF-8"),
        ("recall_queries (recall_queries.csv:7)", "not valid CSV: unexpected end of data"),
    ]
