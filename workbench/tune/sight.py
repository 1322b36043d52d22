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
from workbench.tune.lower import Lower, edges
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
    lower: Lower | None

    @property
    def configurations(self) -> list[Params]:
        """Those that there are."""
        return [one.params for one in (self.learned, self.lower) if one]


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
        return found | {"feasible": True, "luck": self.chance.as_json()}

    def judged_beyond(self, beyond: Beyond, tried: Sequence[Tried], counted: dict[str, Any]) -> dict[str, Any]:
        """What goes beyond counting adds to the result `counted`; where it shows nothing new, counting has said all
        there is to say of it."""
        trial = {one.params: one for one in tried}
        added: dict[str, Any] = {}
        if beyond.learned and counted["verdict"] in _LEAVES_ROOM:
            own = trial.get(beyond.learned.params)
            if own and self.trials.goal.newly(own.kept) > 0:
                added = self._judged_learned(own, beyond.learned, Params(counted["config"]))
        if beyond.lower and added.get("verdict", counted["verdict"]) == Verdict.KEEP:
            own = trial.get(beyond.lower.params)
            if own:
                added |= self._judged_lower(own, beyond.lower)
        return added

    def _judged_learned(self, chosen: Tried, learned: Learned, counted: Params) -> dict[str, Any]:
        """What learned weights add to the result: a recommendation in place of `counted`, what can be recommended
        without them, or why not."""
        finding, looks = self._look(chosen)
        ranks = ranking(self.trials.goal.part, self.held_out.part, counted, chosen.params)
        verdict, reasons = judge_learned(finding, ranks, self.request)
        own = {"ridge": learned.ridge, "unseen_log_loss_fall": learned.better, "ranking": ranks.as_json()}
        return self._beside("learned", own, chosen, finding, verdict, looks, reasons)

    def _judged_lower(self, chosen: Tried, lower: Lower) -> dict[str, Any]:
        """What a lower threshold adds to the result: a recommendation, or why not."""
        finding, looks = self._look(chosen)
        (seen,) = edges(self.held_out, [chosen.params])
        verdict, reasons = judge_lower(finding, seen)
        own = {"train": lower.edge.as_json(), "holdout": seen.as_json()}
        return self._beside("lower", own, chosen, finding, verdict, looks, reasons)

    def _beside(
        self, name: str, own: dict[str, Any], chosen: Tried, finding: Finding, verdict: Verdict, looks: int,
        reasons: list[str],
    ) -> dict[str, Any]:  # fmt: skip
        """The part `name` of the result, and all that a recommendation replaces."""
        trial = {"trial": chosen.number, "changed": chosen.params.changed_from(self.trials.space.current)}
        part = {name: {**trial, **own, "reasons": reasons}}
        if verdict is not Verdict.TRIAL:
            return part | {"looks": looks}
        return part | self._said(chosen, finding, verdict, looks, reasons)

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
            "plateau": plateau(chosen, self.trials),
            "looks": looks,
            "looks_of_other_studies": self.elsewhere,
        }
