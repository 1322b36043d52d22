"""Which scores a match can reach at best, and which memories can reach the threshold at all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_log import add_memory, append

from workbench.params import KEYS, Params
from workbench.replay.reach import Reach, own_reach, reachability
from workbench.replay.run import Settings
from workbench.store import Database, in_memory

DEFAULT = Settings(Params.default(), Params.default())
NOW = "2026-11-20T12:00:00Z"
URI = "knowledge://regex"


@pytest.fixture(scope="module")
def db() -> Iterator[Database]:
    with in_memory() as database:
        yield database


def with_threshold(threshold: float) -> Settings:
    return replace(DEFAULT, params=Params({"recall.display.min_display_score": threshold}))


def row_of(db: Database, settings: Settings, exact: float | None, lexical: str, **signals: bool) -> Reach:
    (row,) = [
        row
        for row in reachability(db, settings).rows
        if (row.exact, row.lexical, row.views)
        == (exact, lexical, 2 if lexical != "none" or signals.get("dense") else 0)
        and row.glossary_semantic == signals.get("glossary", False)
        and row.dense == signals.get("dense", False)
    ]
    return row


def test_case_15_a_threshold_that_some_matches_never_reach(db: Database) -> None:
    words = row_of(db, DEFAULT, 1.0, "words")
    assert words.best[0] == 0.453928
    # The views contain the address that was asked for, without a word of text search in common: 0, yet a hit.
    assert row_of(db, DEFAULT, 1.0, "contained", glossary=True).best[2] == 0.665
    at_60, at_45 = reachability(db, with_threshold(0.60)), reachability(db, with_threshold(0.45))
    warning = at_60.warning(words)
    assert "exact 1.00 + words in both views" in warning
    assert "0.453928" in warning
    assert warning in at_60.warnings()
    assert not [said for said in at_45.warnings() if "exact 1.00 + words in both views alone" in said]


def test_case_15_what_no_weights_in_range_can_reach_is_said(db: Database) -> None:
    table = reachability(db, DEFAULT)
    contained = row_of(db, DEFAULT, None, "contained")
    assert contained.best_by_weights[0] == contained.best[0] == pytest.approx(0.03 + 0.05 + 0.015 + 0.04)
    assert table.warning(contained).endswith("It cannot reach 0.60 by weights in range.")
    assert "cannot" not in table.warning(row_of(db, DEFAULT, 1.0, "words"))
    high = replace(DEFAULT, params=Params({"recall.display.min_display_score": 1.0}))
    poor = replace(row_of(db, DEFAULT, None, "contained"), best_by_settings=[0.9])
    assert "any setting in range" in reachability(db, high).warning(poor)


def test_a_combination_needs_a_signal_and_views_go_with_their_signals(db: Database) -> None:
    rows = reachability(db, DEFAULT).rows
    assert len(rows) == 7 * 2 * 11 - 1
    assert len({(row.exact, row.glossary_semantic, row.dense, row.lexical, row.views) for row in rows}) == len(rows)
    assert all((row.views > 0) == (row.dense or row.lexical != "none") for row in rows)
    assert all(len(row.best) == 6 for row in rows)


def test_one_view_is_the_better_of_the_two_types(db: Database) -> None:
    question = replace(
        DEFAULT, params=Params({"views.prior.question": 0.2, "views.prior.gist": 0, "views.weight.gist": 0.5})
    )
    (row,) = [
        row for row in reachability(db, question).rows
        if row.dense and row.views == 1 and row.exact is None and row.lexical == "none" and not row.glossary_semantic
    ]  # fmt: skip
    assert row.best[0] == pytest.approx(0.30 * 0.96 + 0.2 + 0.05 + 0.04)


def test_only_the_widest_excluded_combinations_are_listed(db: Database) -> None:
    table = reachability(db, DEFAULT)
    widest = table.widest()
    assert 0 < len(widest) < len(table.excluded())
    assert not [row for row in widest if any(other.covers(row) for other in widest)]
    assert all(row in widest or any(wide.covers(row) for wide in widest) for row in table.excluded())
    assert len(table.as_json()["warnings"]) == len(widest)


SCORED = [key for key in KEYS.values() if key.replayable and not key.name.startswith("recall.display.")]


@settings(max_examples=40)
@given(st.fixed_dictionaries({
    key.name: st.booleans() if key.kind is bool
    else st.integers(int(key.low), int(key.high)) if key.kind is int
    else st.floats(key.low, key.high)
    for key in SCORED
}), st.integers(1, 40))  # fmt: skip
def test_no_settings_in_range_score_more_than_the_best(db: Database, values: dict[str, float], tokens: int) -> None:
    drawn = Settings(Params(values), Params.default())
    for row in reachability(db, drawn, tokens, tiers=(0.72, 1.0)).rows:
        for best, weights, any_settings in zip(row.best, row.best_by_weights, row.best_by_settings, strict=True):
            assert best <= weights + 1e-6
            assert weights <= any_settings + 1e-6


def view(view_type: str, **more: object) -> dict[str, object]:
    return {
        "id": f"{view_type}", "domain": "knowledge", "path": "regex", "uri": URI, "node_uuid": "n1", "priority": 0,
        "view_type": view_type, "status": "active", "weight": 1.0, "text_content": "about regex", "updated_at": NOW,
        **more,
    }  # fmt: skip


@pytest.fixture
def memory() -> Iterator[Database]:
    with in_memory() as database:
        add_memory(database, URI, node="n1", priority=0, created=NOW)
        yield database


def test_a_memory_without_views_and_keywords_lacks_both(memory: Database) -> None:
    own = own_reach(memory, DEFAULT, URI, 1, "m1")
    assert own is not None
    assert own.best == pytest.approx(0.30 + 0.05 + 0.04)
    assert [said.split(":")[0] for said in own.lacks] == ["It has no keywords", "Its keywords", "It has no views"]
    assert "never shown" in own.sentence()


def test_case_15_one_memory_without_vectors(memory: Database) -> None:
    append(memory, "memory_views", [view("gist"), view("question")])
    append(memory, "glossary_keywords", [{"id": "1", "keyword": "regex", "node_uuid": "n1", "created_at": NOW}])
    own = own_reach(memory, DEFAULT, URI, 1, "m1")
    assert own is not None
    assert own.best == 0.453928
    assert list(own.lacks) == [
        "Its keywords: no comparable vectors (m1 is what prompts are compared by).",
        "Its views: no comparable vectors (m1 is what prompts are compared by).",
    ]


def test_case_21_vectors_of_another_model_are_named_and_not_compared(memory: Database) -> None:
    append(memory, "memory_views", [
        view("gist", embedding_model="m1", embedding_vector=[0.6, 0.8]),
        view("question", embedding_model="m2", embedding_vector=[0.6, 0.8]),
    ])  # fmt: skip
    own = own_reach(memory, DEFAULT, URI, 3, "m1")
    assert own is not None
    assert "Its question: vectors of another model only (m1 is what prompts are compared by)." in own.lacks
    assert own.best == pytest.approx(0.30 + 0.30 + 0.03 * 0.430677 + 0.03 + 0.05 + 0.015 + 0.04, abs=1e-6)
    append(memory, "memory_views", [view("gist", id="zero", embedding_model="m3", embedding_vector=[0.0, 0.0])])
    nothing = own_reach(memory, DEFAULT, URI, 3, None)
    assert nothing is not None
    assert "No embedding model is known: no vectors of its views can be compared." in nothing.lacks


def test_case_21_an_odd_vector_of_the_model_is_not_compared(memory: Database) -> None:
    good = {"embedding_model": "m1", "embedding_vector": [0.6, 0.8]}
    odd = [[0.6, 0.8, 0.0], [0.0, 0.0], [0.6, None], [float("nan"), 0.8]]
    append(memory, "memory_views", [view("gist", id=f"o{n}", uri=f"core://{n}", **good) for n in range(3)])
    for vector in odd:
        memory.execute("DELETE FROM memory_views WHERE uri = $uri", {"uri": URI})
        append(memory, "memory_views", [view("gist", embedding_model="m1", embedding_vector=vector)])
        own = own_reach(memory, DEFAULT, URI, 3, "m1")
        assert own is not None
        assert "Its views: no comparable vectors (m1 is what prompts are compared by)." in own.lacks, vector
    memory.execute("DELETE FROM memory_views WHERE uri = $uri", {"uri": URI})
    append(memory, "memory_views", [view("gist", **good)])
    own = own_reach(memory, DEFAULT, URI, 3, "m1")
    assert own is not None
    assert not [said for said in own.lacks if said.startswith("Its views")]


def test_an_address_that_the_store_does_not_hold_has_no_reach(memory: Database) -> None:
    assert own_reach(memory, DEFAULT, "core://nowhere", 1, "m1") is None
