"""How far the probabilities of a model agree with what came, on sessions that it did not see."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from workbench.estimate.logistic import Doubles, log_loss
from workbench.estimate.pairs import Whole
from workbench.metrics.bootstrap import Interval, bootstrap, ratio
from workbench.metrics.wilson import wilson

_MOST_BINS = 10
_LEAST_USED = 5


@dataclass(frozen=True)
class Bin:
    """Shown pairs with probabilities from `low` to `high`: how many, how many were used, and the mean probability."""

    low: float
    high: float
    pairs: int
    used: int
    expected: float

    def as_json(self) -> dict[str, Any]:
        """The same with the rate that was seen and its 95 % interval."""
        interval = wilson(self.used, self.pairs)
        return {
            "from": self.low, "to": self.high, "pairs": self.pairs, "used": self.used, "mean_estimate": self.expected,
            "use_rate": self.used / self.pairs, "interval": interval and interval.as_json(),
        }  # fmt: skip


@dataclass(frozen=True)
class Scores:
    """Mean Brier score and log loss a pair; lower is better."""

    brier: float
    log_loss: float

    @classmethod
    def of(cls, p: Doubles, hits: Doubles) -> Scores:
        """Of the probabilities `p` of what came."""
        return cls(float(((p - hits) ** 2).mean()), float(log_loss(p, hits).mean()))

    def as_json(self) -> dict[str, float]:
        """Score to value."""
        return asdict(self)


@dataclass(frozen=True)
class Calibration:
    """Scores of the model, of what knows the place and the client alone (`nuisance`), and of the constant rate.

    `over_constant` and `over_nuisance` are the log loss a pair that the model saves, with 95 % intervals over sessions.
    `expected` is how many of the `pairs` it expected to be used; `used` were.
    """

    pairs: int
    used: int
    expected: float
    model: Scores
    nuisance: Scores
    constant: Scores
    over_nuisance: Interval | None
    over_constant: Interval | None
    bins: Sequence[Bin]

    @property
    def better(self) -> bool:
        """Whether the model is known to do better than both."""
        return self.as_good is None

    @property
    def as_good(self) -> str | None:
        """What does as well as the model, as far as is known; None where nothing does."""
        if not _above_zero(self.over_constant) or self.model.brier >= self.constant.brier:
            return "the constant use rate"
        return None if _above_zero(self.over_nuisance) else "place and client alone"

    def as_json(self) -> dict[str, Any]:
        """The part `calibration` of a model."""
        saved = {"constant": self.over_constant, "place_and_client": self.over_nuisance}
        return {
            "pairs": self.pairs,
            "used": self.used,
            "expected": self.expected,
            "scores": {
                name: one.as_json()
                for name, one in (
                    ("model", self.model), ("place_and_client", self.nuisance), ("constant", self.constant),
                )
            },
            "log_loss_saved": {name: one and one.as_json() for name, one in saved.items()},
            "better": self.better,
            "bins": [one.as_json() for one in self.bins],
        }  # fmt: skip


def calibration(model: Doubles, nuisance: Doubles, constant: Doubles, hits: Doubles, sessions: Whole) -> Calibration:
    """From the probabilities of each for every pair."""
    _, place = np.unique(sessions, return_inverse=True)
    return Calibration(
        pairs=len(hits),
        used=int(hits.sum()),
        expected=float(model.sum()),
        model=Scores.of(model, hits),
        nuisance=Scores.of(nuisance, hits),
        constant=Scores.of(constant, hits),
        over_nuisance=_saved(model, nuisance, hits, place),
        over_constant=_saved(model, constant, hits, place),
        bins=_bins(model, hits),
    )


def _saved(model: Doubles, other: Doubles, hits: Doubles, place: Whole) -> Interval | None:
    saved = log_loss(other, hits) - log_loss(model, hits)
    sums = np.column_stack([np.bincount(place, saved), np.bincount(place)]).astype(np.float64)
    return bootstrap(sums, np.ones(len(sums)), ratio(0, 1))


def _above_zero(interval: Interval | None) -> bool:
    return interval is not None and interval.low > 0


def _bins(model: Doubles, hits: Doubles) -> list[Bin]:
    """Bins with about as many pairs each, so few that about five used ones fall into each."""
    count = max(1, min(_MOST_BINS, int(hits.sum()) // _LEAST_USED))
    order = np.argsort(model, kind="stable")
    return [
        Bin(float(model[own[0]]), float(model[own[-1]]), len(own), int(hits[own].sum()), float(model[own].mean()))
        for own in np.array_split(order, count)
        if len(own)
    ]
