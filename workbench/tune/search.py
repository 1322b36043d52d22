"""The search itself: trials until the study has as many as asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import numpy as np
import optuna
from optuna.trial import FrozenTrial, TrialState

from workbench.params import Params, Value
from workbench.tune.evaluate import Kept
from workbench.tune.goal import Goal
from workbench.tune.space import Space
from workbench.tune.study import completed, sampler

_SAME = 1e-12

Progress = Callable[[int, int | None, str], None]


@dataclass(frozen=True, eq=False)
class Tried:
    """One configuration that was replayed on the training part; `violations` says by how many memories it oversteps
    each limit."""

    number: int
    params: Params
    kept: Kept
    gain: float
    violations: Mapping[str, float]

    @property
    def excess(self) -> float:
        """The sum of what oversteps the limits."""
        return sum(max(0.0, over) for over in self.violations.values())

    @property
    def feasible(self) -> bool:
        """Whether it keeps within every limit."""
        return self.excess <= 0


class Trials:
    """Replays configurations on the training part, `jobs` at a time, each distinct one once."""

    def __init__(self, space: Space, goal: Goal, goals: Sequence[Goal]) -> None:
        self.space, self.goal = space, goal
        self._goals = goals
        self._known: dict[Params, Kept] = {goal.part.in_force: goal.present}

    @property
    def jobs(self) -> int:
        """How many configurations are replayed at a time."""
        return len(self._goals)

    def one(self, number: int, params: Params) -> Tried:
        """Replay a configuration, unless it was replayed before."""
        return self.several({number: params})[0]

    def several(self, wanted: Mapping[int, Params]) -> list[Tried]:
        """Replay configurations by trial number, in that order."""
        new = [params for params in dict.fromkeys(wanted.values()) if params not in self._known]
        for start in range(0, len(new), self.jobs):
            batch = new[start : start + self.jobs]
            self._known.update(zip(batch, self._replayed(batch), strict=True))
        return [self._tried(number, params) for number, params in wanted.items()]

    def _replayed(self, batch: Sequence[Params]) -> list[Kept]:
        if len(batch) == 1:
            return [self.goal.kept(batch[0])]
        with ThreadPoolExecutor(len(batch)) as pool:
            return list(pool.map(Goal.kept, self._goals, batch))

    def _tried(self, number: int, params: Params) -> Tried:
        kept = self._known[params]
        return Tried(number, params, kept, self.goal.gain(kept), self.goal.violations(kept))


@contextmanager
def trials_on(space: Space, goal: Goal, jobs: int) -> Iterator[Trials]:
    """What replays trials on the part of `goal`; with several jobs on as many connections, each with its own copy."""
    with ExitStack() as stack:
        goals = [goal]
        for _ in range(jobs - 1):
            goals.append(goal.copy_for_thread())
            stack.callback(goals[-1].part.db.close)
        yield Trials(space, goal, goals)


def run_trials(study: optuna.Study, trials: Trials, total: int, seed: int, progress: Progress) -> list[Tried]:
    """Bring the study to `total` completed trials and return all of them, replayed. Trial 0 is the present
    configuration, the next ones move one key each; after that half are proposed by the sampler and half lie near
    the best so far. With one job, an interrupted study goes on as if it had not been."""
    tried = trials.several({trial.number: _configuration(trial, trials.space) for trial in completed(study)})
    while len(tried) < total:
        failed = len(study.get_trials(deepcopy=False, states=(TrialState.FAIL,)))
        progress(len(tried), total, f"trials, {failed} failed" if failed else "trials")
        study.sampler = sampler(seed, len(tried))
        size = min(trials.jobs, total - len(tried))
        waiting = len(study.get_trials(deepcopy=False, states=(TrialState.WAITING,)))
        for place in range(len(tried) + waiting, len(tried) + size):
            if given := _given(place, tried, trials.space, seed):
                study.enqueue_trial(given)
        tried += _batch(study, trials, size)
    return tried


def _given(place: int, tried: Sequence[Tried], space: Space, seed: int) -> dict[str, Value] | None:
    """Parameters of the trial at `place` (0 is the first): a start, then by turns one that the sampler proposes (None)
    and one near the best so far."""
    starts = space.starts()
    if place < len(starts):
        return starts[place]
    top = best(tried, space) if place % 2 else None
    return space.near(top.params, np.random.default_rng([seed, place])) if top else None


def best(tried: Sequence[Tried], space: Space) -> Tried | None:
    """The feasible configuration with the greatest gain, among equals the one nearest to the present; None without."""
    feasible = [one for one in tried if one.feasible]
    if not feasible:
        return None
    top = max(one.gain for one in feasible)
    return min(
        (one for one in feasible if one.gain >= top - _SAME), key=lambda one: (space.distance(one.params), one.number)
    )


def _batch(study: optuna.Study, trials: Trials, size: int) -> list[Tried]:
    asked = [study.ask() for _ in range(size)]
    wanted = {trial.number: trials.space.suggest(trial) for trial in asked}
    for trial in asked:
        trial.set_user_attr("config", wanted[trial.number].changed_from(trials.space.current))
    found = trials.several(wanted)
    for trial, one in zip(asked, found, strict=True):
        for name, excess in one.violations.items():
            trial.set_constraint(name, excess)
        study.tell(trial, one.gain)
    return found


def _configuration(trial: FrozenTrial, space: Space) -> Params:
    return space.current.replace(trial.user_attrs["config"])
