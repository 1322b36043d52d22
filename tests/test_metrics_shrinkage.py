"""Shrinkage: between the group's own rate and that of all, the more its own the more it has seen."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.metrics.shrinkage import Prior

GROUPS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 60)), min_size=2, max_size=8).map(
    lambda pairs: [(hits, hits + misses) for hits, misses in pairs]
)


@given(GROUPS)
def test_a_shrunk_rate_lies_between_the_own_and_the_common_one(groups: list[tuple[int, int]]) -> None:
    prior = Prior.of(groups)
    if prior is None:
        assert not any(trials for _, trials in groups)
        return
    for hits, trials in groups:
        found = prior.shrink(hits, trials)
        own = hits / trials if trials else prior.mean
        assert min(own, prior.means.min()) - 1e-12 <= found.rate <= max(own, prior.means.max()) + 1e-12
        assert 0 <= found.interval.low <= found.rate <= found.interval.high <= 1


def test_without_trials_there_is_no_prior() -> None:
    assert Prior.of([(0, 0), (0, 0)]) is None


def test_groups_that_differ_by_chance_alone_are_pooled() -> None:
    rng = np.random.default_rng(3)
    alike = Prior.of([(int(rng.binomial(400, 0.03)), 400) for _ in range(12)])
    apart = Prior.of([(int(rng.binomial(400, rate)), 400) for rate in (0.01, 0.02, 0.12, 0.3, 0.02, 0.2)])
    assert alike is not None
    assert apart is not None
    assert alike.strength > 1_000 > 100 > apart.strength
    pooled = alike.shrink(12, 400).interval
    assert 0.004 < pooled.high - pooled.low < 0.03


def test_a_small_group_moves_further_than_a_large_one() -> None:
    prior = Prior(np.array([0.03]), np.array([50.0]), np.array([1.0]))
    small, large = prior.shrink(2, 10), prior.shrink(200, 1000)
    assert small.rate == pytest.approx((0.03 * 50 + 2) / 60)
    assert abs(large.rate - 0.2) < 0.01 < 0.1 < abs(small.rate - 0.2)
    assert small.interval.high - small.interval.low > large.interval.high - large.interval.low


def test_intervals_cover_the_rates_of_the_model() -> None:
    """Nominal 95 %: of 600 groups drawn from a prior, 92 to 98 % of the true rates lie within."""
    rng = np.random.default_rng(5)
    rates = rng.beta(3, 60, 600)
    groups = [(int(rng.binomial(120, rate)), 120) for rate in rates]
    prior = Prior.of(groups)
    assert prior is not None
    found = [prior.shrink(*group).interval for group in groups]
    covered = np.mean([one.low <= rate <= one.high for one, rate in zip(found, rates, strict=True)])
    assert 0.92 <= covered <= 0.98
