"""Cluster bootstrap: sessions are drawn with replacement, figures are ratios of their sums."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Statistic = Callable[[Array], Array]

RESAMPLES = 1000
SEED = 20260301
_CHUNK_CELLS = 4_000_000
_MOST_KINDS = 5_000
_POOLED_GROUPS = 2_000
_NORMAL = NormalDist()


@dataclass(frozen=True)
class Interval:
    """Both ends included."""

    low: float
    high: float

    def as_json(self) -> list[float]:
        """[low, high]."""
        return [self.low, self.high]


def ratio(numerator: int, denominator: int) -> Statistic:
    """The statistic sum of one column over sum of another; NaN where the denominator is 0."""

    def statistic(totals: Array) -> Array:
        below = totals[:, denominator]
        return np.divide(totals[:, numerator], below, out=np.full(len(totals), np.nan), where=below > 0)

    return statistic


def difference(first: Statistic, second: Statistic) -> Statistic:
    """`second` minus `first`, on the same resampled sessions: the paired difference."""

    def statistic(totals: Array) -> Array:
        return second(totals) - first(totals)

    return statistic


def bootstrap(
    sums: Array,
    sessions: Array,
    statistic: Statistic,
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Interval | None:
    """Bias-corrected and accelerated interval (Efron 1987) of `statistic` over resampled sessions.

    A row of `sums` holds the column sums of one kind of session, `sessions` how many there are of that kind. Above
    5,000 kinds sessions are pooled at random into 2,000 groups, which are resampled instead. The same seed gives the
    same interval. None where there are fewer than two sessions, no data, or no variation.
    """
    if sessions.sum() < 2:
        return None
    sums, sessions = _pooled(sums, sessions, seed)
    observed = float(statistic((sessions @ sums)[None, :])[0])
    drawn = np.concatenate([statistic(totals) for totals in _resampled(sums, sessions, resamples, seed)])
    drawn = drawn[~np.isnan(drawn)]
    if np.isnan(observed) or len(drawn) < resamples / 2 or np.ptp(drawn) == 0:
        return None
    low, high = _accelerated_quantiles(drawn, observed, _acceleration(sums, sessions, statistic), level)
    return Interval(float(low), float(high))


def _resampled(sums: Array, sessions: Array, resamples: int, seed: int) -> Iterator[Array]:
    """Column totals of resampled sessions, in chunks that fit into memory."""
    rng = np.random.default_rng(seed)
    total = int(sessions.sum())
    shares = sessions / total
    chunk = max(1, _CHUNK_CELLS // len(sessions))
    for start in range(0, resamples, chunk):
        yield rng.multinomial(total, shares, size=min(chunk, resamples - start)) @ sums


def _pooled(sums: Array, sessions: Array, seed: int) -> tuple[Array, Array]:
    if len(sessions) <= _MOST_KINDS:
        return sums, sessions
    each = np.repeat(np.arange(len(sessions)), sessions.astype(np.int64))
    group = np.random.default_rng(seed).permutation(len(each)) % _POOLED_GROUPS
    pooled = np.zeros((_POOLED_GROUPS, sums.shape[1]))
    for column in range(sums.shape[1]):
        pooled[:, column] = np.bincount(group, weights=sums[each, column], minlength=_POOLED_GROUPS)
    return pooled, np.ones(_POOLED_GROUPS)


def _acceleration(sums: Array, sessions: Array, statistic: Statistic) -> float:
    """Skewness of the jackknife influence values over 6; each kind of session is left out once."""
    left_out = statistic(sessions @ sums - sums)
    known = ~np.isnan(left_out)
    times = sessions[known]
    centred = np.average(left_out[known], weights=times) - left_out[known]
    spread = float((times * centred**2).sum())
    return float((times * centred**3).sum() / (6 * spread**1.5)) if spread > 0 else 0.0


def _accelerated_quantiles(drawn: Array, observed: float, acceleration: float, level: float) -> Array:
    count = len(drawn)
    below = (np.sum(drawn < observed) + 0.5 * np.sum(drawn == observed)) / count
    bias = _NORMAL.inv_cdf(float(np.clip(below, 0.5 / count, 1 - 0.5 / count)))
    shares = []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        shifted = bias + _NORMAL.inv_cdf(tail)
        shares.append(_NORMAL.cdf(bias + shifted / (1 - acceleration * shifted)))
    return np.quantile(drawn, shares)
