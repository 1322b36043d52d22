"""Weights learned from the uses: what they find, what is said of them, and when they stay silent."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest
from test_tune_parts import FINDING, LEDGER

from workbench.judge import Evidence, judge_log
from workbench.metrics.bootstrap import Interval
from workbench.params import THRESHOLD
from workbench.replay.logged import settings_in_force
from workbench.replay.selection import Selection
from workbench.simulate import PLANTED_NEEDS, World, planted_log
from workbench.simulate.plants import EXACT, NO_SIGNAL, SKEWED, draw_plant
from workbench.tune import TuneRequest, Verdict
from workbench.tune.evaluate import make_part
from workbench.tune.goal import Goal
from workbench.tune.learned import Ranking, learn, ranking
from workbench.tune.space import Space, make_space
from workbench.tune.verdict import judge_learned

SIZE = World(prompts=700, needs=PLANTED_NEEDS)
CLEAR = Ranking(0.6, 0.7, 0.02, Interval(0.01, 0.03))
UNCLEAR = Ranking(0.6, 0.7, 0.02, Interval(-0.01, 0.03))


@contextmanager
def goal_of(kind: str, seed: int, used: int) -> Iterator[tuple[Goal, Space]]:
    """The whole of a planted log as a goal, and the space of all keys."""
    with planted_log(SIZE, kind, used, seed) as (db, _):
        in_force = settings_in_force(db).params
        Selection().for_replay().materialise(db)
        evidence = Evidence.standard(db)
        judge_log(db, "selected", evidence)
        part = make_part(db, in_force, "selected", evidence, "learned_candidates")
        yield Goal(part, part.kept(in_force), 0.1, 0.1, 0.1), make_space(in_force, (), (), part.fingerprint)


@pytest.mark.parametrize("seed", [3002, 3003])
def test_too_much_weight_on_literal_matches_is_unlearned(seed: int) -> None:
    planted = draw_plant(SKEWED, seed)
    with goal_of(SKEWED, seed, 200) as (goal, space):
        found = learn(goal, space)
        assert found is not None
        assert found.better > 0
        assert planted.rules[0].params[EXACT] < planted.in_force[EXACT]
        assert found.params[EXACT] < 0.7 * float(goal.part.in_force[EXACT])
        assert goal.kept(found.params).shown <= goal.present.shown
        one_lower = found.params.replace({THRESHOLD: round(float(found.params[THRESHOLD]) - 0.01, 2)})
        assert goal.kept(one_lower).shown > goal.present.shown
        better = ranking(goal.part, goal.part, goal.part.in_force, found.params)
        assert better.after > better.before
        assert better.gain > 0


def test_nothing_is_learned_without_the_keys_for_it_or_from_shuffled_uses() -> None:
    with goal_of(NO_SIGNAL, 2, 100) as (goal, space):
        thresholdless = Space(space.current, [key for key in space.keys if key.name != THRESHOLD], ())
        assert learn(goal, thresholdless) is None
        assert learn(goal, Space(space.current, [key for key in space.keys if key.name == THRESHOLD], ())) is None
        mixed = np.random.default_rng(1).permutation(goal.part.used)
        found = learn(replace(goal, part=replace(goal.part, used=mixed)), space)
        assert found is None or found.better < 0.01


@pytest.mark.parametrize(
    ("changed", "ranks", "verdict", "said"),
    [
        ({}, CLEAR, Verdict.TRIAL, "learned from which memories were used promise more"),
        ({}, UNCLEAR, Verdict.TRIAL, "learned from which memories were used promise more"),
        ({"interval": Interval(-0.01, 0.03)}, CLEAR, Verdict.TRIAL, "promise more"),
        ({"interval": Interval(-0.01, 0.03)}, UNCLEAR, Verdict.KEEP, "no better than the present ones"),
        ({"interval": None}, UNCLEAR, Verdict.KEEP, "no better than the present ones"),
        ({"gain": 0.003}, CLEAR, Verdict.TRIAL, "promise more"),
        ({"gain": 0.003}, UNCLEAR, Verdict.KEEP, "a loss of 6 % would look the same in one of ten such logs"),
        ({"gain": -0.1}, CLEAR, Verdict.KEEP, "does not hold on prompts that it has not seen"),
        ({"proposed": replace(LEDGER, used_kept=35, used_lost=5)}, CLEAR, Verdict.KEEP, "5 of 40 held-out used"),
        ({"interval": None}, replace(CLEAR, after=0.6), Verdict.KEEP, "no better than the present ones"),
    ],
)
def test_what_is_said_of_learned_weights(
    changed: dict[str, object], ranks: Ranking, verdict: Verdict, said: str
) -> None:
    word, reasons = judge_learned(replace(FINDING, **changed), ranks, TuneRequest())  # type: ignore[arg-type]
    assert word is verdict
    assert said in reasons[0]
