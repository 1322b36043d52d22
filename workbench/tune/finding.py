"""What a search found, seen on the held-out prompts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.judge import Ledger, quick_sessions
from workbench.metrics.bootstrap import Interval, bootstrap, difference, ratio
from workbench.params import Params
from workbench.tune.evaluate import Kept, Part
from workbench.tune.goal import Goal
from workbench.tune.luck import Luck
from workbench.tune.search import Tried

Sums = NDArray[np.float64]


@dataclass(frozen=True)
class Finding:
    """Gains are changes of net help a prompt; all but `train_gain` are of held-out prompts.

    `gain` rests on judged memories alone; `worst` and `best` take all newly shown ones as unhelpful and as helpful.
    `lost_weighs`: what losing one used memory costs, counted in helpful ones.
    `client_losses`: used memories lost and used memories, by client.
    """

    train_gain: float
    luck: Luck
    train_used: int
    lost_weighs: float
    present: Ledger
    proposed: Ledger
    gain: float
    interval: Interval | None
    worst: float
    worst_interval: Interval | None
    best: float
    client_losses: Mapping[str, tuple[int, int]]

    @property
    def used_lost(self) -> int:
        """Used memories that the present configuration shows and the proposed one does not, on balance."""
        return self.proposed.used_lost - self.present.used_lost

    def as_json(self) -> dict[str, Any]:
        """The `holdout` part of a tuning result."""
        return {
            "current": self.present.as_json(),
            "proposed": self.proposed.as_json(),
            "net_help_gain": self.gain,
            "interval": _ends(self.interval),
            "if_new_unhelpful": {"net_help_gain": self.worst, "interval": _ends(self.worst_interval)},
            "if_new_helpful": {"net_help_gain": self.best},
            "clients": [
                {"client": client, "used": used, "used_lost": lost}
                for client, (lost, used) in self.client_losses.items()
            ],
        }


def find(goal: Goal, train_used: int, chosen: Tried, chance: Luck) -> Finding:
    """Look at the held-out part of `goal` under the present configuration and the chosen one."""
    part, current = goal.part, goal.part.in_force
    kept = goal.kept(chosen.params)
    worst, best = goal.bounds(kept)
    return Finding(
        train_gain=chosen.gain,
        luck=chance,
        train_used=train_used,
        lost_weighs=goal.stands_for * (1 + goal.noise_cost),
        present=part.ledger(current),
        proposed=part.ledger(chosen.params),
        gain=goal.gain(kept),
        interval=_interval(goal, chosen.params, cost_of_new=0.0),
        worst=worst,
        worst_interval=_interval(goal, chosen.params, cost_of_new=goal.noise_cost),
        best=best,
        client_losses=_client_losses(part, goal.present, kept),
    )


def _client_losses(part: Part, before: Kept, after: Kept) -> dict[str, tuple[int, int]]:
    lost, used = part.lost_by_client(before, after)
    return {name: (int(gone), int(own)) for name, gone, own in zip(part.clients, lost, used, strict=True)}


def _interval(goal: Goal, proposed: Params, cost_of_new: float) -> Interval | None:
    """95 % interval of the change of net help a prompt, by session bootstrap; a newly shown memory costs
    `cost_of_new`."""
    sessions = goal.part.labelled.sessions
    prompts = sessions["prompts"].to_numpy().astype(np.float64)
    columns = []
    for params in (goal.part.in_force, proposed):
        columns += [_net_help(goal, params, cost_of_new), prompts]
    return bootstrap(np.column_stack(columns), np.ones(len(prompts)), difference(ratio(0, 1), ratio(2, 3)))


def _net_help(goal: Goal, params: Params, cost_of_new: float) -> Sums:
    """Net help of each session."""
    part = goal.part
    numbers = part.labelled.sessions["session"].to_numpy()
    shown = quick_sessions(part.db, part.settings(params), part.labelled)
    net = np.zeros(int(numbers.max(initial=0)) + 1)
    used, unused = shown["used_kept"].to_numpy(), shown["unused_kept"].to_numpy()
    known = goal.net(used, used + unused)
    net[shown["session"].to_numpy()] = known - cost_of_new * shown["newly_shown"].to_numpy()
    own: Sums = net[numbers]
    return own


def _ends(interval: Interval | None) -> list[float] | None:
    return None if interval is None else interval.as_json()
