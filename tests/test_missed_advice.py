"""Advice for missed memories: in the documented order, each with its reason, settings last."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from log_builder import Candidate as LoggedCandidate
from log_builder import Prompt, log_of
from memory_store import MODEL, NOW, WRITTEN, Memories, memories
from missed_log import TARGET, opened
from small_log import Candidate, Row, add_query, derive

from workbench.cli.missed import missed_text
from workbench.judge import hand
from workbench.params import Params
from workbench.replay.run import Settings
from workbench.replay.selection import Selection
from workbench.retrieve.embeddings import add
from workbench.review import Review, missed
from workbench.review.advice import ORDER, Case, advice, settings_advice
from workbench.review.letters import written_otherwise
from workbench.review.terms import Term
from workbench.textsearch import tokenizer

IN_FORCE = Params.default()
SETTINGS = Settings(IN_FORCE, IN_FORCE)
PROMPTS = ["how does dunning treat late payers", "when is dunning paused", "dunning letters in German"]
CASE = Case(
    TARGET, "text of the memory", "When it is about money", 3, ["payments"], ["a gist"],
    [{"stage": "threshold"}], PROMPTS, [Term("dunning", 3, 0), Term("letters", 1, 0)], None,
)  # fmt: skip


def kinds(case: Case) -> list[str]:
    return [one.kind for one in advice(case, 1)]


def only(case: Case, kind: str) -> Any:
    (one,) = [one for one in advice(case, 1) if one.kind == kind]
    return one


def test_advice_stands_in_the_documented_order() -> None:
    case = replace(CASE, content="the dunning letters " * 100)
    found = kinds(case)
    assert found == ["focus", "path", "disclosure", "glossary", "priority"]
    assert found == sorted(found, key=ORDER.index)
    assert ORDER[-1] == "settings"


def test_focus_where_the_views_do_not_hold_what_the_text_holds() -> None:
    assert "'dunning'" in only(replace(CASE, content="all about dunning"), "focus").reason
    assert "focus" not in kinds(replace(CASE, content="all about dunning", views=["dunning"], terms=CASE.terms[:1]))
    assert "1,601 characters" in only(replace(CASE, content="x" * 1601), "focus").reason


def test_path_where_no_prompt_shares_a_word_with_it() -> None:
    assert "path" in kinds(CASE)
    assert "path" not in kinds(replace(CASE, uri="project://billing/dunning_letters"))


@pytest.mark.parametrize(
    ("disclosure", "tried"),
    [
        ("", "dunning, letters"),
        ("When it is about money.", "When it is about money; dunning, letters"),
        ("When dunning is asked for", "When dunning is asked for; letters"),
    ],
)
def test_disclosure_with_the_words_of_the_prompts(disclosure: str, tried: str) -> None:
    (fix,) = only(replace(CASE, disclosure=disclosure), "disclosure").fixes
    assert (fix.kind, fix.uri, fix.value) == ("disclosure", TARGET, tried)


def test_a_disclosure_that_names_the_terms_is_left_alone() -> None:
    assert "disclosure" not in kinds(replace(CASE, disclosure="Dunning letters"))


def test_glossary_with_the_terms_of_the_prompts_unless_all_hold_a_keyword() -> None:
    found = only(CASE, "glossary")
    assert [fix.value for fix in found.fixes] == ["dunning", "letters"]
    assert "0 of 3" in found.reason
    assert "dunning (3 of these prompts, 0 others)" in found.do
    assert "glossary" not in kinds(replace(CASE, keywords=["Dunning"]))


def test_case_26_the_form_that_a_prompt_writes_is_the_first_term_that_is_tried() -> None:
    case = replace(CASE, keywords=["API"], searched=["where is the ＡＰＩ密钥"], terms=[])
    found = only(case, "glossary")
    assert [fix.value for fix in found.fixes] == ["ＡＰＩ"]
    assert "does not fold" in found.reason


@pytest.mark.parametrize(("text", "expected"), [
    ("the ＡＰＩ密钥", ("API", "ＡＰＩ")), ("the API", None), ("the ａｐｉ", ("API", "ａｐｉ")), ("nothing", None),
])  # fmt: skip
def test_case_26_other_forms_of_the_same_letters(text: str, expected: tuple[str, str] | None) -> None:
    assert written_otherwise(text, ["x", "API"]) == expected


def test_priority_where_it_fell_short_of_a_place() -> None:
    (fix,) = only(CASE, "priority").fixes
    assert fix.value == 1
    assert only(replace(CASE, priority=1), "priority").fixes[0].value == 0
    assert "priority" not in kinds(replace(CASE, priority=0))
    assert "priority" not in kinds(replace(CASE, misses=[{"stage": "not_a_candidate"}]))


def gap(stage: str, memories: int, below_by: float | None = 0.02, start: int = 0) -> list[dict[str, Any]]:
    return [{"node": f"n{start + number}", "stage": stage, "below_by": below_by} for number in range(memories)]


@pytest.mark.parametrize(
    ("misses", "keys"),
    [
        (gap("threshold", 5), ["recall.display.min_display_score"]),
        (gap("threshold", 4), []),
        (gap("threshold", 5, 0.2), []),
        (gap("threshold", 5) + gap("not_a_candidate", 11, None, 5), []),
        (gap("threshold", 5) + gap("crowded_out", 5, None, 5),
         ["recall.display.min_display_score", "recall.display.max_display_items"]),
        ([], []),
    ],
)  # fmt: skip
def test_settings_only_where_many_memories_share_a_gap(misses: Sequence[dict[str, Any]], keys: list[str]) -> None:
    found = settings_advice(misses)
    assert [one["key"] for one in found] == keys
    assert all("many memories share" in one["words"] and "memories first" in one["words"] for one in found)


def full_width(store: Memories, model: str | None = None) -> dict[str, Any]:
    """The review of a memory that one prompt missed for its full-width letters."""
    store.add(TARGET, keywords=["API"], priority=1, views={"gist": "the key of staging lies in the vault"})
    add_query(store.db, "q1", [], text="where is the ＡＰＩ密钥 of staging", now=NOW.isoformat())
    add_query(store.db, "q2", [], text="who wrote this", now=(NOW + timedelta(hours=1)).isoformat(), session="s2")
    opened(store.db, TARGET)
    derive(store.db)
    low = Settings(replace_threshold(0.3), replace_threshold(0.3))
    return missed(store.db, Selection(), Review(low, tokenizer("simple"), model)).as_json()


def replace_threshold(value: float) -> Params:
    return IN_FORCE.replace({"recall.display.min_display_score": value})


def test_case_26_a_full_width_mismatch_is_offered_as_a_what_if() -> None:
    with memories() as store:
        (memory,) = full_width(store)["memories"]
    (one,) = [one for one in memory["advice"] if one["kind"] == "glossary"]
    (first, *_) = one["fixes"]
    assert first["value"] == "ＡＰＩ"
    effect = first["effect"]
    assert (effect["missed"], effect["shown_before"], effect["shown_after"], effect["newly_shown"]) == (1, 0, 1, 0)
    assert first["words"].startswith("With the term 'ＡＰＩ' it would be shown in 1 of 1 prompt that missed it")


@pytest.mark.parametrize(("row", "out_of_reach"), [(Row("lexical", 0.0909, "gist"), True), (Row("exact", 0.84), False)])
def test_case_15_a_match_that_no_weight_lifts_says_so(row: Row, out_of_reach: bool) -> None:
    with memories() as store:
        store.add(TARGET, priority=4, written=WRITTEN, views={"gist": "refunds"})
        add_query(store.db, "q1", [Candidate(TARGET, [row], {}, 0.09)], text="refunds of late payers", tokens=40,
                  now=NOW.isoformat())  # fmt: skip
        opened(store.db, TARGET)
        derive(store.db)
        (memory,) = missed(store.db, Selection(), Review(SETTINGS, tokenizer("simple"), fixes=0)).memories
        assert ("cannot reach 0.60 by" in memory.misses[0]["why"]) == out_of_reach


def test_a_memory_says_what_it_can_reach_at_best() -> None:
    with memories() as store:
        (memory,) = full_width(store)["memories"]
    # Exact 1, priority 1, a gist, the recency bonus in full, and its words, damped for ten tokens.
    assert memory["reach"]["best"] == pytest.approx(0.30 + 0.04 + 0.03 + 0.04 + 0.03 / math.log2(12), abs=1e-6)
    assert memory["reach"]["reaches"] is True
    assert any("No embedding model" in lack for lack in memory["reach"]["lacks"])


def test_a_store_that_holds_less_than_the_server_advises_no_index_and_no_limit() -> None:
    prompts = [Prompt(f"q{n}", [LoggedCandidate("a://one", 0.53, shown=False)], text=f"text {n}") for n in range(3)]
    with log_of(prompts, {"a://one": "n1"}) as db:
        hand.take(db, [vars(hand.answered(db, "q1", "a://one", "yes", NOW))])
        (memory,) = missed(db, Selection(), Review(SETTINGS, tokenizer("simple"), fixes=0)).as_json()["memories"]
    assert memory["reach"]["logged"] == pytest.approx(0.53)
    assert memory["reach"]["best"] < 0.53
    assert "never shown" not in memory["reach"]["sentence"]
    assert "index" not in [one["kind"] for one in memory["advice"]]


@pytest.mark.parametrize(
    ("model", "words"), [(None, "no prompt has a vector here"), ("use", "the vectors here are of use")]
)
def test_no_fix_is_tried_where_the_prompts_have_no_vector_of_the_servers_model(model: str | None, words: str) -> None:
    with memories() as store:
        store.add("project://other", views={"gist": "other"}, vector=[1, 0])
        if model:
            add(store.db, model, ["where is the ＡＰＩ密钥 of staging"], np.array([[1, 0, 0]], np.float32))
        said = full_width(store, model)
    assert f"compares meanings in {MODEL}, and {words}" in said["fixes_not_tried"]
    fixes = [fix for one in said["memories"][0]["advice"] for fix in one["fixes"]]
    assert fixes
    assert [fix["effect"] for fix in fixes] == [None] * len(fixes)
    assert (f"compared in {model}, and the server compares them in {MODEL}" in missed_text(said)) == bool(model)
