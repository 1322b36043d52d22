"""How much a search gains on labels that mean nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.tune.evaluate import Bits, Kept
from workbench.tune.goal import Goal

SHUFFLES = 500
LEVEL = 0.95
_BLOCK = 64
_PARTS = 20


@dataclass(frozen=True)
class Luck:
    """The best gain over all tried configurations, for each of `shuffles` shuffles of the labels; `bar` is its 95th
    percentile, which a real gain has to exceed. `spread` are those gains at every twentieth of the shuffles, smallest
    first."""

    shuffles: int
    median: float
    bar: float
    spread: Sequence[float] = field(default=(), compare=False)

    def as_json(self) -> dict[str, Any]:
        """The `luck` part of a tuning result."""
        return {
            "shuffles": self.shuffles, "median_gain": self.median, "bar": self.bar, "level": LEVEL,
            "spread": list(self.spread),
        }  # fmt: skip


def luck(goal: Goal, tried: Sequence[Kept], seed: int, shuffles: int = SHUFFLES) -> Luck:
    """Shuffle which judged memories were used, within each stratum of sessions, and take the best gain among the
    configurations `tried` that keep within the limits under those labels. Keeping the present one gains 0."""
    part = goal.part
    places = shuffled(part.used, part.strata, shuffles, np.random.default_rng(seed))
    allowed = [one for one in _distinct(tried) if _shows_little_enough(goal, one)]
    best = np.zeros(shuffles)
    present = goal.present.judged
    for start in range(0, len(allowed), _BLOCK):
        block = allowed[start : start + _BLOCK]
        more = np.stack([one.judged.astype(np.int8) - present for one in block], axis=1)
        total = more.sum(axis=0, dtype=np.int64)
        for number, used in enumerate(places):
            at_used = more[used]
            helpful = at_used.sum(axis=0, dtype=np.int64)
            gains = helpful - goal.noise_cost * (total - helpful)
            within = (at_used < 0).sum(axis=0) <= goal.tolerated_loss * len(used)
            best[number] = max(best[number], float(gains[within].max(initial=0.0)))
    best /= max(part.prompts, 1)
    spread = np.quantile(best, np.linspace(0, 1, _PARTS + 1)).tolist()
    return Luck(shuffles, float(np.median(best)), float(np.quantile(best, LEVEL)), spread)


def shuffled(used: Bits, strata: NDArray[np.int64], shuffles: int, rng: np.random.Generator) -> list[NDArray[np.intp]]:
    """For each shuffle the places of the used labels: each stratum keeps how many it has."""
    mixed = np.flatnonzero(np.isin(strata, strata[used]))
    mixed = mixed[np.argsort(strata[mixed], kind="stable")]
    _, stratum, sizes = np.unique(strata[mixed], return_inverse=True, return_counts=True)
    rank = np.arange(len(mixed)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    quota = np.bincount(stratum, weights=used[mixed], minlength=len(sizes))[stratum]
    return [mixed[np.lexsort((rng.random(len(mixed)), stratum))[rank < quota]] for _ in range(shuffles)]


def _distinct(tried: Sequence[Kept]) -> list[Kept]:
    return list({(one.packed.tobytes(), one.newly_shown, one.set_aside): one for one in tried}.values())


def _shows_little_enough(goal: Goal, kept: Kept) -> bool:
    violations = goal.violations(kept)
    return violations["newly_shown"] <= 0 and violations["shown"] <= 0
