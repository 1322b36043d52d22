"""Noise, memories that recall never finds, and duplicates."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from log_builder import START, Candidate, Prompt, hours, log_of, memories

from workbench.judge import judge_log
from workbench.metrics.report import report
from workbench.review.lists import lists
from workbench.store import Database
from workbench.textsearch import tokenizer

URIS = {"a://used": "n1", "a://noise": "n2", "a://found": "n3", "a://never": "n4", "core://agent": "boot"}


def prompts(count: int = 40, used: int = 12) -> list[Prompt]:
    """Each shows one memory that is often used and one that never is, and finds a third."""
    return [
        Prompt(
            f"q{number:03}",
            [
                Candidate("a://used", 0.8, used=number < used),
                Candidate("a://noise", 0.7),
                Candidate("a://found", 0.5, shown=False),
            ],
            at=START + hours(24 * number),
        )
        for number in range(count)
    ]


def listed(db: Database, limit: int | None = None) -> dict[str, Any]:
    judge_log(db, None)
    return lists(db, tokenizer("simple"), limit)


def uris(rows: Sequence[dict[str, Any]]) -> list[str]:
    return [row["uri"] for row in rows]


def test_noise_is_shown_often_and_used_less_than_the_rest() -> None:
    with log_of(prompts(), URIS) as db:
        said = listed(db)["noise"]
        assert uris(said["memories"]) == ["a://noise"]
        (row,) = said["memories"]
        assert (row["shown"], row["used"], row["clear"]) == (40, 0, True)
        low, high = row["use_rate_interval"]
        assert 0 <= low <= row["use_rate_shrunk"] <= high < said["use_rate_of_all"]
        assert "Nothing is suppressed" in said["advice"]


def test_the_rate_of_all_that_is_shown_is_used_over_shown_as_in_the_report() -> None:
    with log_of([*prompts(40, 12), Prompt("rare", [Candidate("a://rare", 0.9, used=True)])], URIS) as db:
        assert listed(db)["noise"]["use_rate_of_all"] == pytest.approx(13 / 81)
        assert report(db, None).overall.use_rate == pytest.approx(13 / 81)


def test_a_memory_that_was_shown_a_few_times_is_no_noise() -> None:
    with log_of(prompts(9, 5), URIS) as db:
        assert listed(db)["noise"]["count"] == 0


def test_without_shown_memories_there_are_no_rates() -> None:
    with log_of([Prompt("q1")], URIS) as db:
        said = listed(db)
        assert (said["noise"]["use_rate_of_all"], said["noise"]["memories"]) == (None, [])
        assert said["never_retrieved"] == {"count": 0, "in_grace": 4, "memories": []}


def test_memories_that_no_signal_returns_are_told_from_those_never_shown() -> None:
    with log_of(prompts(), URIS) as db:
        said = listed(db)
        assert uris(said["never_retrieved"]["memories"]) == ["a://never"]
        assert uris(said["never_shown"]["memories"]) == ["a://found"]
        (row,) = said["never_shown"]["memories"]
        assert (row["prompts_since"], row["retrieved"]) == (40, 40)
        assert row["best_score"] == pytest.approx(0.5)
        assert row["expected_shows"] == pytest.approx(40 * 80 / 160)


@pytest.mark.parametrize(("age", "listed_as"), [(timedelta(days=2), 1), (timedelta(days=30), 0)])
def test_a_young_memory_has_its_time(age: timedelta, listed_as: int) -> None:
    last = prompts()[-1].at
    young = memories({"a://young": "n5"})
    young["nodes"][0]["created_at"] = last - age
    with log_of(prompts(), URIS, **young) as db:
        said = listed(db)["never_retrieved"]
        assert said["in_grace"] == listed_as
        assert ("a://young" in uris(said["memories"])) == (not listed_as)


def test_few_prompts_since_it_was_written_say_nothing() -> None:
    with log_of(prompts(4), URIS) as db:
        said = listed(db)
        assert (said["never_retrieved"]["count"], said["never_retrieved"]["in_grace"]) == (0, 1)


def test_nearly_the_same_text_at_two_memories() -> None:
    text = "refunds are deduplicated by the idempotency key that the client sends with each request of a payment"
    copies = memories({"b://one": "c1", "b://two": "c2", "b://three": "c3"}, text)
    copies["memories"][1]["content"] = f"{text} again"
    copies["memories"][2]["content"] = "something else that has nothing to do with any of the others in this store"
    shown = [Prompt("q1", [Candidate("b://one", 0.9), Candidate("b://two", 0.8)])]
    with log_of(shown, {}, **copies) as db:
        (pair,) = listed(db)["duplicates"]["same_text"]
        assert (pair["uri"], pair["other_uri"], pair["shown_together"]) == ("b://one", "b://two", 1)
        assert 0.9 <= pair["share"] < 1


def test_case_13_two_addresses_of_one_memory_in_one_display_are_pointed_out() -> None:
    shown = [Prompt(f"q{n}", [Candidate("core://a", 0.9), Candidate("project://b", 0.8)]) for n in range(2)]
    with log_of(shown, {"core://a": "n", "project://b": "n"}) as db:
        assert listed(db)["duplicates"] == {
            "same_text": [],
            "same_memory": [{"uri": "core://a", "other_uri": "project://b", "node_uuid": "n", "prompts": 2}],
        }


def test_a_list_holds_at_most_as_many_as_asked_for() -> None:
    many = {f"a://never{number}": f"m{number}" for number in range(5)}
    with log_of(prompts(), URIS | many) as db:
        said = listed(db, 2)["never_retrieved"]
        assert (said["count"], len(said["memories"])) == (6, 2)
