"""A lower threshold: where what was opened just above it speaks for one; a higher one: when it would pay."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from test_tune_learned import goal_of
from test_tune_parts import FINDING
from trust_of_tuner import Case, outcome

from workbench.metrics.binomial import loss_ceiling
from workbench.params import KEYS, THRESHOLD
from workbench.simulate.plants import DEFAULT_BEST, NO_SIGNAL, WRONG_THRESHOLD
from workbench.tune import Verdict
from workbench.tune.higher import higher
from workbench.tune.lower import Edge, edges, lower
from workbench.tune.space import Space
from workbench.tune.verdict import judge_lower

STEP = KEYS[THRESHOLD].step
TOO_HIGH, TOO_LOW = 1002, 1001


def test_a_threshold_that_is_too_high_is_lowered_by_two_steps_at_most() -> None:
    with goal_of(WRONG_THRESHOLD, TOO_HIGH, 300) as (goal, space):
        found = lower(goal, space)
        assert found is not None
        params, seen = found.params, found.edge
        assert set(params.changed_from(space.current)) == {THRESHOLD}
        assert 0 < float(space.current[THRESHOLD]) - float(params[THRESHOLD]) <= 2 * STEP + 1e-9
        assert edges(goal, [params]) == [seen]
        assert seen.newly == len(goal.part.newly_shown(params)) == goal.newly(goal.kept(params)) > 0
        assert 0 < seen.least < seen.gain
        frozen = Space(space.current, [key for key in space.keys if key.name != THRESHOLD], ())
        assert lower(goal, frozen) is None


@pytest.mark.parametrize(("seed", "used"), [(1, 120), (2, 120), (3, 40)])
def test_where_the_defaults_are_best_none_is_lower(seed: int, used: int) -> None:
    with goal_of(DEFAULT_BEST, seed, used) as (goal, space):
        assert lower(goal, space) is None


def test_uses_that_do_not_follow_the_score_are_expected_below_as_often_as_above() -> None:
    with goal_of(NO_SIGNAL, 2, 100) as (goal, space):
        wider = space.current.replace({THRESHOLD: float(space.current[THRESHOLD]) - 2 * STEP})
        flat = replace(goal.part, used=np.random.default_rng(4).permutation(goal.part.used))
        (seen,) = edges(replace(goal, part=flat), [wider])
        assert seen.used / seen.newly == pytest.approx(flat.used.mean(), rel=0.35)
        gain = (seen.used - goal.noise_cost * (seen.newly - seen.used)) / flat.prompts
        assert seen.gain == pytest.approx(gain)
        (unused,) = edges(replace(goal, part=replace(flat, used=np.zeros_like(flat.used))), [wider])
        assert unused == Edge(seen.newly, 0.0, 0.0, 0.0)
        assert [one.newly for one in edges(goal, [space.current])] == [0]


@pytest.mark.parametrize(
    ("least", "verdict", "said"),
    [
        (0.001, Verdict.TRIAL, "the 72 memories just below it, new to held-out prompts, should pay for themselves"),
        (0.0, Verdict.KEEP, "does not surely pay for itself on held-out prompts"),
        (-0.01, Verdict.KEEP, "by -0.0100 or more in 19 of 20 such logs"),
    ],
)
def test_what_is_said_of_a_lower_threshold(least: float, verdict: Verdict, said: str) -> None:
    word, reasons = judge_lower(FINDING, Edge(72, 20.0, 0.02, least))
    assert word is verdict
    assert said in reasons[0]


def test_the_tuner_recommends_a_trial_of_it() -> None:
    found = outcome(Case(WRONG_THRESHOLD, 300, TOO_HIGH, 1000, 40))
    assert found.verdict == Verdict.TRIAL
    assert "just above the threshold" in found.why
    assert found.gain > 0


def test_a_higher_threshold_pays_below_the_share_of_helpful_memories_at_which_its_gain_is_zero() -> None:
    with goal_of(WRONG_THRESHOLD, TOO_LOW, 90) as (goal, _):
        found = higher([goal])
        assert found is not None
        kept = goal.kept(goal.part.in_force.replace({THRESHOLD: found.threshold}))
        was = int(goal.present.judged.sum())
        assert (found.shown, found.removed) == (was, was - int(kept.judged.sum()))
        assert found.used == int((goal.part.used & goal.present.judged & ~kept.judged).sum())
        even = replace(goal, stands_for=found.pays_below * found.shown / int(goal.part.used.sum()))
        assert even.gain(kept) > 0, "the bound leaves room for chance"
        ceiling = loss_ceiling(found.used, found.removed)
        assert even.net(ceiling * found.removed, found.removed) == pytest.approx(0.0, abs=1e-9)
        assert f"{100 * found.pays_below:.0f} % of the shown memories help (assumed here: 30 %)" in found.sentence(0.3)
        mostly_used = replace(goal, part=replace(goal.part, used=np.ones_like(goal.part.used)))
        assert higher([mostly_used]) is None
