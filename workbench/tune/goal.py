"""What a search maximises, and what it must not do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.params import Params
from workbench.tune.evaluate import Kept, Part

LEAST_OF_A_CLIENT = 5

Number = float | NDArray[Any]


@dataclass(frozen=True)
class Goal:
    """Judged against the present configuration, which shows `present`.

    `tolerated_loss` and `max_newly_shown` are shares: of the used memories, and of the shown ones. A used memory stands
    for `stands_for` helpful ones, because most help leaves no mark (`helpful_for_each_used`).
    """

    part: Part
    present: Kept
    noise_cost: float
    max_newly_shown: float
    tolerated_loss: float
    stands_for: float = 1.0

    def kept(self, params: Params) -> Kept:
        """What `params` shows on the part."""
        return self.part.kept(params)

    def gain(self, kept: Kept) -> float:
        """Noise removed, times its cost, minus helpful memories lost, a prompt: the change of net help by what is
        known. A memory that the log never showed counts neither way; its share is limited instead."""
        more = kept.judged.astype(np.int8) - self.present.judged
        return float(self.net(int(more[self.part.used].sum()), int(more.sum())) / max(self.part.prompts, 1))

    def net(self, used: Number, shown: Number) -> Any:
        """The net help of `shown` memories of which `used` were used; likewise of a change, and of arrays."""
        helpful = self.stands_for * used
        return helpful - self.noise_cost * (shown - helpful)

    def cautious_gain(self, kept: Kept) -> float:
        """What a search pursues: the gain if all newly shown memories were unhelpful, so that showing an unknown memory
        in place of a known one never looks like progress."""
        return self.gain(kept) - self.noise_cost * self.newly(kept) / max(self.part.prompts, 1)

    def bounds(self, kept: Kept) -> tuple[float, float]:
        """The gain if all newly shown memories were unhelpful, and if all were helpful."""
        ends = (self.cautious_gain(kept), self.gain(kept) + self.newly(kept) / max(self.part.prompts, 1))
        return min(ends), max(ends)

    def newly(self, kept: Kept) -> int:
        """How many more memories that the log never showed it shows than the present configuration does."""
        return kept.newly_shown - self.present.newly_shown

    def violations(self, kept: Kept) -> dict[str, float]:
        """By how many memories each limit is overstepped; 0 or less is within it. A client may lose twice the share of
        used memories that all together may; the present configuration keeps within every limit."""
        lost, used = self.part.lost_by_client(self.present, kept)
        own = (lost - 2 * self.tolerated_loss * used)[used >= LEAST_OF_A_CLIENT]
        new = max(self.max_newly_shown * kept.shown, self.present.newly_shown)
        return {
            "used_lost": int(lost.sum()) - self.tolerated_loss * int(used.sum()),
            "client_used_lost": float(own.max(initial=-1.0)),
            "newly_shown": kept.newly_shown - new,
            "shown": float(kept.shown - self.present.shown),
        }


def helpful_for_each_used(part: Part, helpful_share: float) -> float:
    """How many helpful memories each used one stands for, at least 1, if `helpful_share` of the shown ones helped."""
    used = int(part.used.sum())
    return max(1.0, helpful_share * len(part.used) / used) if used else 1.0
