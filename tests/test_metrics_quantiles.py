"""Intervals of quantiles resample sessions, and hold the true quantile as often as they promise."""

from __future__ import annotations

import numpy as np
import pytest
from log_builder import START, Candidate, Prompt, hours, log_of

from workbench.metrics.bootstrap import Array
from workbench.metrics.quantiles import Sample, Whole, quantile_interval, resampled_quantiles
from workbench.metrics.report import report


def _alike(rng: np.random.Generator, sessions: int, each: int) -> tuple[Array, Whole]:
    """Values of sessions that differ: half of the variance, 1 in all, lies between them."""
    session = np.repeat(np.arange(sessions), each)
    return rng.normal(0, 0.5**0.5, sessions)[session] + rng.normal(0, 0.5**0.5, len(session)), session


def test_the_interval_of_a_median_covers_what_it_promises_and_needs_whole_sessions() -> None:
    rng = np.random.default_rng(3)
    held = {"sessions": 0, "values alone": 0}
    for run in range(200):
        values, session = _alike(rng, 60, 5)
        for unit, number in (("sessions", session), ("values alone", np.arange(len(values)))):
            drawn = resampled_quantiles([(Sample(values, number), 0.5)], int(number[-1]) + 1, 400, run)
            interval = quantile_interval(drawn[:, 0])
            assert interval is not None
            held[unit] += interval.low <= 0 <= interval.high
    assert 0.90 <= held["sessions"] / 200 <= 0.99
    assert held["values alone"] / 200 < 0.85


def test_many_sessions_and_values_are_pooled_to_about_the_same_interval() -> None:
    values, session = _alike(np.random.default_rng(5), 4_000, 2)
    whole = quantile_interval(resampled_quantiles([(Sample(values, session), 0.9)], 4_000)[:, 0])
    assert whole is not None
    assert whole.low < np.quantile(values, 0.9) < whole.high
    assert whole.high - whole.low == pytest.approx(2 * 1.96 * (0.1 * 0.9 / 8_000 * 1.25) ** 0.5 / 0.1755, rel=0.35)


def test_a_sample_that_most_resamples_miss_has_no_interval() -> None:
    none: Array = np.zeros(0)
    empty = resampled_quantiles([(Sample(none, none.astype(np.int64)), 0.5)], 5)
    assert quantile_interval(empty[:, 0]) is None


def test_the_report_gives_quantiles_and_figures_per_prompt_their_intervals() -> None:
    prompts = [
        Prompt(
            f"q{n:03}",
            [Candidate("a://1", 0.7 + n % 10 / 100, used=n % 7 == 0)] * (n % 3 > 0),
            session=f"s{n // 3}", duration_ms=100 + n % 40 if n % 5 else None, at=START + hours(n),
        )
        for n in range(120)
    ]  # fmt: skip
    with log_of(prompts) as db:
        said = report(db, None).as_json()
    for value, interval in (
        (said["shown_per_prompt"], said["shown_per_prompt_interval"]),
        (said["duration_ms"]["p90"], said["duration_ms"]["intervals"]["p90"]),
        (said["separation"]["separation"], said["separation"]["separation_interval"]),
    ):
        assert interval is None or interval[0] <= value <= interval[1]
    assert said["duration_ms"]["intervals"]["p50"][0] < said["duration_ms"]["intervals"]["p90"][1]
    assert said["separation"]["separation_interval"] is not None
    assert said["silent_share"] == pytest.approx(1 / 3)
    assert said["silent_share_interval"] is None, "every session has one silent prompt of three: nothing varies"
