"""The part of a tuning result that rests on a model of what helps: beside the verdict, never in it.

The model is fitted on the training part. What it says of the configuration that was judged stands beside the known
figures; a configuration that only the model speaks for is at most worth a trial, with a plan how to find out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.estimate import LABEL, Model, Newly, NoModel, estimate_newly, fit_model, numbered_pairs, shown_pairs
from workbench.estimate.calibration import Scores
from workbench.estimate.pairs import Pairs
from workbench.params import Params
from workbench.tune.evaluate import Part
from workbench.tune.goal import Goal
from workbench.tune.probe import Traffic, answers, canary, near_threshold
from workbench.tune.request import TuneRequest
from workbench.tune.search import Tried
from workbench.tune.split import HOLDOUT, TRAIN
from workbench.tune.verdict import Verdict

_LOOKED_AT = 20


@dataclass(frozen=True)
class Beside:
    """What an estimate is made from: the model of the training part, both goals, and how much traffic there is."""

    model: Model | NoModel
    train: Goal
    holdout: Goal
    traffic: Traffic
    request: TuneRequest

    def of(self, goal: Goal, params: Params) -> tuple[Newly, dict[str, Any]]:
        """What the model says of what `params` newly shows on a part, and the change of net help with it."""
        found = estimate_newly(self.model, newly_shown(goal.part, params))
        known = goal.gain(goal.kept(params))
        return found, found.change(known, goal.part.prompts, self.request.noise_cost, goal.stands_for)

    def helpful(self, found: Newly) -> float:
        """How many of what is newly shown help: by the model, else as often as what the log shows."""
        used = found.count * self.traffic.use_rate if found.helpful is None else found.helpful
        return min(self.train.stands_for * used, found.count)

    def probe(self, found: Newly, params: Params, selected: str, against: str) -> dict[str, Any]:
        """How to find out what the model only estimates; `against` names the configuration to `label next`."""
        part = self.train.part
        return {
            "labels": answers(found.count, self.helpful(found), self.request.noise_cost, against)
            | {"pairs": near_threshold(part.db, params, part.in_force, selected)},
            "canary": canary(self.traffic, self.request.tolerated_loss),
        }


def with_model(train: Goal, holdout: Goal, traffic: Traffic, request: TuneRequest) -> Beside:
    """Fit the model on the training part."""
    model = fit_model(shown_pairs(train.part.db, train.part.in_force, TRAIN))
    return Beside(model, train, holdout, traffic, request)


def estimate_of(beside: Beside, tried: Sequence[Tried], chosen: Params) -> tuple[Newly, dict[str, Any]]:
    """What the judged configuration newly shows to held-out prompts, and the part `estimate` of a tuning result: the
    model and how it does on the held-out pairs, what it says of that configuration, and the best of the tried ones by
    it, where that one differs."""
    model = beside.model
    found, change = beside.of(beside.holdout, chosen)
    return found, {
        "label": LABEL,
        "model": model.as_json(),
        "holdout_check": _check(model, beside.holdout.part),
        "judged": {**found.as_json(), "on": "held-out prompts", "net_help_gain": change, "said": said(found, change)},
        "by_model_alone": _best_by_model(beside, tried, chosen),
    }


def newly_shown(part: Part, params: Params) -> Pairs:
    """The pairs that `params` shows and neither the log nor a replay of the configuration in force."""
    return numbered_pairs(part.db, part.in_force, part.labelled.table, part.newly_shown(params))


def _check(model: Model | NoModel, part: Part) -> dict[str, Any] | None:
    """The model of the training part on the pairs that the log showed to held-out prompts."""
    if isinstance(model, NoModel):
        return None
    shown = shown_pairs(part.db, part.in_force, HOLDOUT)
    if not len(shown):
        return None
    hits, p = shown.used.astype(np.float64), model.predict(shown)
    constant = np.full(len(hits), model.shown.used.mean())
    return {
        "pairs": len(shown),
        "used": int(hits.sum()),
        "expected": float(p.sum()),
        "model": Scores.of(p, hits).as_json(),
        "constant": Scores.of(constant, hits).as_json(),
    }


def _best_by_model(beside: Beside, tried: Sequence[Tried], chosen: Params) -> dict[str, Any] | None:
    """The tried configuration with the greatest estimated gain on the training part, where the low end of its interval
    is above zero and above what is known of the one that was judged; the hold-out is not looked at."""
    if not beside.model.usable:
        return None
    bar = max(0.0, beside.train.gain(beside.train.kept(chosen)))
    candidates = []
    for one in _promising(beside, tried):
        found, change = beside.of(beside.train, one.params)
        if change["interval"] is not None and change["interval"][0] > bar and one.params != chosen:
            candidates.append((change["estimated"], -one.number, one, found, change))
    if not candidates:
        return None
    *_, one, found, change = max(candidates, key=lambda each: each[:2])
    return {
        "trial": one.number,
        "changed": one.params.changed_from(beside.train.part.in_force),
        "verdict": Verdict.TRIAL.value,
        **found.as_json(),
        "on": "training prompts",
        "net_help_gain": change,
        "said": f"{said(found, change)} This rests on the model alone: try it out, do not adopt it.",
        "probe": beside.probe(found, one.params, TRAIN, "FILE"),
    }


def _promising(beside: Beside, tried: Sequence[Tried]) -> list[Tried]:
    """Those that lose no more than is tolerated, show no more than today and newly show something, the best first if
    what is new helped as often as the average of what is shown."""
    goal = beside.train
    rate = min(1.0, goal.stands_for * beside.traffic.use_rate)
    cost, prompts = beside.request.noise_cost, max(goal.part.prompts, 1)

    def rough(one: Tried) -> float:
        return (
            goal.gain(one.kept)
            + (one.kept.newly_shown - goal.present.newly_shown) * (rate - cost * (1 - rate)) / prompts
        )

    allowed = {
        one.params: one
        for one in tried
        if one.kept.newly_shown > goal.present.newly_shown
        and max(one.violations[limit] for limit in ("used_lost", "client_used_lost", "shown")) <= 0
    }
    return sorted(allowed.values(), key=lambda one: (-rough(one), one.number))[:_LOOKED_AT]


def said(found: Newly, change: dict[str, Any]) -> str:
    """An estimate in words, with what it makes of net help and both bounds."""
    if not found.count:
        return found.sentence()
    bounds = f"from {change['all_bad']:+.4f} a prompt if all were unhelpful to {change['all_good']:+.4f} if all helped"
    if change["interval"] is None:
        return f"{found.sentence()} Net help changes {bounds}."
    low, high = change["interval"]
    return (
        f"{found.sentence()} Net help changes by {change['estimated']:+.4f} a prompt if so ({low:+.4f} to "
        f"{high:+.4f}), {bounds}."
    )
