"""Intervals of quantiles by resampled sessions, several quantiles on the same resamples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from workbench.metrics.bootstrap import RESAMPLES, SEED, Array, Interval

Whole = npt.NDArray[np.int64]

_MOST_GROUPS, _MOST_VALUES = 1_000, 1_000


@dataclass(frozen=True)
class Sample:
    """Values, and for each the number of its session, 0 or more."""

    values: Array
    session: Whole


def resampled_quantiles(
    quantiles: Sequence[tuple[Sample, float]], sessions: int, resamples: int = RESAMPLES, seed: int = SEED
) -> Array:
    """A row a resample of `sessions` sessions, a column a (sample, share): the least value that the share of the sample
    does not exceed; NaN where a resample misses the sample. Above 1,000 sessions these are pooled at random into 1,000
    groups; above 1,000 values a sample is taken on as many of its own quantiles."""
    rng = np.random.default_rng(seed)
    group = rng.permutation(sessions) % min(sessions, _MOST_GROUPS)
    count = min(sessions, _MOST_GROUPS)
    weights = rng.multinomial(count, np.full(count, 1 / count), size=resamples).astype(np.float64)
    return np.column_stack([_column(sample, share, weights, group) for sample, share in quantiles])


def quantile_interval(drawn: Array) -> Interval | None:
    """The central 95 % of resampled values; None where half of the resamples or more give none."""
    known = drawn[~np.isnan(drawn)]
    if 2 * len(known) <= len(drawn) or not len(known):
        return None
    low, high = np.quantile(known, [0.025, 0.975], method="nearest")
    return Interval(float(low), float(high))


def _column(sample: Sample, share: float, weights: Array, group: Whole) -> Array:
    if not len(sample.values):
        return np.full(len(weights), np.nan)
    values = np.unique(sample.values)
    if len(values) > _MOST_VALUES:
        values = np.unique(np.quantile(sample.values, np.linspace(0, 1, _MOST_VALUES), method="higher"))
    place = np.searchsorted(values, sample.values)
    counts = np.zeros((weights.shape[1], len(values)))
    np.add.at(counts, (group[sample.session], place), 1)
    below = np.cumsum(weights @ counts, axis=1)
    found = values[np.argmax(below >= share * below[:, -1:], axis=1)]
    return np.where(below[:, -1] > 0, found, np.nan)
