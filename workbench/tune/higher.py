"""What a higher threshold would be worth: that hangs on how many of the shown memories help, which opens do not say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.metrics.binomial import loss_ceiling
from workbench.params import KEYS, THRESHOLD, snap
from workbench.text import percent
from workbench.tune.evaluate import Bits
from workbench.tune.goal import Goal

_STEPS = 10
_LEAST_REMOVED = 30
_LEAST_SHARE = 0.1


@dataclass(frozen=True)
class Higher:
    """Under `threshold` the log would lose `removed` of its `shown` memories, `used` of these. That raises net help
    where less than the share `pays_below` (0..1) of the shown memories help, the used ones standing for all of them;
    for the share of used ones among the removed its upper 95 % bound is taken."""

    threshold: float
    removed: int
    used: int
    shown: int
    pays_below: float

    def as_json(self, assumed: float) -> dict[str, Any]:
        """The figures, and what they say beside the `assumed` share of helpful memories."""
        return {"threshold": self.threshold, "removed": self.removed, "used": self.used, "shown": self.shown,
                "pays_below": self.pays_below, "said": self.sentence(assumed)}  # fmt: skip

    def sentence(self, assumed: float) -> str:
        """In words."""
        return (
            f"A threshold of {self.threshold:g} would take away {self.removed} of {self.shown} shown memories, "
            f"{self.used} of them used; that pays if fewer than {percent(self.pays_below)} of the shown memories help "
            f"(assumed here: {percent(assumed)}). Answers by hand on some of them tell."
        )


def higher(goals: Sequence[Goal]) -> Higher | None:
    """The higher threshold that pays at the largest share of helpful memories, on all parts of the log together; None
    where none takes away enough to tell, or none pays even if nothing helps but what was used."""
    key, present = KEYS[THRESHOLD], float(goals[0].part.in_force[THRESHOLD])
    tried = (snap(key, present + step * key.step) for step in range(1, _STEPS + 1))
    found = [one for value in tried if value <= key.high and (one := _at(goals, float(value)))]
    return max(found, key=lambda one: one.pays_below, default=None)


def _at(goals: Sequence[Goal], threshold: float) -> Higher | None:
    was, stays, used = (np.concatenate(bits) for bits in zip(*(_bits(goal, threshold) for goal in goals), strict=True))
    gone = was & ~stays
    shown, removed, lost = int(was.sum()), int(gone.sum()), int((gone & used).sum())
    if removed < max(_LEAST_REMOVED, _LEAST_SHARE * shown):
        return None
    cost = goals[0].noise_cost
    stands_for = cost / ((1 + cost) * loss_ceiling(lost, removed))
    if stands_for <= 1:
        return None
    return Higher(threshold, removed, lost, shown, min(1.0, stands_for * int((was & used).sum()) / shown))


def _bits(goal: Goal, threshold: float) -> tuple[Bits, Bits, Bits]:
    """For each judged pair whether it is shown today, whether under the threshold, and whether it was used."""
    higher = goal.kept(goal.part.in_force.replace({THRESHOLD: threshold}))
    return goal.present.judged, higher.judged, goal.part.used
