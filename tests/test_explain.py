"""Explanation of one prompt: rows of any source, the display, and what would flip a memory."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest
from explained import DEFAULT, NO_FLAGS, TARGET, URI, about, changes, exact_row, settings
from small_log import Candidate, Row, add_memory, add_query, append, derive

from workbench.errors import BadInput
from workbench.replay.asked import new_prompt
from workbench.replay.engine import CANDIDATES
from workbench.replay.explain import ENGINE_ROWS, Explanation, explain, explain_prompt
from workbench.replay.run import Settings
from workbench.store import Database, compose

ASKED_AT = datetime(2026, 11, 20, 12, tzinfo=UTC)


def test_case_05_130_rows_over_40_nodes_are_all_there_and_add_up(db: Database) -> None:
    def terms(number: int) -> dict[str, float]:
        dense = 0.3 * max(0.88 - number / 1000, 0.96 * (0.90 - number / 1000))
        return {
            "exact": 0, "glossary_semantic": 0.25 * 0.4, "semantic": dense, "lexical": 0, "lexical_damp": 0.430677,
            "view": 0.03, "priority": 0.05, "multi_view": 0.015, "recency": 0,
        }  # fmt: skip

    def rows(number: int) -> list[Row]:
        found = [
            Row("dense", 0.88 - number / 1000, "gist"), Row("dense", 0.90 - number / 1000, "question", 0.96),
            Row("glossary_semantic", 0.4),
        ]  # fmt: skip
        return found + ([Row("glossary_semantic", 0.3)] if number < 10 else [])

    nodes = [
        Candidate(
            f"project://n/{number:02}", rows(number), terms(number),
            sum(part for name, part in terms(number).items() if name != "lexical_damp"),
        )
        for number in range(40)
    ]  # fmt: skip
    add_query(db, "q1", nodes)
    derive(db)
    said = explain(db, DEFAULT, "q1").as_json()
    assert (len(said["signal_rows"]), len(said["candidates"])) == (130, 40)
    first = next(one for one in said["candidates"] if one["uri"] == "project://n/00")
    assert first["terms"]["dense"] == pytest.approx(0.264, abs=1e-9)
    for one in said["candidates"]:
        assert "lexical_damp" not in one["terms"]
        assert sum(one["terms"].values()) == pytest.approx(one["score"], abs=1e-6)
        assert one["score"] == pytest.approx(one["logged_score"], abs=1e-5)
    assert sum(row["counts"] for row in said["signal_rows"]) == 80


def test_case_05_a_weak_exact_row_without_flags_is_a_tokenised_match(db: Database) -> None:
    weak = Candidate(URI, [Row("exact", 0.78)], meta=exact_row(NO_FLAGS, ["exact", "glossary_fts"]))
    bare = Candidate("project://bare", [Row("exact", 0.78)])
    add_query(db, "q1", [weak, bare])
    derive(db)
    rows = explain(db, DEFAULT, "q1").rows
    assert [row["reason"] for row in rows] == ["tokenised match in keywords, address or path"] * 2
    assert [row["hits"] for row in rows] == [["glossary_fts"], None]


@pytest.mark.parametrize(
    ("score", "reason"),
    [
        (1.00, "the prompt is the address or path"), (0.98, "the prompt is a keyword"),
        (0.90, "the keywords contain the prompt"), (0.84, "the prompt contains a keyword"),
        (0.72, "the address or path contains the prompt"),
    ],
)  # fmt: skip
def test_each_exact_tier_has_its_reason(db: Database, score: float, reason: str) -> None:
    add_query(db, "q1", [Candidate(URI, [Row("exact", score)])])
    derive(db)
    assert [row["reason"] for row in explain(db, DEFAULT, "q1").rows] == [reason]


def test_lexical_flags_of_the_log_are_read(db: Database) -> None:
    flags = {"lexical_flags": {"fts_hit": False, "text_hit": True, "uri_hit": True}}
    add_query(db, "q1", [Candidate(URI, [Row("lexical", 0.0, "gist")], meta=flags)])
    derive(db)
    (row,) = explain(db, DEFAULT, "q1").rows
    assert (row["hits"], row["reason"]) == (["text", "uri"], "the view contains the prompt")


# From rows of any source to the display.


def signal(uri: str, name: str, raw: float, arrival: int, **more: Any) -> dict[str, Any]:
    return {
        "query_id": "new", "uri": uri, "signal": name, "view_type": None, "raw_score": raw, "weight": 1.0,
        "keyword": None, "priority": 3, "updated_at": ASKED_AT, "arrival": arrival, "flags": None,
        "wildcard_only": False, **more,
    }  # fmt: skip


SCHEMA = pa.schema({
    "query_id": pa.string(), "uri": pa.string(), "signal": pa.string(), "view_type": pa.string(),
    "raw_score": pa.float64(), "weight": pa.float64(), "keyword": pa.string(), "priority": pa.int32(),
    "updated_at": pa.timestamp("us", "UTC"), "arrival": pa.int32(), "flags": pa.int32(), "wildcard_only": pa.bool_(),
})  # fmt: skip


def from_rows(
    db: Database, rows: Sequence[Mapping[str, Any]], using: Settings = DEFAULT, uri: str | None = None, tokens: int = 3
) -> Explanation:
    """Merge, score, display and explain signal rows of a prompt that nobody logged."""
    db.register("given", pa.Table.from_pylist([dict(row) for row in rows], SCHEMA))
    db.execute("CREATE OR REPLACE TEMP TABLE signal_rows AS SELECT * FROM given")
    db.unregister("given")
    bound = {"now": ASKED_AT, "tokens": tokens}
    db.execute("CREATE OR REPLACE TEMP TABLE queries AS SELECT 'new' AS query_id, $now AS now, $tokens AS query_tokens",
               bound)  # fmt: skip
    db.execute("CREATE OR REPLACE TEMP TABLE corpus_nodes (uri VARCHAR, node_uuid VARCHAR)")
    stages = ("boot_uris", "merge", "retrieve/engine_candidates")
    db.execute(f"CREATE OR REPLACE TEMP TABLE {CANDIDATES} AS SELECT * FROM wb.logged_candidates LIMIT 0")
    db.execute(f"INSERT INTO {CANDIDATES} BY NAME {compose(stages)}")
    asked = replace(new_prompt(db, using.params, "how are refunds deduplicated", ASKED_AT, "m1"), query_tokens=tokens)
    return explain_prompt(db, replace(using, candidates=CANDIDATES), asked, ENGINE_ROWS, uri)


def test_case_14_recency_at_its_edges_from_time_stamps(db: Database) -> None:
    stamps = {
        "no date": (0, None),
        "year 9999": (3, datetime(9999, 12, 31, tzinfo=UTC)),
        "ahead": (3, ASKED_AT + timedelta(minutes=5)),
        "a century": (3, ASKED_AT - timedelta(days=36525)),
    }
    rows = [
        signal(f"core://{name}", "exact", 0.84, place, priority=priority, updated_at=at)
        for place, (name, (priority, at)) in enumerate(stamps.items())
    ]
    week = settings(recall__recency__half_life_days=7)
    said = from_rows(db, rows, week).as_json()
    recency = {one["uri"].removeprefix("core://"): one["terms"]["recency"] for one in said["candidates"]}
    assert (recency["no date"], recency["year 9999"], recency["ahead"]) == (0, 0.04, 0.04)
    assert 0 <= recency["a century"] < 1e-9
    assert all(math.isfinite(part) for one in said["candidates"] for part in one["terms"].values())
    assert about(said)["recency without a date"] == ["core://no date"]


def test_case_14_a_logged_memory_without_a_date_keeps_the_logged_zero(db: Database) -> None:
    add_memory(db, "core://undated", node="n1", priority=0, created="2026-01-01T00:00:00Z")
    db.execute("UPDATE memories SET created_at = NULL")
    breakdown = {
        "exact": 0.252, "glossary_semantic": 0, "semantic": 0, "lexical": 0, "view": 0, "priority": 0.05,
        "multi_view": 0, "recency": 0,
    }  # fmt: skip
    add_query(db, "q1", [Candidate("core://undated", [Row("exact", 0.84)], breakdown, 0.302)])
    derive(db)
    said = explain(db, DEFAULT, "q1").as_json()
    (one,) = said["candidates"]
    assert (one["score"], one["terms"]["recency"], one["age_source"]) == (0.302, 0, "none")
    assert about(said)["recency without a date"] == ["core://undated"]


BOOT = (
    "core://agent", "core://soul", "preferences://user", "core://agent/claudecode", "core://agent/openclaw",
    "core://agent/hermes", "core://agent/codex", "core://agent/pi", "core://agent/opencode",
)  # fmt: skip


def many(depth: int) -> list[dict[str, Any]]:
    """300 memories of which 9 start-up ones are nearest, and the target, of dense rank 120, holds a keyword; every
    signal returns its best `depth` rows."""
    names = [*BOOT, *(f"project://m/{number:03}" for number in range(290))]
    names.insert(119, TARGET)
    dense = [
        signal(uri, "dense", 0.95 - place / 1000, 2000 + place, view_type="gist") for place, uri in enumerate(names)
    ]
    near = ("project://m/000", "project://m/001", "project://m/002", "project://m/003")
    exact = [signal(uri, "exact", 1.0, place) for place, uri in enumerate(BOOT)]
    exact += [signal(uri, "exact", 0.98, 20 + place) for place, uri in enumerate(near)]
    exact += [signal(TARGET, "exact", 0.84, 30)]
    assert len(dense) == 300
    assert dense[119]["uri"] == TARGET
    return exact[:depth] + dense[:depth]


def test_case_31_candidate_depth_decides_the_answer(db: Database) -> None:
    said = from_rows(db, many(96), settings(recall__display__min_display_score=0.35)).as_json()
    places = {one["uri"]: one for one in said["candidates"]}
    assert [one["uri"] for one in said["candidates"][:9]] == list(BOOT) or {
        one["uri"] for one in said["candidates"][:9]
    } == set(BOOT)
    assert [one["ranked_position"] for one in said["candidates"] if one["shown"]] == [10, 11, 12]
    assert {one["suppressed_by"] for one in said["candidates"][:9]} == {"boot"}
    assert said["candidates"][12]["suppressed_by"] == "slice"
    target = places[TARGET]
    assert target["dense_gist"] is None
    deeper = {one["uri"]: one for one in from_rows(db, many(300)).as_json()["candidates"]}[TARGET]
    assert deeper["dense_gist"] == pytest.approx(0.831)
    assert deeper["score"] == pytest.approx(target["score"] + 0.3 * 0.831 + 0.03, abs=2e-6)


def test_case_31_below_the_threshold_nothing_takes_the_places_of_boot_nodes(db: Database) -> None:
    said = from_rows(db, many(96), settings(recall__display__min_display_score=0.99)).as_json()
    assert not [one for one in said["candidates"] if one["shown"]]
    assert [one["suppressed_by"] for one in said["candidates"][:13]] == ["boot"] * 9 + ["score"] * 3 + ["slice"]


def test_each_candidate_says_why_it_is_shown_or_not(db: Database) -> None:
    rows = [signal("core://soul", "exact", 1.0, 0, priority=0)]
    rows += [signal(f"project://m/{n:02}", "exact", 0.98 - n / 100, n + 1, priority=0) for n in range(14)]
    narrow = settings(recall__display__min_display_score=0.37, recall__display__max_display_items=1)
    why = {one["uri"]: one["why"] for one in from_rows(db, rows, narrow).as_json()["candidates"]}
    assert why["core://soul"].startswith("A start-up memory")
    assert why["project://m/00"] == "Shown at place 1: its score is 0.014000 above the threshold 0.37."
    assert why["project://m/01"] == "The display was full with 1 better memories before it was looked at."
    assert why["project://m/13"].startswith("Only the first 12 candidates are looked at; this is number 15.")
    low = settings(recall__display__min_display_score=0.5)
    why = {one["uri"]: one["why"] for one in from_rows(db, rows, low).as_json()["candidates"]}
    assert why["project://m/00"] == "Its score is 0.116000 below the threshold 0.5."


def test_wildcards_and_neighbours_are_noted_where_they_matter(db: Database) -> None:
    rows = [
        signal("core://wild", "exact", 0.84, 0, wildcard_only=True, flags=8),
        signal("core://far", "dense", 0.1, 1, view_type="gist"),
    ]
    said = from_rows(db, rows, tokens=1).as_json()
    assert about(said)["wildcards"] == ["core://wild"]
    assert {"vector neighbours", "damping", "exact tiers"} <= about(said).keys()
    assert [row["wildcard_only"] for row in said["signal_rows"]] == [True, False]
    plain = about(from_rows(db, [signal("core://x", "exact", 1.0, 0, flags=1)]).as_json())
    assert not {"wildcards", "vector neighbours", "damping", "exact tiers", "truncation"} & plain.keys()


def test_an_alias_of_a_start_up_memory_is_noted(db: Database) -> None:
    add_memory(db, "core://soul", node="n1", priority=0, created="2026-01-01T00:00:00Z")
    append(db, "paths", [{"domain": "core", "path": "persona", "edge_id": "e-core://soul"}])
    add_query(db, "q1", [Candidate("core://persona", [Row("exact", 1.0)])])
    derive(db)
    assert about(explain(db, DEFAULT, "q1").as_json())["start-up aliases"] == ["core://persona"]


# What would flip a memory.


def held(db: Database, **more: Any) -> None:
    """A memory of priority 3 at URI, a year old, with a gist and no vectors."""
    add_memory(db, URI, node="n1", priority=3, created="2025-11-20T12:00:00Z")
    view = {
        "id": "v1", "domain": "project", "path": "checkout/webhooks", "uri": URI, "node_uuid": "n1", "priority": 3,
        "view_type": "gist", "status": "active", "weight": 1.0, "text_content": "refunds", **more,
    }  # fmt: skip
    append(db, "memory_views", [view])


def test_the_smallest_change_of_each_kind_that_shows_a_memory(db: Database) -> None:
    held(db)
    year_old = datetime(2025, 11, 20, 12, tzinfo=UTC)
    rows = [signal(URI, "lexical", 0.5, 1, view_type="gist", updated_at=year_old)]
    rows += [signal("core://a", "exact", 0.98, 0), signal("core://b", "exact", 0.90, 2)]
    # As it is: lexical 0.5 * 0.03 * 0.430677 + view .03 + priority .02 + recency .04 * 2 ** (-365 / 180).
    recency = 0.04 * 2 ** (-365 / 180)
    score = 0.5 * 0.03 / math.log2(5) + 0.03 + 0.02 + recency
    places = settings(recall__display__min_display_score=0.09, recall__display__max_display_items=3)
    found = from_rows(db, rows, places, URI)
    assert found.candidates[0]["score"] == pytest.approx(score, abs=1e-6)
    assert not found.candidates[0]["shown"]
    flips = changes(found)
    assert flips["priority"]["value"] == 1
    assert flips["priority"]["score"] == pytest.approx(score + 0.02 + 0.04 - recency, abs=1e-6)
    assert flips["edited_now"]["score"] == pytest.approx(score - recency + 0.04, abs=1e-6)
    assert flips["keyword_in_prompt"]["score"] == pytest.approx(score + 0.3 * 0.84, abs=1e-6)
    assert flips["keyword_is_prompt_embedded"]["score"] == pytest.approx(
        score - recency + 0.04 + 0.294 + 0.25, abs=2e-6
    )
    assert flips["vectors"]["value"] == 0.01, "index rows that are built now make the memory recent"
    assert all(one["shown"] for one in flips.values())
    assert "views" not in flips
    assert "Priority 1 instead of 3 alone would show it" in flips["priority"]["words"]


def test_changes_count_among_the_rivals_as_ranked(db: Database) -> None:
    held(db)
    rows = [signal(URI, "lexical", 0.5, 1, view_type="gist")]
    rows += [signal(f"core://{n}", "exact", 1.0, n, priority=0) for n in range(3, 6)]
    rows += [signal(f"core://{n}", "dense", 0.7, n + 100, view_type="gist", priority=0) for n in range(3, 6)]
    flips = changes(from_rows(db, rows, settings(recall__display__min_display_score=0.2), URI))
    # Three rivals at .3 + .21 + .03 + .05 + .04 = .63 fill the display; only exact .98 with similarity 1 gets above.
    assert [*flips] == ["keyword_is_prompt_embedded"]
    assert flips["keyword_is_prompt_embedded"]["ranked_position"] <= 3


def test_what_would_hide_a_shown_memory(db: Database) -> None:
    held(db)
    rows = [signal(URI, "exact", 0.84, 0), signal(URI, "lexical", 0.5, 1, view_type="gist")]
    found = from_rows(db, rows, settings(recall__display__min_display_score=0.34), URI)
    assert found.candidates[0]["shown"]
    flips = changes(found)
    assert flips.keys() == {"keywords_removed", "never_edited", "priority"}
    assert not any(one["shown"] for one in flips.values())
    # .252 + .00646 + .03 + .02 + .04 = .34846: the second step down the priorities is one too many, the first is too.
    assert flips["priority"]["value"] == 4
    assert flips["keywords_removed"]["score"] == pytest.approx(0.348460 - 0.252, abs=1e-5)
    only = changes(from_rows(db, rows[:1], settings(recall__display__min_display_score=0.1), URI))
    assert only["keywords_removed"]["score"] is None
    assert "no signal would return it" in only["keywords_removed"]["words"]


def test_a_memory_that_no_signal_returned_is_explained_by_what_it_lacks(db: Database) -> None:
    held(db)
    found = from_rows(db, [signal("core://a", "exact", 0.98, 0)], settings(recall__display__min_display_score=0.3), URI)
    said = found.as_json()
    assert (said["candidates"], said["signal_rows"], said["single_changes"]) == ([], [], [])
    assert "It has no keywords: exact matches by its address alone." in said["memory"]["lacks"]
    assert {"keyword_is_prompt", "vectors"} <= changes(found).keys()
    assert "edited_now" not in changes(found)
    # .3 * s + view .03 + priority .02 + recency .04 as rows are built now: from s = .70 on.
    assert changes(found)["vectors"]["value"] == pytest.approx(0.70)
    with pytest.raises(BadInput, match="no candidate core://nowhere"):
        from_rows(db, [signal("core://a", "exact", 0.98, 0)], DEFAULT, "core://nowhere")


def test_start_up_memories_cannot_be_flipped(db: Database) -> None:
    add_memory(db, "core://soul", node="n1", priority=0, created="2026-01-01T00:00:00Z")
    said = from_rows(db, [signal("core://soul", "exact", 0.84, 0)], DEFAULT, "core://soul").as_json()
    assert (said["single_changes"], said["memory_changes"], said["memory"]["reaches"]) == ([], [], False)
    assert said["memory"]["sentence"].startswith("A start-up memory")


def test_a_boolean_setting_that_flips_is_found(db: Database) -> None:
    rows = [signal(URI, "exact", 0.84, 0, priority=1)]
    found = from_rows(db, rows, settings(recall__display__min_display_score=0.33), URI)
    flips = {one["key"]: one["to"] for one in found.flips}
    assert flips["recall.recency.enabled"] is False
    assert flips["recall.display.min_display_score"] > 0.332
