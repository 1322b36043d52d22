"""What few used memories can show: exact bounds, the smallest loss that is seen, and the share that is lost."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from outcome_lists import UNKNOWN, UNUSED, USED, Outcome, figure, listed

from workbench.metrics.binomial import at_most, loss_ceiling, loss_floor, share_where
from workbench.metrics.intervals import intervals, share_interval
from workbench.metrics.power import Detectable, detectable, least_significant, used_needed
from workbench.metrics.shrinkage import Sessions, design_effect
from workbench.metrics.significance import sign_test
from workbench.metrics.used_lost import UsedLost
from workbench.metrics.wilson import wilson


@given(st.integers(1, 40), st.floats(0.01, 0.99), st.integers(0, 40))
def test_the_binomial_tail_is_the_sum_of_its_terms(trials: int, share: float, hits: int) -> None:
    terms = [math.comb(trials, n) * share**n * (1 - share) ** (trials - n) for n in range(min(hits, trials) + 1)]
    assert at_most(hits, trials, share) == pytest.approx(sum(terms), abs=1e-12)


@given(st.integers(1, 300), st.integers(1, 8), st.floats(0.5, 0.99))
def test_a_detectable_loss_is_seen_with_its_power_and_a_smaller_one_is_not(used: int, lost: int, power: float) -> None:
    share = detectable(used, lost, power)
    if share is None:
        assert used < lost
        return
    assert 1 - at_most(lost - 1, used, share) == pytest.approx(power, abs=1e-6)
    assert 1 - at_most(lost - 1, used, share * 0.9) < power


def test_known_values() -> None:
    assert detectable(22) == pytest.approx(1 - 0.2 ** (1 / 22))
    assert detectable(0) is None
    assert used_needed(0.10) == 16
    assert least_significant() == 6
    assert (sign_test(0, 5) or 1) > 0.05 > (sign_test(0, 6) or 1)
    assert share_where(3, 3, 0.5) == 1.0
    assert loss_floor(0, 10) == 0
    assert loss_floor(2, 20) == pytest.approx(1 - loss_ceiling(18, 20))


def test_what_is_lost_together_shows_less() -> None:
    apart, together = Detectable.of([1] * 24), Detectable.of([6, 6, 6, 6, 0])
    assert apart.once == together.once == detectable(24)
    assert (apart.independent, together.independent, together.sessions) == (24, 4, 4)
    assert together.once_alike == detectable(4)
    assert together.significant_alike is None, "four independent losses cannot make six"
    assert "(33 % if those of a session go together)" in together.sentence()
    assert "go together" not in apart.sentence()
    assert Detectable.of([3]).sentence().endswith("no loss, however large, can be told from chance.")
    assert Detectable.of([]).sentence() == "No used memory is held out, so no loss could be seen."


def test_the_share_of_used_memories_that_are_lost() -> None:
    prompts = [Outcome([USED, UNUSED, UNKNOWN], gone=[USED, UNUSED, UNKNOWN]), Outcome([USED]), Outcome([UNKNOWN])]
    found = figure(prompts, UsedLost())
    assert (found.judged, found.unhelpful, found.low, found.high, found.n) == pytest.approx((1 / 3,) * 4 + (3,))
    assert figure([Outcome([UNUSED])], UsedLost()).judged is None


def test_the_interval_of_few_lost_is_that_of_a_share() -> None:
    with listed([Outcome([USED], session=f"s{i}") for i in range(30)]) as db:
        interval = intervals(db, [UsedLost()])["used_lost_share"]["judged_only"]
    assert interval == wilson(0, 30), "none lost still says how much may be"
    alone = np.array([[1.0, 3.0], [0.0, 3.0]])
    together = np.array([[3.0, 3.0], [0.0, 3.0]])
    apart = share_interval(alone, np.array([30.0, 60.0]))
    alike = share_interval(together, np.array([10.0, 80.0]))
    assert apart is not None
    assert alike is not None
    assert alike.high - alike.low > 1.5 * (apart.high - apart.low)


def test_the_design_effect_is_one_without_and_the_size_of_sessions_with_full_likeness() -> None:
    def spread(sums: list[tuple[int, int]]) -> Sessions:
        return Sessions(
            sum(hits * hits for hits, _ in sums), sum(hits * n for hits, n in sums), sum(n * n for _, n in sums)
        )

    alike = [(4, 4)] * 250 + [(0, 4)] * 750
    assert design_effect([(1000, 4000)], [spread(alike)]) == pytest.approx(4, rel=0.01)
    rng = np.random.default_rng(1)
    apart = [(int(hits), 4) for hits in rng.binomial(4, 0.25, 1000)]
    assert design_effect([(sum(h for h, _ in apart), 4000)], [spread(apart)]) == pytest.approx(1, abs=0.1)
    assert design_effect([(0, 10)], [spread([(0, 10)])]) == 1
    assert design_effect([], []) == 1
