"""What a search maximises, and what it must not do."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from workbench.params import Params
from workbench.tune.evaluate import Kept, Part

LEAST_OF_A_CLIENT = 5


@dataclass(frozen=True)
class Goal:
    """Judged against the present configuration, which shows `present`.

    `tolerated_loss` and `max_newly_shown` are shares: of the used memories, and of the shown ones.
    """

    part: Part
    present: Kept
    noise_cost: float
    max_newly_shown: float
    tolerated_loss: float

    def kept(self, params: Params) -> Kept:
        """What `params` shows on the part."""
        return self.part.kept(params)

    def gain(self, kept: Kept) -> float:
        """Noise removed, times its cost, minus used memories lost, a prompt: the change of net help by what is known.
        A memory that the log never showed counts neither way; its share is limited instead."""
        more = kept.judged.astype(np.int8) - self.present.judged
        helpful = int(more[self.part.used].sum())
        return (helpful - self.noise_cost * (int(more.sum()) - helpful)) / max(self.part.prompts, 1)

    def bounds(self, kept: Kept) -> tuple[float, float]:
        """The gain if all newly shown memories were unhelpful, and if all were helpful."""
        gain, newly = self.gain(kept), kept.newly_shown - self.present.newly_shown
        ends = (gain - self.noise_cost * newly / max(self.part.prompts, 1), gain + newly / max(self.part.prompts, 1))
        return min(ends), max(ends)

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

    def copy_for_thread(self) -> Goal:
        """The same goal on a connection of its own; close its part's `db` in the end."""
        return replace(self, part=self.part.copy_for_thread())
