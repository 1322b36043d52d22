"""Missed memories: what says so, what is left out, and the command."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from memory_store import Memories, memories
from missed_log import ASKED, TARGET, answered, at_score, found, logged, only, opened, review, searched
from small_log import derive

from workbench.replay.selection import Selection
from workbench.store import writing


@pytest.fixture
def store() -> Iterator[Memories]:
    with memories() as found:
        yield found


# What says that a memory was missed.


def test_each_grade_of_evidence_stands_beside_the_others(store: Memories) -> None:
    store.add(TARGET)
    logged(store.db)
    searched(store.db, TARGET)
    opened(store.db, TARGET)
    answered(store.db, "q1", TARGET)
    miss = only(found(store))
    assert miss["evidence"]["hand"] == "yes"
    assert miss["evidence"]["opened_after_search"] == "2026-12-01T12:01:00+00:00"
    assert miss["evidence"]["opened_unlinked"] is None
    assert miss["evidence"]["used_alike"] is None


def test_an_open_without_identifiers_or_search_is_unlinked(store: Memories) -> None:
    store.add(TARGET)
    logged(store.db)
    opened(store.db, TARGET)
    assert only(found(store))["evidence"]["opened_unlinked"] == "2026-12-01T12:01:00+00:00"


def test_an_answer_no_overrules_an_open_and_an_estimate_makes_no_miss(store: Memories) -> None:
    store.add(TARGET)
    store.add("project://other")
    logged(store.db)
    opened(store.db, TARGET)
    answered(store.db, "q1", TARGET, "no")
    store.db.execute(
        "CREATE TEMP TABLE guessed AS SELECT 'q1' AS query_id, 'n-project://other' AS node, 0.99 AS estimate"
    )
    assert found(store, review(estimates="guessed")).misses == 0


def test_an_estimate_stands_beside_other_evidence(store: Memories) -> None:
    store.add(TARGET)
    logged(store.db)
    opened(store.db, TARGET)
    store.db.execute(
        f"CREATE TEMP TABLE guessed AS SELECT 'q1' AS query_id, 'n-{TARGET}' AS node, 0.25::DOUBLE AS estimate"
    )
    assert only(found(store, review(estimates="guessed")))["evidence"]["model_estimate"] == 0.25


@pytest.mark.parametrize(
    ("text", "alike"),
    [
        ("How are  refunds deduplicated", True),
        ("how are refunds deduplicated again", False),
        ("where do webhooks go to", False),
    ],
)
def test_a_memory_used_in_a_near_identical_prompt_was_missed_here(store: Memories, text: str, alike: bool) -> None:
    store.add(TARGET)
    logged(store.db, "used", [at_score(TARGET, 0.7, shown=True, used=True)])
    logged(store.db, "q1", [at_score(TARGET, 0.5)], text=text, at=ASKED + timedelta(hours=1))
    result = found(store)
    if alike:
        miss = only(result)
        assert (miss["query_id"], miss["evidence"]["used_alike"]) == ("q1", "used")
        assert (result.memories[0].missed, result.memories[0].helped) == (1, 1)
    else:
        assert (result.misses, result.memories) == (0, [])


def test_nine_tokens_in_ten_make_prompts_near_identical(store: Memories) -> None:
    words = "please check how the retry queue of the checkout service drops refunds on weekends"
    store.add(TARGET)
    logged(store.db, "used", [at_score(TARGET, 0.7, shown=True, used=True)], text=words)
    logged(store.db, "near", [], text=f"{words} today", at=ASKED + timedelta(hours=1))
    logged(store.db, "far", [], text=f"{words} today and again", at=ASKED + timedelta(hours=2))
    assert [miss["query_id"] for miss in found(store).memories[0].misses] == ["near"]


def test_a_short_reply_resembles_no_other(store: Memories) -> None:
    store.add(TARGET)
    logged(store.db, "used", [at_score(TARGET, 0.7, shown=True, used=True)], text="continue")
    logged(store.db, "q1", [], text="continue", at=ASKED + timedelta(hours=1))
    assert found(store).misses == 0


def test_case_13_a_memory_shown_at_one_address_is_not_missed_at_another(store: Memories) -> None:
    store.add("core://a", node="n")
    store.add("project://b", node="n2")
    store.db.execute("UPDATE edges SET child_uuid = 'n' WHERE child_uuid = 'n2'")
    for number in range(6):
        logged(store.db, f"q{number}", [at_score("core://a", 0.7, shown=True)], session=f"s{number}")
        opened(store.db, "project://b", session=f"s{number}")
    assert found(store).misses == 0
    logged(store.db, "q9", [], session="s9")
    opened(store.db, "project://b", session="s9")
    result = found(store)
    assert only(result)["query_id"] == "q9"
    assert sorted(result.memories[0].uris) == ["core://a", "project://b"]


# Nothing is invented.


def test_a_world_without_misses_says_what_was_looked_at(store: Memories) -> None:
    store.add(TARGET)
    logged(store.db, candidates=[at_score(TARGET, 0.7, shown=True, used=True)])
    opened(store.db, TARGET, given_query_id="q1", given_session_id="s1")
    result = found(store)
    assert (result.misses, result.memories, result.stages) == (0, [], {})
    assert result.said.startswith("None found: 1 prompt, 1 used memory")


def test_without_any_evidence_there_is_no_data(store: Memories) -> None:
    store.add(TARGET)
    logged(store.db, candidates=[at_score(TARGET, 0.5)])
    result = found(store)
    assert (result.misses, result.memories) == (0, [])
    assert result.said.startswith("No data")


def test_a_store_with_a_transcript_alone_has_no_data(store: Memories) -> None:
    opened(store.db, TARGET)
    assert found(store).said.startswith("No data: no logged prompt passes the filter")


def test_the_filter_of_all_surfaces_holds_here(store: Memories) -> None:
    store.add(TARGET)
    logged(store.db, "q1", client="codex")
    logged(store.db, "boot", session="boot", at=ASKED - timedelta(hours=1))
    opened(store.db, TARGET)
    opened(store.db, TARGET, session="boot", at=ASKED - timedelta(minutes=50))
    assert found(store).misses == 1
    assert found(store, selection=Selection(clients=("pi",))).misses == 0
    assert found(store, selection=Selection(text="REFUNDS")).misses == 1


# The command.


def test_the_command_prints_the_document_and_refuses_what_nobody_knows(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    path = tmp_path / "store.duckdb"
    with writing(path, "test") as db:
        store = Memories(db)
        store.add(TARGET)
        logged(db, candidates=[at_score(TARGET, 0.55)])
        opened(db, TARGET)
        derive(db)
    code, out, _ = run("missed", "--db", path, "--json")
    said = json.loads(out)
    assert (code, said["misses"], said["memories"][0]["uri"]) == (0, 1, TARGET)
    assert run("missed", "--db", path)[1].startswith("1 miss of 1 memory, seen in ")
    full = run("missed", "--db", path, "--memory", TARGET)[1]
    assert "threshold: Its score 0.550000 is 0.050000 below the threshold 0.6." in full
    assert "[unlinked; by the log]" in full
    assert run("missed", "--db", path, "--memory", TARGET, "--client", "pi")[1].startswith(f"{TARGET} was not missed.")
    code, out, err = run("missed", "--db", path, "--memory", "project://unknown")
    assert (code, out) == (2, "")
    assert "knows no memory at project://unknown" in err
