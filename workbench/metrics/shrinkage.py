"""Rates of many small groups, drawn towards what all have in common: a Bayesian beta-binomial model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import lgamma, log
from typing import Any

import numpy as np
import numpy.typing as npt

from workbench.metrics.bootstrap import Interval

_MEANS, _STRENGTHS = 25, 21
_LOGIT_REACH = 2.0
_DRAWS = 20_000
_SEED = 1

Doubles = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_log_gamma = np.vectorize(lgamma, otypes=[np.float64])


@dataclass(frozen=True)
class Shrunk:
    """The rate of a group, 0..1, as a compromise between its own and that of all, with its 95 % interval."""

    rate: float
    interval: Interval


@dataclass(frozen=True)
class Sessions:
    """How hits and trials of one group spread over its sessions: sums over the sessions of hits squared, hits times
    trials, and trials squared."""

    hits_squared: float
    hits_trials: float
    trials_squared: float


def design_effect(groups: Sequence[tuple[float, float]], sessions: Sequence[Sessions]) -> float:
    """As how many times fewer independent trials the trials of the groups, (hits, trials) each, count, because those of
    a session are alike: the variance of the rates by session over the binomial one, at least 1.

    The variance is itself estimated, from few sessions a group: it is multiplied by that of Student's distribution with
    as many degrees of freedom as a group has independent sessions (Kish 1965) less one, at most by 2.
    """
    between = within = 0.0
    for (hits, trials), spread in zip(groups, sessions, strict=True):
        rate = hits / trials if trials else 0.0
        between += spread.hits_squared - 2 * rate * spread.hits_trials + rate * rate * spread.trials_squared
        within += trials * rate * (1 - rate)
    seen = sum(trials > 0 for _, trials in groups)
    if not within or not seen:
        return 1.0
    independent = sum(trials for _, trials in groups) ** 2 / sum(spread.trials_squared for spread in sessions)
    freedom = independent / seen - 1
    few = (freedom + 1) / (freedom - 2) if freedom > 5 else 2.0
    return max(1.0, between / within * few)


@dataclass(frozen=True)
class Prior:
    """What the groups have in common: rates in `means`, as how many trials each counts (`strengths`), and their
    `weights`, which add up to 1. What is not known of either thus widens the intervals. A group's own trials count
    `inflation` times fewer."""

    means: Doubles
    strengths: Doubles
    weights: Doubles
    inflation: float = 1.0

    @classmethod
    def of(cls, groups: Sequence[tuple[int, int]], inflation: float = 1.0) -> Prior | None:
        """The posterior of rate and strength from (hits, trials) of each group: on a grid, rates around the pooled one
        with equal weight by logit, strengths from one trial to as many as there are with weight 1 / strength by
        logarithm. None without any trial."""
        trials = sum(count for _, count in groups)
        if not trials:
            return None
        pooled = (sum(hits for hits, _ in groups) + 0.5) / (trials + 1)
        logits = log(pooled / (1 - pooled)) + np.linspace(-_LOGIT_REACH, _LOGIT_REACH, _MEANS)
        strengths = np.geomspace(1, max(2, trials / inflation), _STRENGTHS)
        means, all_strengths = (axis.ravel() for axis in np.meshgrid(1 / (1 + np.exp(-logits)), strengths))
        scaled = [(hits / inflation, count / inflation) for hits, count in groups]
        likelihood = _log_likelihood(scaled, means, all_strengths) - np.log(all_strengths)
        weights = np.exp(likelihood - likelihood.max())
        return cls(means, all_strengths, weights / weights.sum(), inflation)

    @property
    def mean(self) -> float:
        """The common rate, on average."""
        return float(self.weights @ self.means)

    @property
    def strength(self) -> float:
        """As how many trials the common rate counts, on average."""
        return float(self.weights @ self.strengths)

    def shrink(self, hits: int, trials: int) -> Shrunk:
        """The posterior mean of a group's rate and the central 95 % of its posterior."""
        a, b = self._posterior(hits, trials)
        chosen, state = self._drawn
        rng = np.random.default_rng()
        rng.bit_generator.state = state
        low, high = np.quantile(rng.beta(a[chosen], b[chosen]), [0.025, 0.975])
        rate = self.rate(hits, trials)
        return Shrunk(rate, Interval(min(rate, float(low)), max(rate, float(high))))

    def rate(self, hits: int, trials: int) -> float:
        """The rate alone: the interval of `shrink` takes many times as long."""
        a, b = self._posterior(hits, trials)
        return float(self.weights @ (a / (a + b)))

    def _posterior(self, hits: int, trials: int) -> tuple[Doubles, Doubles]:
        successes, failures = hits / self.inflation, (trials - hits) / self.inflation
        return self.means * self.strengths + successes, (1 - self.means) * self.strengths + failures

    @cached_property
    def _drawn(self) -> tuple[Integers, Any]:
        """The points of the grid that every group's draws come from, and the generator's state after drawing them."""
        rng = np.random.default_rng(_SEED)
        chosen = rng.choice(len(self.strengths), _DRAWS, p=self.weights)
        return chosen, rng.bit_generator.state


def _log_likelihood(groups: Sequence[tuple[float, float]], means: Doubles, strengths: Doubles) -> Doubles:
    """Of the beta-binomial distribution for each mean and strength, up to what depends on neither."""
    a, b = means * strengths, (1 - means) * strengths
    kinds, times = np.unique(np.array(groups, dtype=np.float64).reshape(-1, 2), axis=0, return_counts=True)
    one = _log_gamma(strengths) - _log_gamma(a) - _log_gamma(b)
    found: Doubles = sum(
        (
            count * (one + _log_gamma(a + hits) + _log_gamma(b + trials - hits) - _log_gamma(strengths + trials))
            for (hits, trials), count in zip(kinds, times, strict=True)
        ),
        start=np.zeros_like(strengths),
    )
    return found
