"""A tuning run from the request to the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import optuna

from workbench.errors import NotEnoughEvidence
from workbench.judge import Evidence, judge_log
from workbench.params import Params
from workbench.store import Database
from workbench.tune.choice import pareto, plateau, simplified
from workbench.tune.evaluate import Part, make_part
from workbench.tune.finding import find
from workbench.tune.goal import Goal
from workbench.tune.luck import luck
from workbench.tune.request import TuneRequest
from workbench.tune.result import base, nothing_feasible, on_many_looks, point, what_can_be_seen
from workbench.tune.search import Progress, Trials, Tried, best, run_trials, trials_on
from workbench.tune.space import Space, make_space
from workbench.tune.split import HOLDOUT, TRAIN, Split, split
from workbench.tune.study import count_look, looks_elsewhere, opened_study, save_result
from workbench.tune.verdict import Verdict, judge

_MOST_PARETO = 20


@dataclass(frozen=True)
class Sides:
    """Both parts of the log, and how it was split."""

    train: Part
    holdout: Part
    split: Split


def tune(
    db: Database,
    in_force: Params,
    folder: Path,
    request: TuneRequest,
    progress: Progress = lambda done, total, what: None,
) -> dict[str, Any]:
    """Search on the oldest prompts, look at the held-out ones once, and say one of four verdicts.

    Returns the document of `workbench tune --json` and keeps it in `folder`. Under "keep current" and "not enough
    evidence" its config is the present one. Raises NotEnoughEvidence before the first trial when no used memory passes
    the filter.
    """
    sides = _sides(db, in_force, request)
    space = make_space(in_force, request.only, request.freeze, sides.train.fingerprint)
    goal, held_out = _goals(sides, in_force, request)
    progress(0, request.trials, what_can_be_seen(sides.holdout).sentence())
    with (
        opened_study(folder, request.study, _setup(sides, space, request), request.resume) as study,
        trials_on(space, goal, request.jobs) as trials,
    ):
        if trials.jobs > 1:
            study.set_user_attr("jobs", trials.jobs)
        tried = run_trials(study, trials, request.trials, request.seed, progress)
        progress(request.trials, request.trials, "luck and hold-out")
        chosen = best(tried, space)
        result = base(sides.train, sides.holdout, sides.split, space, request, study)
        if chosen is None:
            result |= nothing_feasible(tried, in_force, study)
        else:
            elsewhere = looks_elsewhere(folder, request.study, sides.holdout.data)
            result |= _judged(held_out, trials, request, study, tried, simplified(chosen, trials), elsewhere)
        result["reasons"] += result["notes"]
        save_result(folder, request.study, result)
    return result


def _sides(db: Database, in_force: Params, request: TuneRequest) -> Sides:
    evidence = Evidence.standard(db)
    prompts = request.selection.for_replay().materialise(db)
    judged = judge_log(db, "selected", evidence)
    if not judged.used:
        raise NotEnoughEvidence(
            f"None of the {prompts} prompts that pass the filter ({_filter(request)}) has a used memory; "
            "widen the filter or import a longer log."
        )
    parts = split(db, request.train_share)
    train = make_part(db, in_force, TRAIN, evidence, "tune_train_candidates")
    holdout = make_part(db, in_force, HOLDOUT, evidence, "tune_holdout_candidates")
    return Sides(train, holdout, parts)


def _goals(sides: Sides, in_force: Params, request: TuneRequest) -> tuple[Goal, Goal]:
    """What the search pursues on the training part, and what the held-out part is measured by."""
    train, holdout, cost = sides.train, sides.holdout, request.noise_cost
    return (
        Goal(train, train.kept(in_force), cost, request.searched_new_share, request.searched_loss),
        Goal(holdout, holdout.kept(in_force), cost, request.max_newly_shown_share, request.tolerated_loss),
    )


def _filter(request: TuneRequest) -> str:
    set_parts = {name: value for name, value in request.selection.bindings().items() if value is not None}
    return ", ".join(f"{name} = {value}" for name, value in set_parts.items()) or "none"


def _setup(sides: Sides, space: Space, request: TuneRequest) -> dict[str, Any]:
    """What the trials of a study rest on; another one cannot be mixed in."""
    return {
        "settings in force": dict(space.current.as_flat()),
        "keys and ranges": space.ranges(),
        "data": [sides.train.data, sides.holdout.data],
        "noise cost": request.noise_cost,
        "share of newly shown memories": request.max_newly_shown_share,
        "tolerated loss": request.tolerated_loss,
        "share of prompts that trains": request.train_share,
        "objective": request.objective,
        "seed": request.seed,
    }


def _judged(
    held_out: Goal,
    trials: Trials,
    request: TuneRequest,
    study: optuna.Study,
    tried: Sequence[Tried],
    chosen: Tried,
    elsewhere: int,
) -> dict[str, Any]:
    """What a feasible trial adds to the result."""
    goal, space = trials.goal, trials.space
    chance = luck(goal, [one.kept for one in tried], request.seed)
    looks = count_look(study, chosen.params.changed_from(space.current))
    finding = find(held_out, int(goal.part.used.sum()), chosen, chance)
    verdict, reasons = judge(finding, request)
    recommended = verdict in (Verdict.SAFE, Verdict.TRIAL)
    return {
        "verdict": verdict.value,
        "reasons": [
            *reasons,
            what_can_be_seen(held_out.part).sentence(),
            *on_many_looks(looks, elsewhere),
        ],
        "config": (chosen.params if recommended else space.current).as_flat(),
        "best_found": {
            "trial": chosen.number,
            "train_gain": chosen.gain,
            "changed": chosen.params.changed_from(space.current),
        },
        "train": {
            "current": goal.part.ledger(space.current).as_json(),
            "proposed": goal.part.ledger(chosen.params).as_json(),
            "net_help_gain": chosen.gain,
        },
        "feasible": True,
        "holdout": finding.as_json(),
        "luck": chance.as_json(),
        "plateau": plateau(chosen, trials),
        "pareto": [point(one, space, goal) for one in pareto(tried, space, goal)[:_MOST_PARETO]],
        "looks": looks,
        "looks_of_other_studies": elsewhere,
    }
