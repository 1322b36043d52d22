"""What a tuning run is asked to do."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from workbench.errors import BadInput
from workbench.params import key_of
from workbench.replay.selection import Selection

_NAME = re.compile(r"[\w.-]{1,80}")
OBJECTIVES = ("net_help",)


@dataclass(frozen=True)
class TuneRequest:
    """`trials` is the total of the study, also when it is resumed. `only` and `freeze` name keys.

    `noise_cost`: how many helpful memories one unhelpful memory outweighs. `max_newly_shown`: the largest share of
    shown memories of which nothing is known. `tolerated_loss`: the share of used memories that may be lost on the
    held-out part; the search itself allows half of it. `train_share`: the part of the prompts, oldest first, that
    trains.
    """

    study: str = "study"
    trials: int = 200
    seed: int = 1
    objective: str = "net_help"
    only: tuple[str, ...] = ()
    freeze: tuple[str, ...] = ()
    noise_cost: float = 0.1
    max_newly_shown: float = 0.10
    tolerated_loss: float = 0.10
    train_share: float = 0.7
    resume: bool = False
    selection: Selection = field(default_factory=Selection)

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.study):
            raise BadInput(f"A study cannot be called {self.study!r}; use letters, digits, dot, dash and underscore.")
        if self.trials < 1:
            raise BadInput(f"--trials must be at least 1, not {self.trials}.")
        if self.objective not in OBJECTIVES:
            raise BadInput(f"Unknown objective {self.objective!r}; choose from {', '.join(OBJECTIVES)}.")
        for name in (*self.only, *self.freeze):
            key_of(name)
