"""What a model says of the memories that a configuration newly shows: always a figure of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.estimate.hull import inside_hull, within_ranges
from workbench.estimate.logistic import Doubles
from workbench.estimate.model import Model, NoModel
from workbench.estimate.pairs import FEATURES, Pairs
from workbench.metrics.bootstrap import Interval

LABEL = "model estimate"
MOST_CHECKED = 500
_MOST_CORNERS = 5_000
_SEED = 20261202
_CHUNK = 5_000


@dataclass(frozen=True)
class Support:
    """Of `checked` newly shown pairs, drawn at random where there are more than MOST_CHECKED: how many lie within the
    convex hull of the shown ones in all FEATURES at once (`inside`), and how many within the range of each alone."""

    checked: int
    inside: int
    in_ranges: int

    @property
    def share(self) -> float | None:
        """The share inside the hull, 0..1; None without any."""
        return self.inside / self.checked if self.checked else None

    def sentence(self) -> str:
        """The same in words."""
        return (
            f"Support: {self.inside} of {self.checked} newly shown pairs lie between shown ones (convex hull), "
            f"{self.in_ranges} within the range of each signal alone; for the rest the model extrapolates, often "
            "too high."
        )

    def as_json(self) -> dict[str, Any]:
        """Counts and share."""
        return {"checked": self.checked, "inside_hull": self.inside, "within_ranges": self.in_ranges,
                "share": self.share, "said": self.sentence()}  # fmt: skip


@dataclass(frozen=True)
class Newly:
    """Of `count` newly shown pairs, how many would be used by the model (`helpful`), with the 95 % interval of that
    number over refits on resampled sessions and chance; None where no model may be used."""

    count: int
    helpful: float | None
    interval: Interval | None
    support: Support | None

    def net_help(self, helpful: float, noise_cost: float) -> float:
        """What they add to helpful minus noise cost times unhelpful ones, if so many help."""
        return helpful - noise_cost * (self.count - helpful)

    def change(self, known: float, prompts: int, noise_cost: float, stands_for: float = 1.0) -> dict[str, Any]:
        """The change of net help a prompt, by what is known (`known`) and by the model of the rest, and both bounds.
        Each use stands for so many helpful memories, as in what is known."""

        def total(used: float) -> float:
            helpful = min(stands_for * used, self.count)
            return known + self.net_help(helpful, noise_cost) / max(prompts, 1)

        return {
            "known": known,
            "estimated": None if self.helpful is None else total(self.helpful),
            "interval": self.interval and [total(self.interval.low), total(self.interval.high)],
            "all_bad": total(0.0),
            "all_good": total(float(self.count)),
        }

    def sentence(self) -> str:
        """How many would be used, in words, and how far that is supported."""
        if not self.count:
            return "Nothing is newly shown, so nothing has to be estimated."
        if self.helpful is None or self.interval is None:
            return f"{self.count} memories are newly shown; no model says how many help."
        support = f" {self.support.sentence()}" if self.support else ""
        return (
            f"By the model {self.helpful:.1f} (95 % interval {self.interval.low:.0f} to {self.interval.high:.0f}) of "
            f"{self.count} newly shown memories would be used.{support}"
        )

    def as_json(self) -> dict[str, Any]:
        """Counts, interval and support."""
        return {
            "label": LABEL,
            "newly_shown": self.count,
            "helpful": self.helpful,
            "interval": self.interval and self.interval.as_json(),
            "bounds": [0, self.count],
            "support": self.support and self.support.as_json(),
        }


def estimate_newly(model: Model | NoModel, newly: Pairs) -> Newly:
    """What the model says of newly shown pairs."""
    if isinstance(model, NoModel):
        return Newly(len(newly), None, None, None)
    support = supported(model, newly)
    if not model.usable:
        return Newly(len(newly), None, None, support)
    return Newly(len(newly), float(model.predict(newly).sum()), _interval(model, newly), support)


def supported(model: Model, newly: Pairs) -> Support:
    """How much of what is newly shown lies between the pairs that the model was fitted on."""
    rng = np.random.default_rng(_SEED)
    points = newly.values
    if len(points) > MOST_CHECKED:
        points = points[rng.choice(len(points), MOST_CHECKED, replace=False)]
    seen = np.unique(model.shown.values, axis=0)
    in_ranges = within_ranges(points, seen)
    if len(seen) > _MOST_CORNERS:
        seen = _corners(seen, rng)
    return Support(len(points), int(inside_hull(points, seen).sum()), int(in_ranges.sum()))


def _corners(seen: Doubles, rng: np.random.Generator) -> Doubles:
    """The outermost of many points: those that are farthest in one of many directions, so that their hull is that of
    all but for slivers, and never larger."""
    ways = rng.standard_normal((_MOST_CORNERS, len(FEATURES))) / np.where(seen.std(0) > 0, seen.std(0), 1)
    ways = np.vstack([ways, np.eye(len(FEATURES)), -np.eye(len(FEATURES))])
    farthest = [np.argmax(seen @ some.T, axis=0) for some in np.array_split(ways, 50)]
    found: Doubles = seen[np.unique(np.concatenate(farthest))]
    return found


def _interval(model: Model, newly: Pairs) -> Interval:
    """The central 95 % of how many help: each refit draws every pair."""
    rng = np.random.default_rng(_SEED)
    total = 0.0
    for start in range(0, len(newly), _CHUNK):
        some = Pairs(newly.values[start : start + _CHUNK], newly.clients[start : start + _CHUNK])
        total = total + rng.binomial(1, model.resampled(some)).sum(axis=1)
    if not len(newly):
        return Interval(0.0, 0.0)
    low, high = np.quantile(total, [0.025, 0.975])
    return Interval(float(low), float(high))
