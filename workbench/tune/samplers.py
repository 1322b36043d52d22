"""What proposes the next trial, and what it is told of one that was tried."""

from __future__ import annotations

import secrets
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution
from optuna.samplers import BaseSampler, CmaEsSampler, NSGAIISampler, TPESampler
from optuna.trial import FrozenTrial

from workbench.params import Params, Value
from workbench.tune.evaluate import Kept
from workbench.tune.goal import Goal
from workbench.tune.request import CMAES, NSGAII
from workbench.tune.space import Space

Direction = Literal["minimize", "maximize"]

_STARTUP_TRIALS = 20
_POPULATION = 24


def costs(space: Space, goal: Goal, params: Params, kept: Kept) -> tuple[float, ...]:
    """What a Pareto front is drawn over, each the smaller the better: used memories lost, unused ones removed (as a
    negative number), newly shown ones, and distance from the present configuration."""
    used, judged = goal.part.used, kept.judged
    lost, removed = int((used & ~judged).sum()), int((~used & ~judged).sum())
    return lost, -removed, kept.newly_shown, space.distance(params)


class _Known:
    """A sampler of a space that is known: Optuna would gather it from all trials again for each new one."""

    def __init__(self, distributions: Mapping[str, BaseDistribution], **options: Any) -> None:
        super().__init__(**options)
        self._known = {name: one for name, one in sorted(distributions.items()) if not one.single()}

    def infer_relative_search_space(self, study: optuna.Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        """The ranges of the keys that are proposed together."""
        return self._known


class _CmaEs(_Known, CmaEsSampler):
    pass


class _Rest(TPESampler):
    """For what CMA-ES leaves over: a switch stays as it is, neighbours of the best turn it; TPE would look through all
    trials for it each time."""

    def __init__(self, present: Mapping[str, Value], **options: Any) -> None:
        super().__init__(**options)
        self._present = present

    def sample_independent(
        self, study: optuna.Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        """The value of one key."""
        if isinstance(param_distribution, CategoricalDistribution):
            return self._present[param_name]
        return super().sample_independent(study, trial, param_name, param_distribution)


class _NSGAII(_Known, NSGAIISampler):
    pass


@dataclass(frozen=True)
class Proposer:
    """The sampler `name` of Optuna, as a study needs it."""

    name: str
    seed: int

    @property
    def directions(self) -> Sequence[Direction]:
        """Of the values that a trial is told: the gain; or, for NSGA-II, the costs of a Pareto front."""
        return ["minimize"] * 4 if self.name == NSGAII else ["maximize"]

    def after(self, done: int, space: Space) -> BaseSampler:
        """What proposes the trial after `done` completed ones: the same after an interruption as without one."""
        return self._seeded((self.seed * 1_000_003 + done) % 2**32, space)

    def apart(self, space: Space) -> BaseSampler:
        """What proposes trials beside another process: never the same ones."""
        return self._seeded(secrets.randbits(32), space)

    def _seeded(self, seed: int, space: Space) -> BaseSampler:
        if self.name == CMAES:
            start = space.starts()[0]
            ranges = space.distributions.items()
            ordered = {name: one for name, one in ranges if not isinstance(one, CategoricalDistribution)}
            present = {name: value for name, value in start.items() if name in ordered}
            rest = _Rest(start, seed=seed, n_startup_trials=_STARTUP_TRIALS)
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "`x0`", FutureWarning)  # goes with Optuna 6, which names no other way
                return _CmaEs(
                    ordered, x0=present, n_startup_trials=_STARTUP_TRIALS, independent_sampler=rest,
                    warn_independent_sampling=False, seed=seed,
                )  # fmt: skip
        if self.name == NSGAII:
            return _NSGAII(space.distributions, population_size=_POPULATION, seed=seed)
        return TPESampler(seed=seed, n_startup_trials=_STARTUP_TRIALS)

    def tell(
        self, study: optuna.Study, trial: optuna.Trial, gain: float, excess: float, pareto: Sequence[float]
    ) -> None:
        """Close a trial. CMA-ES knows no limits: where a trial oversteps them by `excess` memories, that is what it is
        told, as a loss."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Constraints have been set", UserWarning)
            if self.name == NSGAII:
                study.tell(trial, pareto, skip_if_finished=True)
            else:
                value = -excess if self.name == CMAES and excess > 0 else gain
                study.tell(trial, value, skip_if_finished=True)


def gain_of(trial: FrozenTrial) -> float:
    """The gain of a completed trial, whatever its sampler was told."""
    return float(trial.user_attrs["gain"])
