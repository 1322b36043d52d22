"""The document of a tuning run, apart from the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import optuna
from optuna.trial import TrialState

from workbench.metrics.power import Detectable
from workbench.params import Params
from workbench.text import percent
from workbench.tune.evaluate import Part
from workbench.tune.goal import Goal
from workbench.tune.request import TuneRequest
from workbench.tune.search import Tried
from workbench.tune.space import Space
from workbench.tune.split import Split
from workbench.tune.study import looks_of
from workbench.tune.verdict import Verdict

_LIMITS = {
    "used_lost": "used memories lost",
    "client_used_lost": "used memories lost by one client",
    "newly_shown": "newly shown memories of which nothing is known",
    "shown": "memories shown",
}


def base(
    train: Part, holdout: Part, parts: Split, space: Space, request: TuneRequest, study: optuna.Study
) -> dict[str, Any]:
    """What is known before the hold-out is looked at."""
    seen = what_can_be_seen(holdout)
    states = [trial.state for trial in study.get_trials(deepcopy=False)]
    most_jobs = max(request.jobs, int(study.user_attrs.get("jobs", 1)))
    return {
        "study": request.study,
        "seed": request.seed,
        "jobs": request.jobs,
        "reproducible": most_jobs == 1,
        "objective": _objective(request),
        "current": space.current.as_flat(),
        "trials": {"completed": states.count(TrialState.COMPLETE), "failed": states.count(TrialState.FAIL)},
        "data": {"first_day": parts.first_day, "last_day": parts.last_day},
        "split": {
            "train_prompts": parts.train,
            "holdout_prompts": parts.holdout,
            "repeats_left_out": parts.repeats,
            "repeats_weigh": "once, the first sending" if request.selection.once else "as often as they were sent",
            "train_used": int(train.used.sum()),
            "holdout_used": int(holdout.used.sum()),
        },
        "holdout_data": holdout.data,
        "minimum_detectable_loss": seen.once,
        "detectable_loss": seen.as_json(),
        "keys": [key.name for key in space.keys],
        "dead": list(space.dead),
        "redundant": _redundant(space),
        "notes": _notes(most_jobs),
    }


def _objective(request: TuneRequest) -> str:
    return (
        f"Unhelpful memories removed, each worth {request.noise_cost:g} of a helpful one, minus helpful ones lost, a "
        f"prompt. {percent(request.helpful_share)} of what was shown may have helped: the used ones stand for all of "
        f"them. At most {percent(request.searched_loss)} of the used ones may be lost on the training part, at most "
        f"{percent(request.searched_new_share)} of what is shown may be new, no client may lose twice its share, and "
        "no more may be shown than today."
    )


def _notes(jobs: int) -> list[str]:
    if jobs == 1:
        return []
    return [f"Run with {jobs} jobs: another run may try other configurations; only one job is the same on every run."]


def _redundant(space: Space) -> list[str]:
    names = {key.name for key in space.keys}
    if "recall.display.min_display_score" in names and any(name.startswith("recall.weights.") for name in names):
        return ["Scaling weights, bonuses and threshold by one factor changes nothing; among equals the nearest wins."]
    return []


def nothing_feasible(tried: Sequence[Tried], current: Params, study: optuna.Study) -> dict[str, Any]:
    """What the result says when every trial oversteps a limit; the hold-out stays unseen."""
    nearest = min(tried, key=lambda one: one.excess)
    over = ", ".join(f"{excess:.3g} {_LIMITS[name]}" for name, excess in nearest.violations.items() if excess > 0)
    return {
        "verdict": Verdict.KEEP.value,
        "reasons": [f"No feasible trial: the nearest, trial {nearest.number}, is over the limits by {over}."],
        "config": current.as_flat(),
        "feasible": False,
        "nearest": {"trial": nearest.number, "over": {n: e for n, e in nearest.violations.items() if e > 0}},
        "holdout": None, "luck": None, "plateau": None, "pareto": [], "looks": looks_of(study),
        "estimate": None, "settle": None,
    }  # fmt: skip


def point(one: Tried, space: Space, goal: Goal) -> dict[str, Any]:
    """One configuration of the Pareto front, on the training part."""
    used, judged = goal.part.used, one.kept.judged
    return {
        "trial": one.number,
        "gain": one.gain,
        "used_lost": int((used & ~judged).sum()),
        "removed": int((~used & ~judged).sum()),
        "newly_shown": one.kept.newly_shown,
        "distance": space.distance(one.params),
        "changed": one.params.changed_from(space.current),
    }


def what_can_be_seen(part: Part) -> Detectable:
    """The losses that the used memories of a part can show."""
    return Detectable.of(part.labelled.sessions["used"].to_pylist())


def on_many_looks(looks: int, elsewhere: int) -> list[str]:
    """A warning when the held-out prompts were seen before."""
    if looks + elsewhere < 2:
        return []
    others = f" and {elsewhere} times by other studies" if elsewhere else ""
    return [f"The held-out prompts were looked at {looks} times by this study{others}; with each look they prove less."]
