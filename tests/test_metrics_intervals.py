"""Intervals cover what they promise, are reproducible, and pair the two configurations of a comparison."""

from __future__ import annotations

import numpy as np
import pytest
from outcome_lists import UNKNOWN, UNUSED, USED, Outcome, listed, write

from workbench.metrics.bootstrap import Array, bootstrap, difference, ratio
from workbench.metrics.intervals import differences, intervals
from workbench.metrics.judged import Judged
from workbench.metrics.ndcg import nDCG
from workbench.metrics.noise import Noise
from workbench.metrics.significance import holm, sign_test
from workbench.metrics.use_rate import UseRate
from workbench.metrics.used_lost import UsedLost
from workbench.metrics.wilson import wilson

RATE = 0.05


def _world(rng: np.random.Generator, sessions: int, rate: float, alike: float) -> Array:
    """Used and shown by session; `alike` is the correlation of use within a session."""
    shown = rng.binomial(3 * rng.geometric(1 / 6, size=sessions), 0.42)
    share = rng.beta(rate * (1 / alike - 1), (1 - rate) * (1 / alike - 1), size=sessions)
    return np.column_stack([rng.binomial(shown, share), shown]).astype(np.float64)


def _grouped(world: Array) -> tuple[Array, Array]:
    kinds, times = np.unique(world, axis=0, return_counts=True)
    return kinds, times.astype(np.float64)


@pytest.mark.parametrize(("sessions", "alike"), [(100, 0.05), (300, 0.1)])
def test_a_nominal_95_percent_interval_covers_93_to_97(sessions: int, alike: float) -> None:
    rng = np.random.default_rng(1)
    covered = runs = 0
    for run in range(1500):
        interval = bootstrap(*_grouped(_world(rng, sessions, RATE, alike)), ratio(0, 1, 0, 1), resamples=500, seed=run)
        if interval is not None:
            runs += 1
            covered += interval.low <= RATE <= interval.high
    assert runs > 1490
    assert 0.93 <= covered / runs <= 0.97


def test_a_paired_difference_covers_93_to_97() -> None:
    rng = np.random.default_rng(2)
    covered = 0
    for run in range(1500):
        used, shown = _world(rng, 150, 0.08, 0.1).T
        kept, dropped = rng.binomial(used.astype(int), 0.9), rng.binomial((shown - used).astype(int), 0.3)
        prompts = np.maximum(1, np.round(shown / 1.2))
        after = kept - 0.1 * (shown - used - dropped)
        before = used - 0.1 * (shown - used)
        sums, sessions = _grouped(np.column_stack([before, prompts, after, prompts]))
        # What is lost and won is in proportion to used and unused, so the true difference is that of a large world.
        interval = bootstrap(sums, sessions, difference(ratio(0, 1), ratio(2, 3)), resamples=500, seed=run)
        assert interval is not None
        covered += interval.low <= _true_difference() <= interval.high
    assert 0.93 <= covered / 1500 <= 0.97


def _true_difference(cache: dict[str, float] = {}) -> float:  # noqa: B006 -- computed once
    if not cache:
        used, shown = _world(np.random.default_rng(3), 2_000_000, 0.08, 0.1).T
        gain = 0.1 * 0.3 * (shown - used) - 0.1 * used
        cache["gain"] = gain.sum() / np.maximum(1, np.round(shown / 1.2)).sum()
    return cache["gain"]


def test_the_same_seed_gives_the_same_interval_and_the_ends_stay_in_range() -> None:
    sums, sessions = _grouped(_world(np.random.default_rng(4), 80, RATE, 0.2))
    first = bootstrap(sums, sessions, ratio(0, 1, 0, 1), seed=5)
    assert first == bootstrap(sums, sessions, ratio(0, 1, 0, 1), seed=5)
    assert first is not None
    assert 0 <= first.low < sums[:, 0] @ sessions / (sums[:, 1] @ sessions) < first.high <= 1


def test_many_kinds_of_sessions_are_pooled_to_about_the_same_interval() -> None:
    rng = np.random.default_rng(6)
    world = _world(rng, 30_000, RATE, 0.1)
    world[:, 1] += rng.random(len(world))
    pooled = bootstrap(world, np.ones(len(world)), ratio(0, 1))
    plain = bootstrap(*_grouped(np.floor(world)), ratio(0, 1))
    assert pooled is not None
    assert plain is not None
    assert pooled.high - pooled.low == pytest.approx(plain.high - plain.low, rel=0.2)


