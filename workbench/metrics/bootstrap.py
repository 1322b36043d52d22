"""Cluster bootstrap: sessions are drawn with replacement, figures are ratios of their sums."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import inf, isfinite, isnan, sqrt
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

RESAMPLES = 1000
SEED = 20260301
_MOST_KINDS = 1_000
_CHUNK = 500
_STEP = 1e-30


@dataclass(frozen=True)
class Interval:
    """Both ends included."""

    low: float
    high: float

    def as_json(self) -> list[float]:
        """[low, high]."""
        return [self.low, self.high]


class Estimator(Protocol):
    """A smooth function of column sums, with its derivatives and its bounds."""

    @property
    def low(self) -> float:
        """The least value it can take."""

    @property
    def high(self) -> float:
        """The largest value it can take."""

    def values(self, totals: Array) -> Array:
        """Its value for each row of column totals; NaN where it is not defined."""

    def gradient(self, totals: Array) -> Array:
        """Its derivative by each column total, for each row of totals."""


@dataclass(frozen=True)
class Statistic:
    """A sum of ratios of column sums: (column above, column below, sign) for each; within `low`..`high`."""

    terms: tuple[tuple[int, int, int], ...]
    low: float = -inf
    high: float = inf

    def values(self, totals: Array) -> Array:
        """The statistic for each row of column totals; NaN where a denominator is 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            parts = [sign * totals[:, top] / totals[:, below] for top, below, sign in self.terms]
        added: Array = np.sum(parts, axis=0)
        return added

    def gradient(self, totals: Array) -> Array:
        """Derivative by each column total, for each row of totals."""
        slopes = np.zeros_like(totals)
        with np.errstate(divide="ignore", invalid="ignore"):
            for top, below, sign in self.terms:
                slopes[:, top] += sign / totals[:, below]
                slopes[:, below] -= sign * totals[:, top] / totals[:, below] ** 2
        return slopes


