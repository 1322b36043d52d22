"""A lower threshold, where what is shown just above it is opened often enough to say so.

The log knows nothing of what it did not show. But where the use rate falls slowly towards the threshold and is still
above break-even there, memories just below it pay for themselves even if nothing helped but what was opened.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.estimate.logistic import Doubles, chances, fit
from workbench.params import KEYS, THRESHOLD, Params
from workbench.tune.evaluate import Part
from workbench.tune.goal import Goal
from workbench.tune.space import Space

# The curve is followed no farther below the threshold than this: what helps falls off faster than a line in logits.
_REACH = 0.02
_SURE = 0.05
_RESAMPLES = 200
_SEED = 20261203
_FREE = 0.1


@dataclass(frozen=True)
class Edge:
    """What a configuration newly shows on a part, if its memories are used as the shown ones of their scores would be
    and nothing else helps: `newly` of them, `used` of these, `gain` the change of net help a prompt, and `least` its
    5th percentile over resampled groups of sessions."""

    newly: int
    used: float
    gain: float
    least: float

    def as_json(self) -> dict[str, Any]:
        """The figures by name."""
        return {"newly_shown": self.newly, "used": self.used, "net_help_gain": self.gain, "at_least": self.least}


@dataclass(frozen=True)
class Lower:
    """The configuration `params` with a lower threshold, and what it newly shows on the part that it was found on."""

    params: Params
    edge: Edge


def lower(goal: Goal, space: Space) -> Lower | None:
    """The present configuration with the lower threshold, at most _REACH away, that surely gains most on the part of
    `goal`; None where none does, or where the threshold is not to be moved."""
    key = KEYS[THRESHOLD]
    if key.name not in {one.name for one in space.keys}:
        return None
    present, lowest = float(space.current[THRESHOLD]), float(space.bounds(key)[0])
    steps = np.arange(key.step, _REACH + key.step / 2, key.step)
    tried = [space.configured({THRESHOLD: present - step}) for step in steps if present - step >= lowest]
    found = [Lower(params, seen) for params, seen in zip(tried, edges(goal, tried), strict=True)]
    best = max(found, key=lambda one: one.edge.least, default=None)
    return best if best and best.edge.least > 0 else None


def edges(goal: Goal, several: Sequence[Params]) -> list[Edge]:
    """What is newly shown under each of `several` configurations, by a regression of used or not on the present score
    of what was shown."""
    part = goal.part
    new = [part.newly_shown(params) for params in several]
    last = max((int(own.max()) for own in new if len(own)), default=-1)
    if last < 0 or not part.used.any():
        return [Edge(len(own), 0.0, 0.0, 0.0) for own in new]
    settings = part.settings(part.in_force)
    scores = part.kernel.scores(settings, part.kernel.best_rows(settings, last + 1))
    shown = scores[: len(part.used)]
    middle, spread = shown.mean(), max(float(shown.std()), 1e-9)
    fits = _fits(part, _line((shown - middle) / spread))
    return [_edge(goal, _line((scores[own] - middle) / spread), fits) for own in new]


def _edge(goal: Goal, columns: Doubles, fits: Sequence[Doubles]) -> Edge:
    """What the memories behind `columns` are worth by the fit to all, and by those to the resampled."""
    new = len(columns)
    whole, *resampled = (float(chances(columns @ found).sum()) for found in fits)

    def gain(used: float) -> float:
        return (used - goal.noise_cost * (new - used)) / max(goal.part.prompts, 1)

    return Edge(new, whole, gain(whole), gain(float(np.quantile(resampled, _SURE))))


def _fits(part: Part, columns: Doubles) -> list[Doubles]:
    """The regression on all judged pairs, then on resampled groups of sessions."""
    hits, free = part.used.astype(np.float64), np.array([0.0, _FREE])
    whole = fit(columns, hits, free)
    own, group = np.unique(part.strata, return_inverse=True)
    drawn = np.random.default_rng(_SEED).multinomial(len(own), np.full(len(own), 1 / len(own)), _RESAMPLES)
    return [whole, *(fit(columns, hits, free, weights=times[group].astype(np.float64), start=whole) for times in drawn)]


def _line(values: Doubles) -> Doubles:
    return np.column_stack([np.ones(len(values)), values])
