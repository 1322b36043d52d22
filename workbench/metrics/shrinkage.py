"""Rates of many small groups, drawn towards what all have in common: an empirical Bayes beta-binomial model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import lgamma

import numpy as np
import numpy.typing as npt

from workbench.metrics.bootstrap import Interval

_GRID = 41
_DRAWS = 20_000
_SEED = 1

Doubles = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Shrunk:
    """The rate of a group, 0..1, as a compromise between its own and that of all, with its 95 % interval."""

    rate: float
    interval: Interval


@dataclass(frozen=True)
class Prior:
    """What the groups have in common: their `mean` rate, and as how many trials it counts: `strengths` with their
    `weights`, which add up to 1. What is not known of the strength thus widens the intervals."""

    mean: float
    strengths: Doubles
    weights: Doubles

    @classmethod
    def of(cls, groups: Sequence[tuple[int, int]]) -> Prior | None:
        """Fit the prior to (hits, trials) of each group: the pooled rate, and strengths from one trial to as many as
        there are, weighted by their likelihood. None without any trial."""
        trials = sum(count for _, count in groups)
        if not trials:
            return None
        mean = (sum(hits for hits, _ in groups) + 0.5) / (trials + 1)
        strengths = np.geomspace(1, max(2, trials), _GRID)
        likelihoods = np.array([_log_likelihood(groups, mean, float(strength)) for strength in strengths])
        weights = np.exp(likelihoods - likelihoods.max())
        return cls(mean, strengths, weights / weights.sum())

    @property
    def strength(self) -> float:
        """As how many trials the common rate counts, on average."""
        return float(self.weights @ self.strengths)

    def shrink(self, hits: int, trials: int) -> Shrunk:
        """The posterior mean of a group's rate and the central 95 % of its posterior."""
        a = self.mean * self.strengths + hits
        b = (1 - self.mean) * self.strengths + trials - hits
        rng = np.random.default_rng(_SEED)
        chosen = rng.choice(len(self.strengths), _DRAWS, p=self.weights)
        low, high = np.quantile(rng.beta(a[chosen], b[chosen]), [0.025, 0.975])
        rate = float(self.weights @ (a / (a + b)))
        return Shrunk(rate, Interval(min(rate, float(low)), max(rate, float(high))))


def _log_likelihood(groups: Sequence[tuple[int, int]], mean: float, strength: float) -> float:
    """Of the beta-binomial distribution, up to what does not depend on the strength."""
    a, b = mean * strength, (1 - mean) * strength
    return sum(
        lgamma(a + hits) + lgamma(b + trials - hits) - lgamma(strength + trials) - lgamma(a) - lgamma(b)
        + lgamma(strength)
        for hits, trials in groups
    )  # fmt: skip
