"""A small part of `tests/trust_of_tuner.py`: what the tuner says of worlds whose truth is planted."""

from __future__ import annotations

import pytest
from trust_of_tuner import Case, Outcome, outcome

from workbench.simulate.plants import DEFAULT_BEST, NO_SIGNAL, SKEWED
from workbench.tune import Verdict

TRIALS = 60


def tuned(kind: str, seed: int, used: int = 120, prompts: int = 700) -> Outcome:
    return outcome(Case(kind, used, seed, prompts, TRIALS))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_without_a_signal_nothing_is_safe(seed: int) -> None:
    assert tuned(NO_SIGNAL, seed).verdict != Verdict.SAFE


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_where_the_defaults_are_best_nothing_is_made_worse(seed: int) -> None:
    assert not tuned(DEFAULT_BEST, seed).harms


def test_wrong_weights_are_found_and_mended() -> None:
    found = [tuned(SKEWED, seed, used=300, prompts=1500) for seed in (1, 2)]
    assert all(one.recommends for one in found)
    assert all(one.gain > 0 for one in found)
