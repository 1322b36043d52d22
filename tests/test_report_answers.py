"""What the report says beyond rates: the effect of the first place, where a change comes from, what a log answers."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import timedelta
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from log_builder import START, Candidate, Prompt, hours, log_of

from workbench.cli.reporting import report_text
from workbench.metrics.bootstrap import Smooth, bootstrap, ratio
from workbench.metrics.power import Detectable
from workbench.metrics.report import report
from workbench.metrics.report.position import banded_difference
from workbench.metrics.report.shift import mix_and_within
from workbench.metrics.report.sufficiency import Answer, Held, answers
from workbench.replay.selection import Selection

COUNTS = st.tuples(st.integers(0, 30), st.integers(0, 30)).map(lambda pair: (min(pair), max(pair)))


def _said(prompts: list[Prompt], **options: Any) -> dict[str, Any]:
    with log_of(prompts) as db:
        return report(db, None, **options).as_json()


def test_a_smooth_function_has_the_interval_of_the_ratio_that_it_is() -> None:
    rng = np.random.default_rng(1)
    shown = rng.binomial(6, 0.5, 200)
    sums = np.column_stack([rng.binomial(shown, 0.1), shown]).astype(float)
    same = Smooth(lambda totals: totals[:, 0] / totals[:, 1], 0, 1)
    one, other = (bootstrap(sums, np.ones(200), each) for each in (ratio(0, 1, 0, 1), same))
    assert one is not None
    assert other is not None
    assert one.as_json() == pytest.approx(other.as_json(), abs=1e-12)


# --- the first place ------------------------------------------------------------------------------------------------


def test_the_difference_within_bands_is_that_of_mantel_and_haenszel() -> None:
    bands = [(3, 10, 2, 20), (0, 5, 1, 4), (2, 2, 0, 0)]
    weights = [first * later / (first + later) for _, first, _, later in bands[:2]]
    rates = [used / first - late / later for used, first, late, later in bands[:2]]
    expected = sum(w * r for w, r in zip(weights, rates, strict=True)) / sum(weights)
    assert banded_difference(np.array(bands, dtype=float).reshape(1, -1))[0] == pytest.approx(expected)
    assert np.isnan(banded_difference(np.array([[1.0, 2, 0, 0, 0, 0, 1, 2]]))[0]), "no band has both kinds of place"


def _displays(used_by_place: bool) -> list[Prompt]:
    """Prompts with two memories each: what is used follows the place, or the score alone."""
    rng = random.Random(3)
    made = []
    for number in range(400):
        upper = rng.uniform(0.62, 0.95)
        scores = (upper, rng.uniform(0.61, upper))
        chances = (0.4, 0.1) if used_by_place else [max(0.0, score - 0.55) for score in scores]
        made.append(
            Prompt(
                f"q{number:03}",
                [Candidate(f"a://{place}", scores[place], used=rng.random() < chances[place]) for place in (0, 1)],
                session=f"s{number // 5}",
                at=START + timedelta(minutes=number),
            )
        )
    return made


def test_a_planted_effect_of_the_first_place_is_found_and_one_of_the_score_is_not_taken_for_it() -> None:
    planted, scored = (_said(_displays(by_place))["position"] for by_place in (True, False))
    assert planted["interval"][0] > 0.1
    assert planted["interval"][0] < 0.3 < planted["interval"][1]
    assert scored["difference"] > 0.08, "higher scores are used more, and they stand first"
    assert abs(scored["difference_at_equal_score"]) < scored["difference"] / 2
    assert scored["interval"][0] < 0 < scored["interval"][1]
    assert "two memories or more" in planted["limits"]


def test_near_ties_are_compared_within_their_prompt() -> None:
    pairs = [(0.700, 0.698), (0.800, 0.797), (0.9, 0.7)]
    prompts = [
        Prompt(f"q{number}", [Candidate("a://1", upper, used=True), Candidate("a://2", lower)])
        for number, (upper, lower) in enumerate(pairs)
    ]
    prompts.append(Prompt("lower", [Candidate("a://1", 0.7), Candidate("a://2", 0.699, used=True)]))
    ties = _said(prompts)["position"]["near_ties"]
    assert (ties["pairs"], ties["upper_used"], ties["lower_used"]) == (3, 2, 1)
    assert ties["sign_test"] == 1.0


def test_without_two_shown_memories_there_is_no_effect_of_the_place() -> None:
    said = _said([Prompt("q", [Candidate("a://1", 0.8, used=True)])])["position"]
    assert (said["difference"], said["difference_at_equal_score"], said["interval"]) == (None, None, None)


# --- mix and within -------------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(COUNTS, COUNTS), min_size=1, max_size=6))
def test_mix_and_within_add_up_to_the_change(clients: list[tuple[tuple[int, int], tuple[int, int]]]) -> None:
    before, after = ([client[period] for client in clients] for period in (0, 1))
    if not sum(judged for _, judged in before) or not sum(judged for _, judged in after):
        return
    rates = [
        Fraction(sum(used for used, _ in period), sum(judged for _, judged in period)) for period in (before, after)
    ]
    totals = np.array(clients, dtype=float).reshape(1, -1)
    mix, within = mix_and_within(totals)
    assert mix.sum() + within.sum() == pytest.approx(float(rates[1] - rates[0]), abs=1e-12)


def _two_periods(shares: tuple[float, float], rates: dict[str, tuple[float, float]]) -> list[Prompt]:
    """400 prompts of codex and pi with one memory each: codex has these shares of the older and the newer half."""
    rng = random.Random(5)
    made = []
    for number in range(400):
        late = number >= 200
        client = "codex" if (number % 200) < 200 * shares[late] else "pi"
        used = rng.random() < rates[client][late]
        made.append(
            Prompt(
                f"q{number:03}", [Candidate("a://1", 0.8, used=used)], client=client, at=START + hours(number),
                session=f"s{number // 4}",
            )
        )  # fmt: skip
    return made


def test_a_change_of_who_asks_is_told_from_a_change_within_the_clients() -> None:
    steady = {"codex": (0.5, 0.5), "pi": (0.1, 0.1)}
    mixed = _said(_two_periods((0.2, 0.8), steady))["shift"]
    assert mixed["change"]["interval"][0] > 0
    assert mixed["mix"]["value"] > 2 * abs(mixed["within"]["value"])
    worse = _said(_two_periods((0.5, 0.5), {"codex": (0.6, 0.2), "pi": (0.4, 0.1)}))["shift"]
    assert worse["change"]["interval"][1] < 0
    assert worse["within"]["value"] == pytest.approx(worse["change"]["value"])
    assert worse["mix"]["value"] == pytest.approx(0)
    for said in (mixed, worse):
        change = said["later"]["use_rate"] - said["earlier"]["use_rate"]
        assert said["mix"]["value"] + said["within"]["value"] == pytest.approx(change) == said["change"]["value"]
        assert said["mix"]["value"] == pytest.approx(sum(one["mix"] for one in said["clients"]))
        assert (said["earlier"]["prompts"], said["later"]["prompts"]) == (200, 200)


def test_a_client_that_is_new_is_all_mix() -> None:
    prompts = [Prompt(f"a{n}", [Candidate("a://1", 0.8, used=n < 2)], at=START + hours(n)) for n in range(4)]
    prompts += [
        Prompt(f"b{n}", [Candidate("a://1", 0.8)], client="pi" if n % 2 else "codex", at=START + hours(9 + n))
        for n in range(4)
    ]
    pi = next(one for one in _said(prompts)["shift"]["clients"] if one["client"] == "pi")
    assert (pi["within"], pi["judged"]) == (0, (0, 2))


def test_a_period_without_shown_memories_leaves_no_change() -> None:
    said = _said([Prompt("a"), Prompt("b", [Candidate("a://1", 0.8)], at=START + hours(1))])["shift"]
    assert said["change"] == {"value": None, "interval": None}
    assert (said["earlier"]["use_rate"], said["later"]["use_rate"]) == (None, 0)


def test_a_start_is_held_against_as_much_time_before_it() -> None:
    prompts = [Prompt(f"q{n}", [Candidate("a://1", 0.8, used=n == 9)], at=START + hours(n)) for n in range(10)]
    with log_of(prompts) as db:
        chosen = Selection(since=START + hours(7), until=START + hours(10))
        assert chosen.materialise(db) == 3
        assert chosen.preceding(START + hours(10)).materialise(db, "earlier") == 3
        shift = report(db, before="earlier").as_json()["shift"]
    assert (shift["earlier"]["prompts"], shift["later"]["prompts"]) == (3, 3)
    assert shift["earlier"]["last"] < shift["later"]["first"]
    assert shift["change"]["value"] == pytest.approx(1 / 3)
    with pytest.raises(ValueError, match="start"):
        Selection().preceding(START)


# --- what a log answers ---------------------------------------------------------------------------------------------


def _held(used: int, clients: list[int], held_out: int, auc: tuple[float, float] | None = (0.4, 0.6)) -> Held:
    rate = (0.02, 0.04) if used else None
    return Held(used, 2018, clients, 14.0, Detectable.of([1] * held_out), rate, auc, 0)


def _by_question(held: Held) -> dict[str, Answer]:
    return {answer.question.split()[0] + " " + answer.question.split()[1]: answer for answer in answers(held)}


def test_a_small_log_says_what_it_answers_and_when_it_will_the_rest() -> None:
    found = _by_question(_held(73, [50, 8, 15], 22))
    assert found["How often"].answered
    assert found["How often"].why == "2.0 % to 4.0 % (95 %, Wilson)"
    assert found["Do clients"].answered
    assert found["Does the"].why == "no sign that it does (AUC 0.40 to 0.60)"
    assert found["Is another"].answered
    assert "With 22 used memories held out" in found["Is another"].why
    loss = found["Can a"]
    assert not loss.answered
    assert loss.more_days == 5, "97 used memories are needed, 73 came in 14 days"
    assert (found["What was"].answered, found["What was"].more_days) == (False, None)


def test_a_log_without_uses_promises_nothing() -> None:
    found = _by_question(_held(0, [0, 0], 0, None))
    assert not any(answer.answered for answer in found.values())
    assert {answer.more_days for answer in found.values()} == {None}


def test_waiting_is_measured_by_the_rate_of_the_log() -> None:
    found = _by_question(_held(5, [4, 1], 1))
    assert found["How often"].more_days == 14
    assert found["Do clients"].more_days == 126, "the second client has 1 in 14 days and needs 10"
    assert found["Is another"].more_days == 80


def test_the_report_answers_from_its_own_log() -> None:
    prompts = [
        Prompt(
            f"q{n:02}", [Candidate("a://1", 0.8, used=n % 2 == 0)], session=f"s{n}", at=START + hours(n), text=f"t{n}"
        )
        for n in range(60)
    ]
    said = _said(prompts)
    assert said["detectable_loss"]["used"] == 9, "of the newest 18 prompts"
    by_question = {one["question"]: one for one in said["questions"]}
    assert by_question["How often is what we show used?"]["answered"] is True
    assert by_question["Is another configuration better?"]["answered"] is False
    assert by_question["Is another configuration better?"]["more_days"] == 1


# --- the text -------------------------------------------------------------------------------------------------------


def test_the_headline_has_the_wilson_interval_of_the_row_below_and_names_that_of_sessions() -> None:
    prompts = [
        Prompt(f"q{n:02}", [Candidate("a://1", 0.8, used=n % 3 == 0)], session=f"s{n // 4}", at=START + hours(n))
        for n in range(24)
    ]
    said = _said(prompts)
    assert said["use_rate_interval"] == said["parts"][0]["use_rate_interval"]
    low, high = (f"{100 * end:.1f}" for end in said["use_rate_interval"])
    first, last = (f"{100 * end:.1f}" for end in said["use_rate_session_interval"])
    assert f"33.3 % (Wilson {low} to {high} %; resampled sessions {first} to {last} %)" in report_text(said)
    often = next(one for one in said["questions"] if one["question"] == "How often is what we show used?")
    assert often["why"].startswith(f"{low} % to {high} %")


def test_one_session_without_uses_still_has_the_wilson_interval() -> None:
    said = _said([Prompt("q", [Candidate(f"a://{n}", 0.8) for n in range(7)])])
    assert said["use_rate_session_interval"] is None
    assert f"0.0 % (Wilson 0.0 to {100 * said['use_rate_interval'][1]:.1f} %)." in report_text(said)


def test_the_text_has_separation_shows_a_prompt_silence_and_durations() -> None:
    prompts = [
        Prompt(f"q{n:02}", [Candidate("a://1", 0.8 + n / 1000, used=n % 2 == 0)] if n % 4 else [], session=f"s{n}",
               at=START + hours(n), duration_ms=40 + n)
        for n in range(40)
    ]  # fmt: skip
    said = _said(prompts)
    text = report_text(said)
    apart, took = said["separation"], said["duration_ms"]
    assert f"{apart['used_p25']:.4f} - {apart['unused_p75']:.4f} = {apart['separation']:+.4f}" in text
    assert "Shown per prompt: 0.75 (" in text
    assert "10 prompts showed nothing: 25.0 % (" in text
    assert f"p50 {took['p50']:,.0f} ms (" in text
    assert f"p99 {took['p99']:,.0f} ms (" in text
    assert "known of 40 of 40 prompts" in text
    assert "Duration of a recall: no data" in report_text(_said([Prompt("q", duration_ms=None)]))


def test_what_shows_a_miss_is_said_as_missed_says_it() -> None:
    assert "`workbench missed`" in _by_question(_held(73, [73], 22))["What was"].why
    assert "cannot tell" in _by_question(_held(0, [0], 0, None))["What was"].why
    without_prompts = replace(_held(0, [], 0, None), prompts=0, traces=13)
    assert _by_question(without_prompts)["What was"] == Answer(
        "What was needed and not shown?", answered=False, why="no logged prompt passes the filter"
    )
