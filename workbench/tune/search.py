"""The search itself: trials until the study has as many as asked for, then the simplest of the best."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import optuna
from optuna.trial import FrozenTrial

from workbench.params import KEYS, Params
from workbench.tune.evaluate import Goal, Kept
from workbench.tune.space import Space
from workbench.tune.study import completed

_SAME = 1e-12
_SIMPLER_MAY_COST = 0.01
_PLATEAU_KEEPS = 0.95

Progress = Callable[[int, int | None, str], None]


@dataclass(frozen=True, eq=False)
class Tried:
    """One configuration that was replayed on the training part."""

    number: int
    params: Params
    kept: Kept
    gain: float
    excess: float

    @property
    def feasible(self) -> bool:
        """Whether it keeps within every limit; `excess` is the sum of what oversteps them."""
        return self.excess <= 0


def run_trials(study: optuna.Study, space: Space, goal: Goal, trials: int, progress: Progress) -> list[Tried]:
    """Bring the study to `trials` completed trials and return all of them, replayed. Trial 0 is the present
    configuration, the next ones move one key each."""
    if not study.get_trials(deepcopy=False):
        for start in space.starts():
            study.enqueue_trial(start)
    tried = [_replayed(trial, space, goal) for trial in completed(study)]
    while len(tried) < trials:
        progress(len(tried), trials, "trials")
        trial = study.ask()
        params = space.suggest(trial)
        trial.set_user_attr("config", params.changed_from(space.current))
        one = _tried(trial.number, params, goal)
        for name, excess in goal.violations(one.kept).items():
            trial.set_constraint(name, excess)
        study.tell(trial, one.gain)
        tried.append(one)
    return tried


def _replayed(trial: FrozenTrial, space: Space, goal: Goal) -> Tried:
    return _tried(trial.number, space.current.replace(trial.user_attrs["config"]), goal)


def _tried(number: int, params: Params, goal: Goal) -> Tried:
    kept = goal.part.kept(params)
    excess = sum(max(0.0, over) for over in goal.violations(kept).values())
    return Tried(number, params, kept, goal.gain(kept), excess)


def best(tried: Sequence[Tried], space: Space) -> Tried | None:
    """The feasible configuration with the greatest gain, among equals the one nearest to the present; None without."""
    feasible = [one for one in tried if one.feasible]
    if not feasible:
        return None
    top = max(one.gain for one in feasible)
    return min(
        (one for one in feasible if one.gain >= top - _SAME), key=lambda one: (space.distance(one.params), one.number)
    )


def simplified(chosen: Tried, space: Space, goal: Goal) -> Tried:
    """Take every change back that is not worth it: keys return to the present value, the smallest moves first, as long
    as at most a hundredth of the gain is lost and no limit is overstepped."""
    floor = chosen.gain * (1 - _SIMPLER_MAY_COST)
    moved = sorted(
        chosen.params.changed_from(space.current),
        key=lambda name: (
            abs(float(chosen.params[name]) - float(space.current[name])) / (KEYS[name].high - KEYS[name].low)
        ),
    )
    for name in moved:
        simpler = _tried(chosen.number, chosen.params.replace({name: space.current[name]}), goal)
        if simpler.feasible and simpler.gain >= floor:
            chosen = simpler
    return chosen


def plateau(chosen: Tried, space: Space, goal: Goal) -> float | None:
    """Share of the configurations one step away that keep 95 % of the gain within the limits; None without a gain."""
    if chosen.gain <= 0:
        return None
    near = [_tried(chosen.number, params, goal) for params in space.neighbours(chosen.params)]
    return sum(one.feasible and one.gain >= _PLATEAU_KEEPS * chosen.gain for one in near) / len(near)


def pareto(tried: Sequence[Tried], space: Space, goal: Goal) -> list[Tried]:
    """Feasible configurations that no other one beats in used memories lost, noise removed, newly shown memories and
    distance from the present configuration at once; in order of used lost."""
    used = goal.part.used
    points = {
        one: (int((used & ~one.kept.judged).sum()), -int((~used & ~one.kept.judged).sum()), one.kept.newly_shown,
              space.distance(one.params))
        for one in tried if one.feasible
    }  # fmt: skip
    front = [one for one, point in points.items() if not any(_beats(other, point) for other in points.values())]
    unique = {points[one]: one for one in reversed(front)}
    return [unique[point] for point in sorted(unique)]


def _beats(point: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return point != other and all(a <= b for a, b in zip(point, other, strict=True))
