"""The look at the held-out prompts, and what is said of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import optuna

from workbench.params import Params
from workbench.tune.choice import plateau
from workbench.tune.finding import Finding, find
from workbench.tune.goal import Goal
from workbench.tune.learned import Learned, ranking
from workbench.tune.lower import edge
from workbench.tune.luck import Luck
from workbench.tune.request import TuneRequest
from workbench.tune.result import on_many_looks, what_can_be_seen
from workbench.tune.search import Trials, Tried
from workbench.tune.study import count_look
from workbench.tune.verdict import Verdict, judge, judge_learned, judge_lower

# What goes beyond counting may take the place of what was counted under these.
_LEAVES_ROOM = (Verdict.KEEP.value, Verdict.TRIAL.value)


@dataclass(frozen=True)
class Beyond:
    """Configurations that show memories of which the log knows nothing, because the known ones speak for it: weights
    that were learned, and a lower threshold."""

    learned: Learned | None
    lower: Params | None

    @property
    def configurations(self) -> list[Params]:
        """Those that there are."""
        return [params for params in (self.learned and self.learned.params, self.lower) if params]


@dataclass(frozen=True)
class Sight:
    """What looks at the held-out part."""

    held_out: Goal
    trials: Trials
    request: TuneRequest
    study: optuna.Study
    chance: Luck
    elsewhere: int

    def judged(self, chosen: Tried) -> dict[str, Any]:
        """What the best feasible trial adds to the result."""
        finding, looks = self._look(chosen)
        verdict, reasons = judge(finding, self.request)
        found = self._said(chosen, finding, verdict, looks, reasons)
        return found | {"feasible": True, "luck": self.chance.as_json(), "plateau": plateau(chosen, self.trials)}

    def judged_beyond(self, beyond: Beyond, tried: Sequence[Tried], counted: dict[str, Any]) -> dict[str, Any]:
        """What goes beyond counting adds to the result `counted`; where it shows nothing new, counting has said all
        there is to say of it."""
        trial = {one.params: one for one in tried}
        learned = beyond.learned and trial.get(beyond.learned.params)
        added: dict[str, Any] = {}
        if (
            beyond.learned
            and learned
            and counted["verdict"] in _LEAVES_ROOM
            and self.trials.goal.newly(learned.kept) > 0
        ):
            added = self.judged_learned(learned, beyond.learned, Params(counted["config"]))
        lower = beyond.lower and trial.get(beyond.lower)
        if lower and added.get("verdict", counted["verdict"]) == Verdict.KEEP:
            added |= self.judged_lower(lower)
        return added

    def judged_learned(self, chosen: Tried, learned: Learned, counted: Params) -> dict[str, Any]:
        """What learned weights add to the result: a recommendation in place of `counted`, what can be recommended
        without them, or why not."""
        finding, looks = self._look(chosen)
        parts = self.trials.goal.part, self.held_out.part
        ranks = ranking(*parts, counted, chosen.params)
        verdict, reasons = judge_learned(finding, ranks, self.request)
        own = {
            "learned": {
                "trial": chosen.number,
                "changed": chosen.params.changed_from(self.trials.space.current),
                "ridge": learned.ridge,
                "unseen_log_loss_fall": learned.better,
                "ranking": ranks.as_json(),
                "reasons": reasons,
            }
        }
        if verdict is not Verdict.TRIAL:
            return own | {"looks": looks}
        return own | self._said(chosen, finding, verdict, looks, reasons) | {"plateau": plateau(chosen, self.trials)}

    def judged_lower(self, chosen: Tried) -> dict[str, Any]:
        """What a lower threshold adds to the result: a recommendation, or why not."""
        finding, looks = self._look(chosen)
        edges = {"train": edge(self.trials.goal, chosen.params), "holdout": edge(self.held_out, chosen.params)}
        verdict, reasons = judge_lower(finding, edges["holdout"])
        own = {
            "lower": {
                "trial": chosen.number,
                "changed": chosen.params.changed_from(self.trials.space.current),
                **{side: one.as_json() for side, one in edges.items()},
                "reasons": reasons,
            }
        }
        if verdict is not Verdict.TRIAL:
            return own | {"looks": looks}
        return own | self._said(chosen, finding, verdict, looks, reasons) | {"plateau": plateau(chosen, self.trials)}

    def _look(self, chosen: Tried) -> tuple[Finding, int]:
        goal = self.trials.goal
        looks = count_look(self.study, chosen.params.changed_from(self.trials.space.current))
        return find(self.held_out, int(goal.part.used.sum()), chosen, self.chance), looks

    def _said(
        self, chosen: Tried, finding: Finding, verdict: Verdict, looks: int, reasons: list[str]
    ) -> dict[str, Any]:
        goal, current = self.trials.goal, self.trials.space.current
        recommended = verdict in (Verdict.SAFE, Verdict.TRIAL)
        seen = what_can_be_seen(self.held_out.part).sentence()
        return {
            "verdict": verdict.value,
            "reasons": [*reasons, seen, *on_many_looks(looks, self.elsewhere)],
            "config": (chosen.params if recommended else current).as_flat(),
            "best_found": {
                "trial": chosen.number,
                "train_gain": chosen.gain,
                "changed": chosen.params.changed_from(current),
            },
            "train": {
                "current": goal.part.ledger(current).as_json(),
                "proposed": goal.part.ledger(chosen.params).as_json(),
                "net_help_gain": chosen.gain,
            },
            "holdout": finding.as_json(),
            "looks": looks,
            "looks_of_other_studies": self.elsewhere,
        }
