"""Logged candidates, parity and explanation on a small log whose numbers are worked out by hand."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from small_log import Candidate, Row, add_memory, add_query, derive

from workbench.errors import BadInput
from workbench.judge import dump
from workbench.metrics.report import report
from workbench.params import Params
from workbench.replay.explain import explain
from workbench.replay.parity import CAUSES, UNEXPLAINED, parity
from workbench.replay.run import Settings, replay_shown
from workbench.replay.selection import Selection
from workbench.store import Database, in_memory, sql_text

# exact .84 and dense gist .9, priority 2, age 180 days, 3 tokens: .252 + .27 + .03 + .03 + .02
WEBHOOKS = Candidate(
    "project://checkout/webhooks",
    [Row("exact", 0.84), Row("dense", 0.9, "gist"), Row("lexical", 0.0, "gist")],
    {"exact": 0.252, "glossary_semantic": 0, "semantic": 0.27, "lexical": 0, "lexical_damp": 0.430677, "view": 0.03,
     "priority": 0.03, "multi_view": 0, "recency": 0.02},
    0.602,
    shown=True,
    used=True,
)  # fmt: skip
SECOND = Candidate(
    "project://checkout/api",
    [Row("dense", 0.88, "gist"), Row("dense", 0.90, "question", 0.96)],
    {"exact": 0, "glossary_semantic": 0, "semantic": 0.264, "lexical": 0, "lexical_damp": 0.430677, "view": 0.03,
     "priority": 0.05, "multi_view": 0.015, "recency": 0.04},
    0.399,
)  # fmt: skip
IN_FORCE = Settings(Params.default(), Params.default())


@pytest.fixture
def db() -> Iterator[Database]:
    with in_memory() as database:
        add_memory(database, "project://checkout/webhooks", node="n1", priority=2, created="2026-01-01T00:00:00Z")
        add_memory(database, "project://checkout/api", node="n2", priority=0, created="2026-01-01T00:00:00Z")
        add_query(database, "q1", [WEBHOOKS, SECOND])
        derive(database)
        yield database


def test_priority_and_age_are_inverted_from_the_logged_terms(db: Database) -> None:
    rows = db.rows(
        "SELECT uri, node_uuid, priority, priority_source, age_days, age_source"
        " FROM wb.logged_candidates ORDER BY uri DESC"
    )
    assert rows[0][:4] == ("project://checkout/webhooks", "n1", 2, "store")
    assert rows[0][4] == pytest.approx(180, abs=0.01)
    assert rows[0][5] == "logged_term"
    assert rows[1][:4] == ("project://checkout/api", "n2", 0, "store")


def test_a_priority_that_changed_since_is_taken_from_the_log(db: Database) -> None:
    db.execute("UPDATE edges SET priority = 4 WHERE child_uuid = 'n1'")
    derive(db)
    assert db.row("SELECT priority, priority_source FROM wb.logged_candidates WHERE node_uuid = 'n1'") == (
        2,
        "logged_term",
    )


def test_parity_holds_for_the_configuration_in_force(db: Database) -> None:
    result = parity(db, IN_FORCE)
    assert (result.rows, result.rows_equal, result.flips) == (2, 2, 0)
    assert result.passes()


def test_another_weight_in_the_log_is_named_as_the_cause(db: Database) -> None:
    derive(db, Params.default().replace({"recall.weights.w_exact": 0.5}))
    changed = Params.default().replace({"recall.weights.w_exact": 0.5})
    result = parity(db, Settings(changed, changed))
    assert not result.passes()
    assert dict(result.causes) == {"configuration change (signal weights)": 1}
    assert result.passes(frozenset(result.causes))


def test_the_causes_that_can_be_accepted_are_those_that_the_statement_gives() -> None:
    given = sql_text("parity/parity_rows").partition("END AS cause")[0]
    assert {*re.findall(r"(?:THEN|ELSE) '([^']+)'", given), UNEXPLAINED} == set(CAUSES)


def test_case_10_rows_of_another_scoring_method_are_left_out_of_parity(db: Database) -> None:
    add_query(db, "q2", [SECOND], strategy="rrf")
    derive(db)
    result = parity(db, IN_FORCE)
    assert result.rows == 2
    assert dict(result.excluded) == {"other scoring strategy": 1}


def test_case_05_the_best_weighted_view_row_gives_the_dense_part(db: Database) -> None:
    found = explain(db, IN_FORCE, "q1", "project://checkout/api")
    terms = found.candidates[0]["terms"]
    assert terms["dense"] == pytest.approx(0.264, abs=1e-9)
    assert sum(terms.values()) == pytest.approx(found.candidates[0]["score"], abs=1e-6)
    assert [row["counts"] for row in found.rows] == [True, False]


def test_explain_names_the_single_settings_that_flip_a_memory(db: Database) -> None:
    flips = {flip["key"]: flip["to"] for flip in explain(db, IN_FORCE, "q1", "project://checkout/api").flips}
    assert flips["recall.display.min_display_score"] < 0.4
    assert "recall.weights.w_exact" not in flips


def test_explain_of_an_unknown_query_says_so(db: Database) -> None:
    with pytest.raises(BadInput, match="holds no query 'nope'"):
        explain(db, IN_FORCE, "nope")
    with pytest.raises(BadInput, match="no candidate core://x"):
        explain(db, IN_FORCE, "q1", "core://x")


def test_a_replay_under_another_threshold_shows_more(db: Database) -> None:
    lower = Params.default().replace({"recall.display.min_display_score": 0.3})
    replay_shown(db, Settings(lower, Params.default()), None)
    assert db.rows("SELECT uri, displayed_position FROM shown ORDER BY 2") == [
        ("project://checkout/webhooks", 1),
        ("project://checkout/api", 2),
    ]


def test_view_weights_are_replayed(db: Database) -> None:
    heavy = Params.default().replace({"views.weight.question": 1.2})
    replay_shown(db, Settings(heavy.replace({"recall.display.min_display_score": 0.4}), Params.default()), None)
    scores = dict(db.rows("SELECT uri, score FROM shown"))
    assert scores["project://checkout/api"] == pytest.approx(0.3 * 0.9 * 1.2 + 0.03 + 0.05 + 0.015 + 0.04)


def test_the_dump_has_the_promised_columns(db: Database, tmp_path: Path) -> None:
    dump(db, IN_FORCE, None, tmp_path / "dump.parquet")
    table = pq.read_table(tmp_path / "dump.parquet")
    assert " ".join(table.column_names) == (
        "query_id uri node_uuid exact glossary_semantic dense lexical lexical_damp c_exact c_glossary_semantic "
        "c_dense c_lexical c_view c_priority c_multi_view c_recency score ranked_position shown displayed_position "
        "suppressed_by label logged_score logged_shown"
    )
    assert table.column("label").to_pylist() == ["used", "unknown"]
    assert table.column("suppressed_by").to_pylist() == [None, "score"]


def test_case_45_a_dump_as_csv_opens_in_a_spreadsheet_and_runs_nothing(db: Database, tmp_path: Path) -> None:
    db.execute("UPDATE wb.logged_candidates SET query_id = '=1+1'")
    db.execute("UPDATE wb.logged_queries SET query_id = '=1+1'")
    dump(db, IN_FORCE, None, tmp_path / "dump.csv")
    content = (tmp_path / "dump.csv").read_bytes()
    assert content.startswith(b"\xef\xbb\xbfquery_id,uri,")
    rows = list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))
    assert [row["query_id"] for row in rows] == ["'=1+1", "'=1+1"]
    assert [float(row["score"]) for row in rows] == [0.602, 0.399]


def test_case_14_recency_at_its_edges(db: Database) -> None:
    rows = [("no date", None), ("year 9999", 0.0), ("five minutes ahead", 0.0), ("a century", 36525.0)]
    db.execute("DELETE FROM wb.logged_candidates WHERE uri <> 'project://checkout/webhooks'")
    for uri, age in rows:
        db.execute(
            "INSERT INTO wb.logged_candidates BY NAME"
            " SELECT * REPLACE ($uri AS uri, 3 AS priority, $age::DOUBLE AS age_days)"
            " FROM wb.logged_candidates WHERE uri = 'project://checkout/webhooks'",
            {"uri": uri, "age": age},
        )
    week = Params.default().replace({"recall.recency.half_life_days": 7})
    dump_rows = {
        c["uri"]: c["terms"]["recency"] for c in explain(db, Settings(week, Params.default()), "q1").candidates
    }
    assert dump_rows["no date"] == 0
    assert dump_rows["year 9999"] == dump_rows["five minutes ahead"] == 0.04
    assert dump_rows["a century"] < 1e-9


def test_what_a_log_without_events_shows_counts_but_is_not_replayed(db: Database) -> None:
    db.execute("DELETE FROM recall_events")
    db.execute(
        "INSERT INTO recall_query_candidates BY NAME SELECT 'q1' AS query_id, 'project://checkout/api' AS node_uri,"
        " 0.7::FLOAT AS final_rank_score, true AS selected, true AS used_in_answer, 1 AS displayed_position"
    )
    derive(db)
    assert Selection().materialise(db) == 1
    said = report(db).as_json()
    assert (said["shown"], said["used"]) == (1, 1)
    assert Selection().for_replay().materialise(db) == 0
    found = parity(db, IN_FORCE)
    assert (found.rows, dict(found.excluded)) == (0, {"signals not in the log": 1})
    assert found.unexplained_flips == 0
