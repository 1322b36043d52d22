"""How much a search gains on labels that mean nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.params import Params
from workbench.tune.evaluate import Bits
from workbench.tune.goal import Goal
from workbench.tune.search import Progress, Trials, Tried

SHUFFLES = 200
LEVEL = 0.95
_PARTS = 20
# The searches on shuffled labels share their trials: whatever one tries is scored under the labels of all. New trials
# are made for the shuffles that have gained most, because the bar lies there.
_FEWEST, _MOST = 400, 1000
_LEADING = 0.15

Whole = NDArray[np.intp]


@dataclass(frozen=True)
class Luck:
    """The best gain of a search on each of `shuffles` shuffles of the labels; `bar` is its 95th percentile, which a
    real gain has to exceed. `configurations` were tried for it. `spread` are those gains at every twentieth of the
    shuffles, smallest first."""

    shuffles: int
    median: float
    bar: float
    configurations: int = 0
    spread: Sequence[float] = field(default=(), compare=False)

    def as_json(self) -> dict[str, Any]:
        """The `luck` part of a tuning result."""
        return {
            "shuffles": self.shuffles, "configurations": self.configurations, "median_gain": self.median,
            "bar": self.bar, "level": LEVEL, "spread": list(self.spread),
        }  # fmt: skip


def luck(
    trials: Trials,
    tried: Sequence[Tried],
    seed: int,
    shuffles: int = SHUFFLES,
    more: int | None = None,
    progress: Progress = lambda done, total, what: None,
) -> Luck:
    """Shuffle which judged memories were used, within each stratum of sessions, and search on each shuffle.

    What the study `tried` counts for all of them; then `more` trials (None: as many as the study has, within bounds)
    move the best of one shuffle after the other a little, as the study does. A configuration counts where it keeps
    within the limits under the labels of the shuffle; keeping the present one gains 0. A seed gives the same each time.
    """
    rng = np.random.default_rng(seed)
    part = trials.goal.part
    searches = _Searches(trials.goal, shuffled(part.used, part.strata, shuffles, rng))
    for one in tried:
        searches.add(one)
    more = min(max(len(tried), _FEWEST), _MOST) if more is None else more
    for number in range(more):
        if number % 50 == 0:
            progress(number, more, "trials on shuffled labels")
        start = searches.leader(rng)
        moved = trials.space.near(trials.goal.part.in_force if start is None else start, rng)
        searches.add(trials.one(-1, trials.space.configured(moved)))
    gains = searches.gains / max(part.prompts, 1)
    spread = np.quantile(gains, np.linspace(0, 1, _PARTS + 1)).tolist()
    return Luck(shuffles, float(np.median(gains)), float(np.quantile(gains, LEVEL)), searches.tried, spread)


class _Searches:
    """The best so far on each of the label sets `places` (the judged pairs that are taken as used)."""

    def __init__(self, goal: Goal, places: Sequence[Whole]) -> None:
        self._goal = goal
        self._places = np.array(places, dtype=np.intp).reshape(len(places), -1)
        self._present = goal.present.judged.astype(np.int8)
        self._best: list[Params | None] = [None] * len(places)
        self._seen: set[tuple[bytes, int, int]] = set()
        self.gains = np.zeros(len(places))

    @property
    def tried(self) -> int:
        """How many configurations were scored that differ in what they show."""
        return len(self._seen)

    def add(self, one: Tried) -> None:
        """Score a configuration under all label sets."""
        kept = one.kept
        key = (kept.packed.tobytes(), kept.newly_shown, kept.set_aside)
        if key in self._seen:
            return
        self._seen.add(key)
        if one.violations["newly_shown"] > 0 or one.violations["shown"] > 0:
            return
        more = kept.judged.astype(np.int8) - self._present
        at_used = more[self._places]
        unknown = kept.newly_shown - self._goal.present.newly_shown
        gains = self._goal.net(at_used.sum(axis=1, dtype=np.int64), int(more.sum(dtype=np.int64)) + unknown)
        within = (at_used < 0).sum(axis=1) <= self._goal.tolerated_loss * self._places.shape[1]
        for better in np.flatnonzero(within & (gains > self.gains)):
            self.gains[better] = gains[better]
            self._best[better] = one.params

    def leader(self, rng: np.random.Generator) -> Params | None:
        """The best configuration on one of the label sets that have gained most; None where none has."""
        count = max(1, round(_LEADING * len(self.gains)))
        leading = np.argsort(-self.gains, kind="stable")[:count]
        return self._best[int(rng.choice(leading))]


def shuffled(used: Bits, strata: NDArray[np.int64], shuffles: int, rng: np.random.Generator) -> list[Whole]:
    """For each shuffle the places of the used labels: each stratum keeps how many it has."""
    mixed = np.flatnonzero(np.isin(strata, strata[used]))
    mixed = mixed[np.argsort(strata[mixed], kind="stable")]
    _, stratum, sizes = np.unique(strata[mixed], return_inverse=True, return_counts=True)
    rank = np.arange(len(mixed)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    quota = np.bincount(stratum, weights=used[mixed], minlength=len(sizes))[stratum]
    return [mixed[np.lexsort((rng.random(len(mixed)), stratum))[rank < quota]] for _ in range(shuffles)]
