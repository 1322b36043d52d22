"""How much a search gains on labels that mean nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.tune.evaluate import Goal, Kept

SHUFFLES = 500
LEVEL = 0.95


@dataclass(frozen=True)
class Luck:
    """The best gain over all tried configurations, for each of `shuffles` shuffles of the labels; `bar` is its 95th
    percentile, which a real gain has to exceed."""

    shuffles: int
    median: float
    bar: float

    def as_json(self) -> dict[str, Any]:
        """The `luck` part of a tuning result."""
        return {"shuffles": self.shuffles, "median_gain": self.median, "bar": self.bar, "level": LEVEL}


def luck(goal: Goal, tried: Sequence[Kept], seed: int, shuffles: int = SHUFFLES) -> Luck:
    """Shuffle which judged memories were used, and take the best gain among the configurations `tried` that keep within
    the limits under those labels. Keeping the present configuration gains 0."""
    rng = np.random.default_rng(seed)
    part = goal.part
    used, judged = int(part.used.sum()), len(part.used)
    kept = np.stack([goal.present.judged, *(one.judged for one in tried)]).astype(np.float32)
    newly = np.array([goal.present.newly_shown, *(one.newly_shown for one in tried)], dtype=np.float64)
    within = np.array([True, *(_within(goal, one) for one in tried)])
    lost_of_present = kept[0] * (1 - kept)
    best = np.zeros(shuffles)
    for shuffle in range(shuffles):
        truth = np.zeros(judged, dtype=np.float32)
        truth[rng.choice(judged, size=used, replace=False)] = 1
        helpful = kept @ truth
        noise = kept.sum(axis=1) - helpful + newly
        gains = ((helpful - helpful[0]) - goal.noise_cost * (noise - noise[0])) / max(part.prompts, 1)
        allowed = within & (lost_of_present @ truth <= goal.tolerated_loss * used)
        best[shuffle] = max(0.0, float(gains[allowed].max(initial=0.0)))
    return Luck(shuffles, float(np.median(best)), float(np.quantile(best, LEVEL)))


def _within(goal: Goal, kept: Kept) -> bool:
    violations = goal.violations(kept)
    return violations["newly_shown"] <= 0 and violations["shown"] <= 0
