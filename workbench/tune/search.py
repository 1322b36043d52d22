"""The search itself: trials until the study has as many as asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import optuna
from optuna.exceptions import UpdateFinishedTrialError
from optuna.trial import FrozenTrial, TrialState

from workbench.params import Params, Value
from workbench.tune.evaluate import Kept
from workbench.tune.goal import Goal
from workbench.tune.prune import Box, worth_pruning
from workbench.tune.samplers import Proposer, costs
from workbench.tune.space import Space
from workbench.tune.study import completed, give_up

_SAME = 1e-12

Progress = Callable[[int, int | None, str], None]


@dataclass(frozen=True, eq=False)
class Tried:
    """One configuration that was replayed on the training part; `gain` is the cautious one (`Goal.cautious_gain`),
    `violations` says by how many memories it oversteps each limit."""

    number: int
    params: Params
    kept: Kept
    gain: float
    violations: Mapping[str, float]

    @cached_property
    def excess(self) -> float:
        """The sum of what oversteps the limits."""
        return sum(max(0.0, over) for over in self.violations.values())

    @property
    def feasible(self) -> bool:
        """Whether it keeps within every limit."""
        return self.excess <= 0


class Trials:
    """Replays configurations on the training part, `jobs` at a time, each distinct one once."""

    def __init__(self, space: Space, goal: Goal, jobs: int = 1) -> None:
        self.space, self.goal, self.jobs = space, goal, jobs
        self._box = Box.of(space)
        part = replace(goal.part, kernel=worth_pruning(goal.part.kernel, self._box))
        self._narrow = replace(goal, part=part)
        self._known: dict[Params, Kept] = {goal.part.in_force: goal.present}

    def one(self, number: int, params: Params) -> Tried:
        """Replay a configuration, unless it was replayed before."""
        return self.several({number: params})[0]

    def several(self, wanted: Mapping[int, Params]) -> list[Tried]:
        """Replay configurations by trial number, in that order."""
        new = [params for params in dict.fromkeys(wanted.values()) if params not in self._known]
        if len(new) > 1:
            with ThreadPoolExecutor(self.jobs) as pool:
                self._known.update(zip(new, pool.map(self._replayed, new), strict=True))
        elif new:
            self._known[new[0]] = self._replayed(new[0])
        return [self._tried(number, params) for number, params in wanted.items()]

    def _replayed(self, params: Params) -> Kept:
        goal = self._narrow if self._box.holds(self.goal.part.settings(params)) else self.goal
        return goal.kept(params)

    def _tried(self, number: int, params: Params) -> Tried:
        kept = self._known[params]
        return Tried(number, params, kept, self.goal.cautious_gain(kept), self.goal.violations(kept))


def run_trials(
    study: optuna.Study,
    trials: Trials,
    total: int,
    proposer: Proposer,
    progress: Progress,
    given: Sequence[Params] = (),
) -> list[Tried]:
    """Bring the study to `total` completed trials and return all of them, replayed. Trial 0 is the present
    configuration, then come those `given`, the next ones move one key each; after that half are proposed by the
    sampler and half lie near the best so far. With one job, an interrupted study goes on as if it had not been."""
    starts = trials.space.starts(*given)
    tried = caught_up(study, trials, [])
    while len(tried) < total:
        failed = len(study.get_trials(deepcopy=False, states=(TrialState.FAIL,)))
        progress(len(tried), total, f"trials, {failed} failed" if failed else "trials")
        study.sampler = proposer.after(len(tried), trials.space)
        size = min(trials.jobs, total - len(tried))
        waiting = len(study.get_trials(deepcopy=False, states=(TrialState.WAITING,)))
        for place in range(len(tried) + waiting, len(tried) + size):
            if values := _fixed(place, tried, trials.space, starts, proposer.seed):
                study.enqueue_trial(values)
        _batch(study, trials, proposer, size, total)
        tried = caught_up(study, trials, tried)
    give_up(study)
    return tried


def help_along(study: optuna.Study, trials: Trials, total: int, proposer: Proposer, progress: Progress) -> int:
    """Add trials to a study that another process leads, until it has `total`; returns how many were added."""
    added = 0
    while (done := len(completed(study))) < total:
        progress(done, total, f"trials, {added} of them from here")
        study.sampler = proposer.apart(trials.space)
        added += _batch(study, trials, proposer, min(trials.jobs, total - done), total)
    return added


def caught_up(study: optuna.Study, trials: Trials, tried: Sequence[Tried]) -> list[Tried]:
    """All completed trials in order: those `tried`, and whatever this or another process has completed since."""
    known = {one.number for one in tried}
    new = [trial for trial in completed(study) if trial.number not in known]
    found = trials.several({trial.number: _configuration(trial, trials.space) for trial in new})
    return sorted([*tried, *found], key=lambda one: one.number)


def _fixed(
    place: int, tried: Sequence[Tried], space: Space, starts: Sequence[dict[str, Value]], seed: int
) -> dict[str, Value] | None:
    """Parameters of the trial at `place` (0 is the first): a start, then by turns one that the sampler proposes (None)
    and one near the best so far."""
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


def _batch(study: optuna.Study, trials: Trials, proposer: Proposer, size: int, total: int) -> int:
    """Run `size` trials; returns how many of them counted. What ends when others have brought the study to `total`
    comes too late, and failed."""
    asked = [study.ask(trials.space.distributions) for _ in range(size)]
    wanted = {trial.number: trials.space.configured(trial.params) for trial in asked}
    for trial in asked:
        trial.set_user_attr("config", wanted[trial.number].changed_from(trials.space.current))
    found = trials.several(wanted)
    counted = 0
    for trial, one in zip(asked, found, strict=True):
        if len(completed(study)) < total:
            counted += _close(study, trial, one, trials, proposer)
        else:
            study.tell(trial, state=TrialState.FAIL, skip_if_finished=True)
    return counted


def _close(study: optuna.Study, trial: optuna.Trial, one: Tried, trials: Trials, proposer: Proposer) -> bool:
    """Tell the study what a trial found; False where another process has given the trial up meanwhile."""
    try:
        for name, excess in one.violations.items():
            trial.set_constraint(name, excess)
        trial.set_user_attr("gain", one.gain)
        pareto = costs(trials.space, trials.goal, one.params, one.kept)
        proposer.tell(study, trial, one.gain, one.excess, pareto)
    except UpdateFinishedTrialError:
        return False
    return True


def _configuration(trial: FrozenTrial, space: Space) -> Params:
    return space.current.replace(trial.user_attrs["config"])
