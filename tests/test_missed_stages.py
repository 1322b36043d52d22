"""Missed memories: the one stage that lost each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from memory_store import MODEL, NOW, WRITTEN, Memories, memories
from missed_log import ASKED, TARGET, answered, at_score, found, logged, only, opened, review
from small_log import Candidate

from workbench.replay.selection import Selection
from workbench.retrieve.embeddings import add
from workbench.review.stages import STAGES


@pytest.fixture
def store() -> Iterator[Memories]:
    with memories() as found:
        yield found


def reasons(miss: Mapping[str, Any]) -> dict[str, str]:
    return {one["signal"]: one["reason"] for one in miss["signals"]}


def view(text: str) -> dict[str, str]:
    return {"gist": text}


# At which stage it was lost: a world with a miss of each.


def test_not_stored_at_all_or_not_any_more(store: Memories) -> None:
    logged(store.db)
    opened(store.db, "project://nowhere", found=None)
    miss = only(found(store))
    assert (miss["stage"], miss["source"]) == ("not_stored", "store")
    assert "project://nowhere" in miss["why"]


def test_created_later(store: Memories) -> None:
    store.add(TARGET, written=ASKED + timedelta(days=1), keywords=["refunds"])
    logged(store.db)
    opened(store.db, TARGET)
    miss = only(found(store))
    assert miss["stage"] == "created_later"
    assert "2026-12-02" in miss["why"]


def test_recall_skipped_where_the_log_was_written_but_holds_no_recall(store: Memories) -> None:
    store.add(TARGET, keywords=["refunds"])
    logged(store.db, "before", session="other", at=ASKED - timedelta(days=1))
    logged(store.db, "after", session="other", at=ASKED + timedelta(days=1))
    prompt = {"prompt_id": "p1", "source": "claudecode", "client_type": "claudecode", "session_id": "s1",
              "prompted_at": ASKED, "query_text": "how are refunds deduplicated"}  # fmt: skip
    store.db.append("wb.agent_prompts", [prompt])
    opened(store.db, TARGET)
    result = found(store)
    miss = only(result)
    assert (miss["stage"], miss["query_id"], miss["prompt_id"]) == ("recall_skipped", None, "p1")
    assert found(store, selection=Selection(clients=("codex",))).misses == 0
    logged(store.db, "unlinked", session="renamed", at=ASKED + timedelta(seconds=1))
    assert found(store).misses == 0, "recall ran, though under another name of the session"
    store.db.execute("DELETE FROM recall_queries WHERE query_id = 'unlinked'")
    store.db.execute("DELETE FROM wb.logged_queries WHERE query_id = 'unlinked'")
    logged(store.db, "its own", [at_score(TARGET, 0.5)], at=ASKED + timedelta(seconds=1))
    assert only(found(store))["stage"] == "threshold"


def test_late_when_nobody_received_what_was_shown(store: Memories) -> None:
    store.add(TARGET)
    logged(store.db, candidates=[at_score(TARGET, 0.7, shown=True)])
    store.db.execute("UPDATE recall_queries SET duration_ms = 60000")
    opened(store.db, TARGET)
    assert only(found(store))["stage"] == "late"
    store.db.execute("UPDATE recall_queries SET duration_ms = 60")
    assert found(store).misses == 0


NOISE = "noise " * 900


def test_case_08_a_miss_asked_outside_the_searched_part_is_no_matter_of_weights(store: Memories) -> None:
    store.add(TARGET, keywords=["Zephyr"], views=view("the rollback code of Zephyr is 77"))
    store.add("project://loud", keywords=["noise"], views=view("noise"))
    logged(store.db, candidates=[at_score("project://loud", 0.4)], text=NOISE + "what is the rollback code of Zephyr?")
    opened(store.db, TARGET)
    miss = only(found(store))
    assert miss["stage"] == "prompt_cut"
    assert miss["why"].startswith("Asked outside the searched part")
    assert miss["not_searched"].endswith("what is the rollback code of Zephyr?")


def test_case_08_a_cut_prompt_whose_rest_says_nothing_of_the_memory_is_another_matter(store: Memories) -> None:
    store.add(TARGET, keywords=["Zephyr"], views=view("the rollback code of Zephyr is 77"))
    logged(store.db, candidates=[at_score(TARGET, 0.4)], text=NOISE)
    opened(store.db, TARGET)
    assert only(found(store))["stage"] == "threshold"


def test_case_08_two_megabytes_are_typed_too(store: Memories) -> None:
    store.add(TARGET, keywords=["Zephyr"])
    logged(store.db, text="noise " * 350_000 + "where is Zephyr?")
    opened(store.db, TARGET)
    miss = only(found(store))
    assert miss["stage"] == "prompt_cut"
    assert len(miss["prompt"]) == 300


def test_start_up_memories_are_counted_and_left_out(store: Memories) -> None:
    store.add("core://agent")
    logged(store.db, candidates=[at_score("core://agent", 0.9)])
    answered(store.db, "q1", "core://agent")
    result = found(store)
    assert (result.misses, result.boot, result.memories) == (0, 1, [])
    counted = found(store, review(boot=True))
    assert (only(counted)["stage"], counted.boot) == ("boot", 0)


def test_not_a_candidate_with_a_reason_for_each_signal(store: Memories) -> None:
    store.add(TARGET, keywords=["quokka"], views=view("marsupials"))
    logged(store.db)
    opened(store.db, TARGET)
    miss = only(found(store))
    assert (miss["stage"], miss["source"]) == ("not_a_candidate", "engine")
    said = reasons(miss)
    assert "none of its keywords" in said["exact"]
    assert "no word" in said["lexical"]
    assert "no embedding model" in said["dense"]


def test_reasons_name_what_the_memory_lacks(store: Memories) -> None:
    store.add(TARGET)
    store.add("project://x", views=view("refunds"), vector=[1, 0, 0])
    add(store.db, MODEL, ["how are refunds deduplicated"], np.array([[0, 1, 0]], np.float32))
    logged(store.db)
    opened(store.db, TARGET)
    said = reasons(only(found(store, review(model=MODEL))))
    assert "it has no keywords" in said["exact"]
    assert said["dense"] == "it has no indexed views"
    assert said["glossary_semantic"] == "it has no indexed keywords"
    assert said["lexical"] == "it has no views"


def test_vectors_of_another_model_and_prompts_without_one_are_named(store: Memories) -> None:
    store.add(TARGET, keywords=["quokka"], views=view("marsupials"), vector=[1, 0, 0], model="other")
    store.add("project://x", views=view("else"), vector=[1, 0, 0])
    store.add("project://y", keywords=["kiwi"], views=view("birds"), vector=[1, 0, 0])
    logged(store.db)
    opened(store.db, TARGET)
    opened(store.db, "project://y")
    result = found(store, review(model=MODEL))
    said = {memory.uris[0]: reasons(memory.misses[0]) for memory in result.memories}
    assert said[TARGET]["dense"] == f"its views have no vector of {MODEL}"
    assert said["project://y"]["dense"] == f"not known: the prompt has no vector of {MODEL}"


def test_row_limit_with_the_rank_of_each_signal(store: Memories) -> None:
    for number in range(100):
        store.add(f"project://near{number:03}", vector=[1, number / 1000, 0], views=view(f"near {number}"), priority=1)
    store.add(TARGET, vector=[0, 1, 0], views=view("marsupials"))
    add(store.db, MODEL, ["how are refunds deduplicated"], np.array([[1, 0, 0]], np.float32))
    logged(store.db)
    opened(store.db, TARGET)
    miss = only(found(store, review(model=MODEL)))
    assert miss["stage"] == "row_limit"
    assert {one["signal"]: one["rank"] for one in miss["signals"]} == {
        "exact": None, "glossary_semantic": None, "dense": 101, "lexical": None,
    }  # fmt: skip


def crowd(count: int, score: float, shown: int = 3) -> list[Candidate]:
    return [at_score(f"project://c{n:02}", score - n / 10000, shown=n < shown) for n in range(count)]


def test_slice_behind_the_candidates_that_are_looked_at(store: Memories) -> None:
    store.add(TARGET)
    logged(store.db, candidates=[*crowd(12, 0.9), at_score(TARGET, 0.65)])
    opened(store.db, TARGET)
    miss = only(found(store))
    assert (miss["stage"], miss["source"], miss["rank"], miss["below_by"]) == ("slice", "logged", 13, None)


def test_threshold_says_by_how_much(store: Memories) -> None:
    store.add(TARGET)
    logged(store.db, candidates=[*crowd(3, 0.9), at_score(TARGET, 0.55)])
    opened(store.db, TARGET)
    miss = only(found(store))
    assert (miss["stage"], miss["source"], miss["below_by"]) == ("threshold", "logged", 0.05)


def test_crowded_out_says_by_whom(store: Memories) -> None:
    store.add(TARGET)
    logged(store.db, candidates=[*crowd(3, 0.9), at_score(TARGET, 0.65)])
    opened(store.db, TARGET)
    miss = only(found(store))
    assert (miss["stage"], miss["rank"]) == ("crowded_out", 4)
    assert miss["crowded_out_by"] == ["project://c00", "project://c01", "project://c02"]


def test_crowded_out_where_the_display_of_then_had_fewer_places(store: Memories) -> None:
    store.add(TARGET)
    logged(store.db, candidates=[*crowd(1, 0.9), at_score(TARGET, 0.85)])
    opened(store.db, TARGET)
    miss = only(found(store))
    assert (miss["stage"], miss["crowded_out_by"], miss["below_by"]) == ("crowded_out", ["project://c00"], None)
    assert "ended with project://c00 (0.900000)" in miss["why"]


def test_threshold_of_then_where_nothing_was_shown_though_the_score_reaches_that_of_now(store: Memories) -> None:
    store.add(TARGET)
    logged(store.db, candidates=[at_score(TARGET, 0.85)])
    opened(store.db, TARGET)
    miss = only(found(store))
    assert (miss["stage"], miss["below_by"]) == ("threshold", None)
    assert "a higher one was in force then" in miss["why"]


def test_a_memory_that_the_log_held_before_the_prompt_was_not_created_later(store: Memories) -> None:
    store.add(TARGET, written=ASKED + timedelta(days=1), keywords=["refunds"])
    logged(store.db, "before", [at_score(TARGET, 0.9, shown=True)], session="s0", at=ASKED - timedelta(days=2))
    logged(store.db)
    opened(store.db, TARGET)
    miss = only(found(store))
    assert (miss["stage"], miss["signals"]) == ("not_a_candidate", [])
    assert "some since 2026-11-29" in miss["why"]
    assert "from 2026-12-02" in miss["why"]


def test_a_candidate_that_only_the_engine_finds_is_placed_by_the_engine(store: Memories) -> None:
    store.add(TARGET, keywords=["refunds"])
    logged(store.db)
    opened(store.db, TARGET)
    miss = only(found(store))
    assert (miss["stage"], miss["source"]) == ("threshold", "engine")
    assert miss["score"] == pytest.approx(0.84 * 0.30 + 0.03 + 0.04 * 2 ** (-(NOW - WRITTEN).days / 180), abs=1e-3)


def test_every_miss_has_one_stage_and_the_stages_add_up(store: Memories) -> None:
    store.add(TARGET, keywords=["quokka"])
    store.add("project://other")
    logged(store.db, candidates=[*crowd(3, 0.9), at_score(TARGET, 0.55)])
    logged(store.db, "q2", text="tell me of refunds", session="s2", at=ASKED + timedelta(hours=1))
    for uri, session in ((TARGET, "s1"), (TARGET, "s2"), ("project://other", "s2")):
        opened(store.db, uri, session=session, at=ASKED + timedelta(hours=1, minutes=session == "s2"))
    result = found(store)
    assert result.misses == sum(result.stages.values()) == sum(len(one.misses) for one in result.memories) == 3
    assert [(one.uris[0], one.missed) for one in result.memories] == [(TARGET, 2), ("project://other", 1)]
    said = result.as_json()
    assert {one["stage"]: one["misses"] for one in said["stages"]} == {"not_a_candidate": 2, "threshold": 1}
    (whole,) = found(store, uri="project://other").memories
    assert whole.node == "n-project://other"


# All stages in one world.


def planted(store: Memories) -> dict[str, str]:
    """A world with one miss of each stage; the stage by the address that was missed."""
    store.add("core://agent")
    store.add("project://later", written=ASKED + timedelta(days=400))
    for name in ("skipped", "late", "slice", "threshold", "crowded"):
        store.add(f"project://{name}")
    store.add("project://cut", keywords=["Zephyr"])
    for number in range(100):
        store.add(f"project://near{number:03}", views=view(f"near {number}"), vector=[1, number / 1000, 0], priority=1)
    store.add("project://deep", views=view("marsupials"), vector=[0, 1, 0])
    store.add("project://unfound", views=view("birds"))
    lists = {
        "slice": [*crowd(12, 0.9), at_score("project://slice", 0.65)],
        "threshold": [*crowd(3, 0.9), at_score("project://threshold", 0.55)],
        "crowded": [*crowd(3, 0.9), at_score("project://crowded", 0.65)],
        "late": [at_score("project://late", 0.9, shown=True)],
        "boot": [at_score("core://agent", 0.9)],
    }
    asked = {"cut": NOISE + "where is Zephyr?", "deep": "prompt with a vector", "unfound": "how are kiwis kept"}
    missed_uris = {
        "nowhere": "project://nowhere", "later": "project://later", "late": "project://late", "cut": "project://cut",
        "boot": "core://agent", "unfound": "project://unfound", "deep": "project://deep", "slice": "project://slice",
        "threshold": "project://threshold", "crowded": "project://crowded",
    }  # fmt: skip
    for hour, (name, uri) in enumerate(missed_uris.items()):
        at = ASKED + timedelta(hours=hour)
        text = asked.get(name, f"tell me all of {name} please")
        logged(store.db, name, lists.get(name, []), session=f"of {name}", text=text, at=at)
        answered(store.db, name, uri)
    store.db.execute("UPDATE recall_queries SET duration_ms = 60000 WHERE query_id = 'late'")
    add(store.db, MODEL, ["prompt with a vector"], np.array([[1, 0, 0]], np.float32))
    prompt = {"prompt_id": "p1", "source": "claudecode", "client_type": "claudecode", "session_id": "s1",
              "prompted_at": ASKED + timedelta(minutes=5), "query_text": "tell me of skipped"}  # fmt: skip
    store.db.append("wb.agent_prompts", [prompt])
    opened(store.db, "project://skipped", at=ASKED + timedelta(minutes=6))
    return {
        "project://nowhere": "not_stored", "project://later": "created_later", "project://skipped": "recall_skipped",
        "project://late": "late", "project://cut": "prompt_cut", "core://agent": "boot",
        "project://unfound": "not_a_candidate", "project://deep": "row_limit", "project://slice": "slice",
        "project://threshold": "threshold", "project://crowded": "crowded_out",
    }  # fmt: skip


def test_a_miss_of_each_stage_in_one_world_is_typed_right(store: Memories) -> None:
    expected = planted(store)
    result = found(store, review(model=MODEL, boot=True, fixes=0), limit=None)
    assert {memory.uris[0]: memory.misses[0]["stage"] for memory in result.memories} == expected
    assert [one["stage"] for one in result.as_json()["stages"]] == list(expected.values()) == list(STAGES)
    assert all(len(memory.misses) == 1 for memory in result.memories)


# Letters of other forms.


def test_case_26_a_keyword_in_full_width_letters_is_explained(store: Memories) -> None:
    store.add(TARGET, keywords=["API"])
    logged(store.db, text="where is the ＡＰＩ密钥 of staging")
    opened(store.db, TARGET)
    for words in ("simple", "jieba"):
        miss = only(found(store, review(words)))
        assert miss["stage"] == {"simple": "not_a_candidate", "jieba": "threshold"}[words]
        assert (miss["other_letters"]["keyword"], miss["other_letters"]["written"]) == ("API", "ＡＰＩ")
        assert "does not fold" in miss["other_letters"]["reason"]


def test_case_26_a_keyword_that_matches_needs_no_explanation(store: Memories) -> None:
    store.add(TARGET, keywords=["API"])
    logged(store.db, text="where is the API of staging")
    opened(store.db, TARGET)
    assert only(found(store))["other_letters"] is None
