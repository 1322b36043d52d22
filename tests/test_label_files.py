"""Files of answers by hand: a wrong one is refused, a wrong row has its own reason, and the newest answer counts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from import_sources import backup, event, query
from log_builder import Candidate, Prompt, log_of

from workbench.errors import BadInput
from workbench.judge import hand
from workbench.judge.hand_files import read_answers
from workbench.store import Database, Inbox

Run = Callable[..., tuple[int, str, str]]

NOW = datetime(2026, 12, 2, 9, 0, tzinfo=UTC)
GOOD = {"query_id": "q", "uri": "a://1", "grade": "yes"}


@pytest.fixture
def log() -> Iterator[Database]:
    prompts = [Prompt(name, [Candidate("a://1", 0.7)], text=f"words of {name}") for name in ("q", "r")]
    with log_of(prompts, {"a://1": "n1"}) as db:
        yield db


def _written(folder: Path, *rows: object, name: str = "labels.jsonl") -> Path:
    path = folder / name
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), encoding="utf-8")
    return path


def _take(db: Database, path: Path, now: datetime = NOW) -> list[str]:
    """Take the answers of a file that are not known yet; the reasons of the rows that are none."""
    found = read_answers(db, path, now)
    known = hand.known_labels(db)
    hand.take(db, [vars(one) for one in found.answers if one.label_id not in known])
    return [one["reason"] for one in found.rejected]


def _grades(db: Database) -> dict[str, str]:
    return {one["query_id"]: one["grade"] for one in hand.listing(db)}


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", "a,b\n1,2\n", "no column uri; its columns are 'a', 'b'"),
        ("a.csv", "query_id;uri;grade\nq;a://1;yes\n", "no column uri; its columns are 'query_id;uri;grade'"),
        ("a.csv", "QUERY_ID,URI,GRADE\nq,a://1,yes\n", "no column uri; its columns are 'QUERY_ID'"),
        ("a.csv", "uri,grade\na://1,yes\n", "no column query_id or prompt"),
        ("a.csv", "query_id,uri\nq,a://1\n", "no column grade"),
        ("a.csv", "", "no column uri; it has none"),
        ("a.jsonl", "", "no column uri; it has none"),
        ("a.jsonl", "{broken\nnull\n[1]\n", "no column uri; it has none"),
        ("a.jsonl", '{"a": 1}\n', "no column uri; its columns are 'a'"),
    ],
)
def test_a_file_without_the_columns_is_refused_by_their_name(
    log: Database, tmp_path: Path, name: str, content: str, said: str
) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(BadInput, match=said):
        read_answers(log, tmp_path / name, NOW)


def test_a_parquet_file_without_the_columns_is_refused(log: Database, tmp_path: Path) -> None:
    pq.write_table(pa.table({"uri": ["a://1"], "query": ["q"], "grade": ["yes"]}), tmp_path / "a.parquet")
    with pytest.raises(BadInput, match="no column query_id or prompt"):
        read_answers(log, tmp_path / "a.parquet", NOW)


def test_a_line_that_holds_no_row_says_so_itself(log: Database, tmp_path: Path) -> None:
    reasons = _take(log, _written(tmp_path, GOOD, "{broken", "null", "[1]", '{"query_id": "q", "uri"'))
    assert [reason.partition(" (")[0] for reason in reasons] == [
        "The line is not valid JSON", "The line is no JSON object.", "The line is no JSON object.",
        "The line is not valid JSON",
    ]  # fmt: skip
    (tmp_path / "a.csv").write_text("query_id,uri,grade\nq,a://1\nq,a://1,yes,x\n", encoding="utf-8")
    assert _take(log, tmp_path / "a.csv") == [
        "The row has 2 cells, the header 3.", "The row has 4 cells, the header 3.",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"labelled_by": ["x"]}, "labelled_by \"['x']\" is no text"),
        ({"query_id": 7}, "query_id '7' is no text"),
        ({"grade": True}, "grade 'True' is no text"),
        ({"prompt": "words of r"}, "The prompt of 'q' is 'words of q'"),
        ({"labelled_at": "2099-01-01"}, "2099-01-01 00:00 lies in the future"),
        ({"labelled_at": "0001-01-01T00:00:00+23:59"}, "outside the years 1 to 9999"),
    ],
)
def test_a_row_with_a_wrong_value_is_rejected_not_cast(
    log: Database, tmp_path: Path, change: dict[str, Any], said: str
) -> None:
    (reason,) = _take(log, _written(tmp_path, GOOD | change))
    assert said in reason
    assert _grades(log) == {}


def test_the_prompt_may_stand_beside_its_query_id(log: Database, tmp_path: Path) -> None:
    assert _take(log, _written(tmp_path, GOOD | {"prompt": "  words  of q\n"})) == []
    assert _grades(log) == {"q": "yes"}


def test_an_answer_without_a_time_counts_from_its_import_and_is_taken_once(log: Database, tmp_path: Path) -> None:
    hand.take(log, [vars(hand.answered(log, "q", "a://1", "no", NOW - timedelta(days=1)))])
    source = _written(tmp_path, GOOD)
    _take(log, source)
    assert _grades(log) == {"q": "yes"}
    hand.take(log, [vars(hand.answered(log, "q", "a://1", "unsure", NOW + timedelta(days=1)))])
    _take(log, source, NOW + timedelta(days=2))
    assert _grades(log) == {"q": "unsure"}


def test_of_two_answers_without_a_time_the_later_row_counts(log: Database, tmp_path: Path) -> None:
    for number, grades in enumerate((("yes", "no"), ("no", "yes"))):
        rows = [GOOD | {"grade": grade, "labelled_by": f"round {number}"} for grade in grades]
        _take(log, _written(tmp_path, *rows), NOW + timedelta(hours=number))
        assert _grades(log) == {"q": grades[1]}


def test_an_answer_of_a_clock_that_runs_ahead_can_be_changed(log: Database, tmp_path: Path) -> None:
    ahead = (NOW + timedelta(hours=5)).isoformat()
    assert _take(log, _written(tmp_path, GOOD | {"labelled_at": ahead})) == []
    hand.take(log, [vars(hand.answered(log, "q", "a://1", "no", NOW + timedelta(minutes=1)))])
    assert _grades(log) == {"q": "no"}


def test_a_parquet_time_is_a_time(log: Database, tmp_path: Path) -> None:
    pq.write_table(
        pa.Table.from_pylist([GOOD | {"labelled_at": datetime(2026, 3, 2, tzinfo=UTC)}]), tmp_path / "a.parquet"
    )
    assert _take(log, tmp_path / "a.parquet") == []
    assert hand.listing(log)[0]["labelled_at"].startswith("2026-03-02 00:00:00")


def test_a_line_separator_in_a_prompt_ends_no_line(tmp_path: Path) -> None:
    prompt = "first\u2028second\x85third"
    with log_of([Prompt("q", [Candidate("a://1", 0.7)], text=prompt)], {"a://1": "n1"}) as db:
        row = json.dumps({"prompt": prompt, "uri": "a://1", "grade": "yes"}, ensure_ascii=False)
        assert _take(db, _written(tmp_path, row)) == []
        assert _grades(db) == {"q": "yes"}


def test_only_an_answer_that_stands_can_be_taken_back(log: Database) -> None:
    with pytest.raises(BadInput, match="No answer stands on 'a://1' for the prompt 'q'"):
        hand.withdrawal(log, "q", "a://1", NOW)
    hand.take(log, [vars(hand.answered(log, "q", "a://1", "yes", NOW))])
    hand.take(log, [vars(hand.withdrawal(log, "q", "a://1", NOW + timedelta(seconds=1)))])
    assert _grades(log) == {}
    with pytest.raises(BadInput, match="No answer stands"):
        hand.withdrawal(log, "q", "a://1", NOW + timedelta(seconds=2))


def test_an_answer_is_taken_back_after_its_address_went_to_another_memory(log: Database) -> None:
    hand.take(log, [vars(hand.answered(log, "q", "a://1", "yes", NOW))])
    log.execute("UPDATE edges SET child_uuid = 'n2'")
    hand.take(log, [vars(hand.withdrawal(log, "q", "a://1", NOW + timedelta(seconds=1)))])
    assert _grades(log) == {}


def test_what_cannot_be_taken_back_changes_nothing_and_the_hint_names_what_helps(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "s.duckdb"
    tables = {"recall_queries": [query("q1")], "recall_events": [event(1, query_id="q1")]}
    assert run("import", backup(tmp_path, tables), "--db", path)[0] == 0
    code, out, err = run("label", "remove", "q1", "core://a", "--db", path)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert Inbox(path).read() == []
    code, _, err = run("label", "add", "nobody", "core://a", "yes", "--db", path)
    assert code == 2
    assert "`workbench label next` names one" in err
    assert "explain" not in err
