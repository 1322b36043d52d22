"""What a tuning run is asked to do."""

from __future__ import annotations

from dataclasses import dataclass, field

from workbench.errors import BadInput
from workbench.params import key_of
from workbench.params.files import is_file_name
from workbench.replay.selection import Selection

_MOST_JOBS = 64
OBJECTIVES = ("net_help",)
TPE, CMAES, NSGAII = SAMPLERS = ("tpe", "cmaes", "nsgaii")


@dataclass(frozen=True)
class TuneRequest:
    """`trials` is the total of the study, also when it is resumed. `only` and `freeze` name keys. `sampler`: TPE
    proposes best up to about a thousand trials, CMA-ES is quicker beyond, NSGA-II spreads over the Pareto front.

    `noise_cost`: what one unhelpful memory costs, counted in helpful ones. `helpful_share`: the share of the shown
    memories that may have helped; the used ones stand for them all, since what is read and not opened leaves no mark.
    `max_newly_shown_share`: the largest share of shown memories of which nothing is known. `tolerated_loss`: the share
    of used memories that may be lost. Both hold on the held-out part; the search keeps a distance from them.
    `storage`: the address of a database for the trials, which Optuna can use from several machines; None: a journal
    beside the store. `train_share`: the part of the prompts, oldest first, that trains. `jobs`: trials at a time; only
    one job gives the same study on every run.
    """

    study: str = "study"
    trials: int = 200
    seed: int = 1
    objective: str = "net_help"
    sampler: str = TPE
    only: tuple[str, ...] = ()
    freeze: tuple[str, ...] = ()
    noise_cost: float = 0.1
    helpful_share: float = 0.3
    max_newly_shown_share: float = 0.10
    tolerated_loss: float = 0.10
    train_share: float = 0.7
    jobs: int = 1
    resume: bool = False
    storage: str | None = None
    selection: Selection = field(default_factory=Selection)

    @property
    def searched_loss(self) -> float:
        """The share of used memories that the search may lose: half, because few used memories vary much."""
        return self.tolerated_loss / 2

    @property
    def searched_new_share(self) -> float:
        """The share of newly shown memories that the search allows: four fifths, because a search ends at its limit."""
        return self.max_newly_shown_share * 0.8

    def __post_init__(self) -> None:
        if not is_file_name(self.study):
            raise BadInput(f"A study cannot be called {self.study!r}; use letters, digits, dot, dash and underscore.")
        if self.trials < 1:
            raise BadInput(f"--trials must be at least 1, not {self.trials}.")
        if self.seed < 0:
            raise BadInput(f"--seed must not be negative: {self.seed}.")
        if not 1 <= self.jobs <= _MOST_JOBS:
            raise BadInput(f"--jobs must lie in 1 to {_MOST_JOBS}, not {self.jobs}.")
        if self.objective not in OBJECTIVES:
            raise BadInput(f"Unknown objective {self.objective!r}; choose from {', '.join(OBJECTIVES)}.")
        if self.sampler not in SAMPLERS:
            raise BadInput(f"Unknown sampler {self.sampler!r}; choose from {', '.join(SAMPLERS)}.")
        self._check_shares()
        for name in (*self.only, *self.freeze):
            key_of(name)

    def _check_shares(self) -> None:
        for name, value, low, high in (
            ("noise cost", self.noise_cost, 0.0, 100.0),
            ("share of helpful memories", self.helpful_share, 0.0, 1.0),
            ("share of newly shown memories", self.max_newly_shown_share, 0.0, 1.0),
            ("tolerated loss", self.tolerated_loss, 0.0, 1.0),
            ("share of prompts that trains", self.train_share, 0.1, 0.9),
        ):
            if not low <= value <= high:
                raise BadInput(f"The {name} must lie in {low:g} to {high:g}, not {value}.")