@dataclass(frozen=True)
class Smooth:
    """Any `function` of the columns of totals that complex numbers may go through; within `low`..`high`."""

    function: Callable[[NDArray[Any]], NDArray[Any]]
    low: float = -inf
    high: float = inf

    def values(self, totals: Array) -> Array:
        """The function of each row of totals."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self.function(totals), dtype=np.float64)

    def gradient(self, totals: Array) -> Array:
        """Derivative by each column total, by a complex step (Squire and Trapp 1998), which loses no digits."""
        slopes = np.empty_like(totals)
        moved = totals.astype(np.complex128)
        with np.errstate(divide="ignore", invalid="ignore"):
            for column in range(totals.shape[1]):
                moved[:, column] += _STEP * 1j
                slopes[:, column] = self.function(moved).imag / _STEP
                moved[:, column] = totals[:, column]
        return slopes


def ratio(top: int, below: int, low: float = -inf, high: float = inf) -> Statistic:
    """The sum of column `top` over the sum of column `below`."""
    return Statistic(((top, below, 1),), low, high)


def difference(first: Statistic, second: Statistic) -> Statistic:
    """`second` minus `first` on the same resampled sessions: the paired difference."""
    minus = tuple((top, below, -sign) for top, below, sign in first.terms)
    return Statistic((*second.terms, *minus), second.low - first.high, second.high - first.low)


def bootstrap(
    sums: Array,
    sessions: Array,
    statistic: Estimator,
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    symmetric: bool = False,
) -> Interval | None:
    """Studentised bootstrap interval (Efron 1981, Hall 1988) of `statistic` over resampled sessions.

    A row of `sums` holds the column sums of one kind of session, `sessions` how many there are of that kind. Above
    1,000 kinds, sessions are pooled at random into 1,000 groups and these are resampled. The same seed gives the same
    interval. None where there are fewer than two sessions, no data, no variation, or an end that the data leave open.

    Studentised because on sparse use the percentile and accelerated intervals covered too little: 85..94 % for a
    nominal 95 %, against 93..97 % (`tests/test_metrics_intervals.py` repeats the measurement for this one). `symmetric`
    intervals reach as far up as down: for a difference between two sets of pairs, whose skewness nearly cancels, they
    covered 96 % with 30 uses in all where the others covered 91 %.
    """
    sums, sessions = _pooled(sums, sessions, seed)
    count = float(sessions.sum())
    if count < 2:
        return None
    values, errors = _estimate((sessions @ sums)[None], _moments(sums, sessions), statistic, count)
    value, error = float(values[0]), float(errors[0])
    if isnan(value) or not error > 0:
        return None
    spread = _studentised(sums, sessions, statistic, value, resamples, seed)
    if len(spread) < resamples / 2:
        return None
    below, above = _reaches(spread, level, symmetric=symmetric)
    low, high = max(statistic.low, value - above * error), min(statistic.high, value - below * error)
    return Interval(float(low), float(high)) if isfinite(low) and isfinite(high) else None


def _reaches(spread: Array, level: float, *, symmetric: bool) -> tuple[float, float]:
    """The quantiles of the studentised resamples that hold `level` of them."""
    if symmetric:
        reach = float(np.quantile(np.abs(spread), level, method="nearest"))
        return -reach, reach
    below, above = np.quantile(spread, [(1 - level) / 2, (1 + level) / 2], method="nearest")
    return float(below), float(above)


def _studentised(sums: Array, sessions: Array, statistic: Estimator, value: float, resamples: int, seed: int) -> Array:
    """(resampled value - value) / resampled standard error; infinite where a resample shows no variation."""
    count = int(sessions.sum())
    width = sums.shape[1]
    columns = np.hstack([sums, (sums[:, :, None] * sums[:, None, :]).reshape(len(sums), -1)])
    parts = []
    even = bool((sessions == 1).all())
    for weights in _even_draws(count, resamples, seed) if even else _draws(sessions, resamples, seed):
        drawn = weights @ columns
        moments = drawn[:, width:].reshape(-1, width, width)
        values, errors = _estimate(drawn[:, :width], moments, statistic, count)
        with np.errstate(divide="ignore", invalid="ignore"):
            parts.append((values - value) / errors)
    spread = np.concatenate(parts)
    return spread[~np.isnan(spread)]


def _draws(sessions: Array, resamples: int, seed: int) -> Iterator[Array]:
    """How often each kind of session comes in each resample, a row a resample, _CHUNK of them at a time."""
    rng = np.random.default_rng(seed)
    count = int(sessions.sum())
    for start in range(0, resamples, _CHUNK):
        yield rng.multinomial(count, sessions / count, size=min(_CHUNK, resamples - start)).astype(np.float64)


@lru_cache(maxsize=2)
def _even_draws(count: int, resamples: int, seed: int) -> list[Array]:
    """_draws of `count` sessions of a kind each: of a long log the same for every figure."""
    return list(_draws(np.ones(count), resamples, seed))


def _estimate(totals: Array, moments: Array, statistic: Estimator, count: float) -> tuple[Array, Array]:
    """Value and delta-method standard error for each row of totals and their second moments."""
    slopes = statistic.gradient(totals)
    variance = np.einsum("bi,bij,bj->b", slopes, moments, slopes)
    return statistic.values(totals), np.sqrt(np.maximum(variance, 0)) * sqrt(count / (count - 1))


def _moments(sums: Array, sessions: Array) -> Array:
    moments: Array = (sums.T * sessions) @ sums
    return moments[None]


def _pooled(sums: Array, sessions: Array, seed: int) -> tuple[Array, Array]:
    if len(sessions) <= _MOST_KINDS:
        return sums, sessions
    each = np.repeat(np.arange(len(sessions)), sessions.astype(np.int64))
    group = np.random.default_rng(seed).permutation(len(each)) % _MOST_KINDS
    pooled = [np.bincount(group, weights=column[each], minlength=_MOST_KINDS) for column in sums.T]
    return np.column_stack(pooled), np.ones(_MOST_KINDS)
