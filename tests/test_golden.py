"""The scoring chain against the real server: every score, order, shown list and suppressed count."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from golden_records import Golden, bindings, depth, groups, load, queries, signal_rows

from workbench.store import Database, compose, in_memory

EXCERPT = Path(__file__).parent / "golden"
CHAIN = ("boot_uris", "merge", ("candidates", "SELECT * FROM merge"), "score", ("ranked_input", "SELECT * FROM score"))
SELECT = """
SELECT query_id, uri, score, shown, displayed_position, suppressed_by FROM {last} ORDER BY query_id, ranked_position
"""


@pytest.fixture(scope="module")
def db() -> Iterator[Database]:
    with in_memory() as database:
        yield database


def replayed(
    db: Database, golden: Golden, records: list[dict[str, Any]], bound: Mapping[str, Any]
) -> dict[str, list[tuple[Any, ...]]]:
    """The display rows of each prompt, best first."""
    db.register("raw_rows", signal_rows(golden, records))
    db.register("raw_queries", queries(golden, records))
    db.execute(
        "CREATE OR REPLACE TEMP TABLE signal_rows AS "
        "SELECT * REPLACE (updated_at::TIMESTAMPTZ AS updated_at) FROM raw_rows"
    )
    db.execute("CREATE OR REPLACE TEMP TABLE queries AS SELECT * REPLACE (now::TIMESTAMPTZ AS now) FROM raw_queries")
    rows: dict[str, list[tuple[Any, ...]]] = {record["prompt_id"]: [] for record in records}
    for row in db.rows(compose((*CHAIN, "display"), SELECT), bound):
        rows[row[0]].append(row)
    return rows


def check(record: Mapping[str, Any], rows: list[tuple[Any, ...]]) -> None:
    where = f"{record['fts']} {record['config']} {record['prompt_id']}"
    ranked = [(c["uri"], c["score"]) for c in record["ranked"]] if "ranked" in record else record["ranked_scores"]
    wanted = [tuple(pair) for pair in ranked]
    assert [(row[1], row[2]) for row in rows][: len(wanted)] == wanted, where
    assert len(rows) == record.get("n_ranked", len(rows)), where
    shown = sorted((row for row in rows if row[3]), key=lambda row: row[4])
    assert [row[1] for row in shown] == [item["uri"] for item in record["items"]], where
    suppressed = {cause: sum(row[5] == cause for row in rows) for cause in ("boot", "score")}
    assert suppressed == record["suppressed"], where


def check_all(db: Database, golden: Golden) -> tuple[int, list[str]]:
    """Check every record whose raw rows are known; returns how many, and which could not be checked.

    The raw rows were taken at the default depth of 96: a record made with more rows a signal, with another length of
    the query or with a view weight that moves a row across the row limit has rows that no record shows.
    """
    checked, unknown = 0, []
    for _, body, records in groups(golden):
        known = [record for record in records if raw_rows_known(golden, record, body)]
        unknown += [f"{r['config']}/{r['prompt_id']}" for r in records if r not in known]
        rows = replayed(db, golden, known, bindings(records[0], body))
        for record in known:
            check(record, rows[record["prompt_id"]])
            checked += 1
    return checked, unknown


def raw_rows_known(golden: Golden, record: Mapping[str, Any], body: Mapping[str, Any]) -> bool:
    default = golden.shared[record["prompt_id"]]
    same_query = record["retrieval_query"] == default["retrieval_query"]
    own_weights = "views.weight.gist" in record["settings"]
    at_the_limit = own_weights and record["prompt_id"] == "p029"
    return same_query and not at_the_limit and depth(record, body) == depth(default, body)


def test_the_excerpt_replays_exactly(db: Database) -> None:
    simple = load(EXCERPT / "recall_simple.jsonl.gz")
    checked, unknown = check_all(db, simple)
    jieba_checked, _ = check_all(db, load(EXCERPT / "recall_jieba.jsonl.gz", simple))
    assert checked + len(unknown) == len(simple.records)
    assert checked > 300
    assert jieba_checked > 70


@pytest.mark.conformance
def test_the_whole_set_replays_exactly(db: Database, conformance: Path) -> None:
    simple = load(conformance / "golden_recall.jsonl.gz")
    checked, unknown = check_all(db, simple)
    assert checked + len(unknown) == 404 * 16
    assert checked == 6011
    jieba_checked, jieba_unknown = check_all(db, load(conformance / "golden_recall_jieba.jsonl.gz", simple))
    assert (jieba_checked, jieba_unknown) == (404 * 4, [])
