"""Which of the tried configurations is proposed, and what its surroundings look like."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.params import KEYS
from workbench.tune.goal import Goal
from workbench.tune.samplers import costs
from workbench.tune.search import Trials, Tried
from workbench.tune.space import Space

_SIMPLER_MAY_COST = 0.01
_PLATEAU_KEEPS = 0.95


def simplified(chosen: Tried, trials: Trials) -> Tried:
    """Take every change back that is not worth it: keys return to the present value, the smallest moves first, as long
    as at most a hundredth of the gain is lost and no limit is overstepped."""
    current = trials.space.current
    floor = chosen.gain * (1 - _SIMPLER_MAY_COST)
    moved = sorted(
        chosen.params.changed_from(current),
        key=lambda name: abs(float(chosen.params[name]) - float(current[name])) / (KEYS[name].high - KEYS[name].low),
    )
    for name in moved:
        simpler = trials.one(chosen.number, chosen.params.replace({name: current[name]}))
        if simpler.feasible and simpler.gain >= floor:
            chosen = simpler
    return chosen


def plateau(chosen: Tried, trials: Trials) -> float | None:
    """Share of the configurations one step away that keep 95 % of the gain within the limits; None without a gain."""
    if chosen.gain <= 0:
        return None
    near = trials.several(dict(enumerate(trials.space.neighbours(chosen.params))))
    return sum(one.feasible and one.gain >= _PLATEAU_KEEPS * chosen.gain for one in near) / len(near)


def pareto(tried: Sequence[Tried], space: Space, goal: Goal) -> list[Tried]:
    """Feasible configurations that no other one beats in used memories lost, noise removed, newly shown memories and
    distance from the present configuration at once; in order of used lost."""
    points = {one: costs(space, goal, one.params, one.kept) for one in tried if one.feasible}
    unique = {point: one for one, point in reversed(points.items())}
    return [unique[point] for point in sorted(unique) if not any(_beats(other, point) for other in unique)]


def _beats(point: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return point != other and all(a <= b for a, b in zip(point, other, strict=True))