@pytest.mark.parametrize(
    "world", [[], [[1, 2]], [[0, 3], [0, 2], [0, 5]], [[0, 0], [0, 0]]], ids=["empty", "one", "no use", "no data"]
)
def test_without_variation_there_is_no_interval(world: list[list[float]]) -> None:
    sums = np.array(world, dtype=np.float64).reshape(-1, 2)
    assert bootstrap(sums, np.ones(len(sums)), ratio(0, 1)) is None


def test_intervals_of_measures_resample_sessions() -> None:
    prompts = [Outcome([USED, UNUSED] if i % 3 else [UNUSED], session=f"s{i % 20}") for i in range(200)]
    with listed(prompts) as db:
        found = intervals(db, [UseRate(), nDCG(3)])
    interval = found["use_rate"]["judged_only"]
    assert interval is not None
    assert interval.low < 133 / 333 < interval.high
    assert found["nDCG@3"]["judged_only"] is None, "every prompt with a use is perfect: nothing varies"


def test_differences_are_paired_by_prompt() -> None:
    before = [Outcome([USED, UNUSED, UNUSED], session=f"s{i % 30}") for i in range(120)]
    after = [Outcome([USED, UNUSED], gone=[UNUSED], session=f"s{i % 30}") for i in range(60)]
    with listed(before) as db:
        db.execute("CREATE TEMP TABLE before AS SELECT * FROM outcome_lists")
        write(db, [*after, *before[60:]])
        found = differences(db, [Noise()], "before", "outcome_lists")["noise_per_prompt"]["judged_only"]
    assert (found.first, found.second, found.effect) == (2.0, 1.5, -0.5)
    assert found.interval is None, "every session lost the same share, so nothing varies"


def test_a_difference_of_one_loss_in_hundreds_does_not_reach_to_minus_one() -> None:
    """One used memory less is lost, of 300: a resample without it shows no variation, which leaves one end open."""
    uses = [Outcome([USED], gone=[USED] if i < 2 else [], session=f"s{i}") for i in range(300)]
    with listed(uses) as db:
        db.execute("CREATE TEMP TABLE before AS SELECT * FROM outcome_lists")
        write(db, [Outcome([USED, USED], session="s0"), *uses[1:]])
        found = differences(db, [UsedLost()], "before", "outcome_lists")["used_lost_share"]["unknown_is_unhelpful"]
    assert found.effect == pytest.approx(-1 / 302, abs=1e-4)
    assert found.interval is not None
    assert -0.05 < found.interval.low < (found.effect or 0) < found.interval.high < 0.05


def test_a_difference_to_a_figure_at_its_bound_goes_one_way() -> None:
    """All that the present configuration shows is judged: another can only show a smaller judged share."""
    sessions = range(30)
    with listed([Outcome([USED, UNUSED], session=f"s{i}") for i in sessions]) as db:
        db.execute("CREATE TEMP TABLE before AS SELECT * FROM outcome_lists")
        new = [Outcome([USED, UNKNOWN if i == 0 else UNUSED], session=f"s{i}") for i in sessions]
        write(db, new)
        found = differences(db, [Judged(3)], "before", "outcome_lists")["Judged@3"]["unknown_is_unhelpful"]
        back = differences(db, [Judged(3)], "outcome_lists", "before")["Judged@3"]["unknown_is_unhelpful"]
    assert found.first == 1
    assert found.effect == pytest.approx(-1 / 60)
    assert found.interval is not None
    assert back.interval is not None
    assert -1 <= found.interval.low < -1 / 60 < found.interval.high <= 0
    assert 0 <= back.interval.low < 1 / 60 < back.interval.high <= 1


def test_wilson_against_known_values() -> None:
    interval = wilson(73, 2514)
    assert interval is not None
    assert interval.as_json() == pytest.approx([0.0231581, 0.0363538], abs=1e-6)
    assert wilson(0, 0) is None
    none_used = wilson(0, 10)
    assert none_used is not None
    assert none_used.as_json() == pytest.approx([0.0, 0.2775328], abs=1e-6)


def test_sign_test_and_holm() -> None:
    assert sign_test(0, 0) is None
    assert sign_test(5, 5) == 1.0
    assert sign_test(10, 0) == pytest.approx(2 / 1024)
    assert sign_test(2, 8) == pytest.approx(2 * (1 + 10 + 45) / 1024)
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []
