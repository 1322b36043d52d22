"""A tuning run from the request to the verdict."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.errors import NotEnoughEvidence
from workbench.judge import Evidence, judge_log
from workbench.params import Params
from workbench.store import Database
from workbench.tune.beside import beside
from workbench.tune.choice import pareto, simplified
from workbench.tune.evaluate import Part, make_part
from workbench.tune.goal import Goal, helpful_for_each_used
from workbench.tune.learned import learn
from workbench.tune.lower import lower
from workbench.tune.luck import luck
from workbench.tune.request import TuneRequest
from workbench.tune.result import base, nothing_feasible, point, what_can_be_seen
from workbench.tune.samplers import Proposer
from workbench.tune.search import Progress, Trials, best, help_along, run_trials
from workbench.tune.sight import Beyond, Sight
from workbench.tune.space import Space, make_space
from workbench.tune.split import HOLDOUT, TRAIN, Split, split
from workbench.tune.study import Place, completed, joined_study, looks_elsewhere, opened_study, save_result

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
    sides, held_out, trials, proposer, setup = _prepared(db, in_force, request)
    space, goal = trials.space, trials.goal
    progress(0, request.trials, what_can_be_seen(sides.holdout).sentence())
    place = Place(folder, request.study, request.storage)
    with opened_study(place, setup, request.resume, proposer.directions) as study:
        if trials.jobs > 1:
            study.set_user_attr("jobs", trials.jobs)
        beyond = Beyond(learn(goal, space), lower(goal, space))
        tried = run_trials(study, trials, request.trials, proposer, progress, beyond.configurations)
        chosen = best(tried, space)
        result = base(sides.train, sides.holdout, sides.split, space, request, study)
        if chosen is None:
            result |= nothing_feasible(tried, in_force, study)
        else:
            chance = luck(trials, tried, request.seed, progress=progress)
            elsewhere = looks_elsewhere(folder, request.study, sides.holdout.data)
            sight = Sight(held_out, trials, request, study, chance, elsewhere)
            result |= sight.judged(simplified(chosen, trials))
            result |= sight.judged_beyond(beyond, tried, result)
            result["pareto"] = [point(one, space, goal) for one in pareto(tried, space, goal)[:_MOST_PARETO]]
            result |= beside(goal, held_out, tried, result, request)
        result["reasons"] += result["notes"]
        save_result(folder, request.study, result)
    return result


def help_tuning(
    db: Database,
    in_force: Params,
    folder: Path,
    request: TuneRequest,
    progress: Progress = lambda done, total, what: None,
) -> dict[str, Any]:
    """Add trials to a study that another process leads, here or on another machine, until it has all of them; that one
    judges. The store has to hold the same log. Returns the study, how many trials it has completed and `added`."""
    _, _, trials, proposer, setup = _prepared(db, in_force, request)
    study = joined_study(Place(folder, request.study, request.storage), setup, proposer.directions)
    study.set_user_attr("jobs", max(trials.jobs + 1, int(study.user_attrs.get("jobs", 1))))
    added = help_along(study, trials, request.trials, proposer, progress)
    return {"study": request.study, "completed": len(completed(study)), "added": added}


def _prepared(
    db: Database, in_force: Params, request: TuneRequest
) -> tuple[Sides, Goal, Trials, Proposer, dict[str, Any]]:
    """Both sides of the log, the goal on the held-out one, what runs and proposes trials, and what they rest on."""
    sides = _sides(db, in_force, request)
    space = make_space(in_force, request.only, request.freeze, sides.train.fingerprint)
    goal, held_out = _goals(sides, in_force, request)
    proposer = Proposer(request.sampler, request.seed)
    return sides, held_out, Trials(space, goal, request.jobs), proposer, _setup(sides, space, request)


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
    weighs = helpful_for_each_used(train, request.helpful_share)
    return (
        Goal(train, train.kept(in_force), cost, request.searched_new_share, request.searched_loss, weighs),
        Goal(holdout, holdout.kept(in_force), cost, request.max_newly_shown_share, request.tolerated_loss, weighs),
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
        "share of helpful memories": request.helpful_share,
        "share of newly shown memories": request.max_newly_shown_share,
        "tolerated loss": request.tolerated_loss,
        "share of prompts that trains": request.train_share,
        "objective": request.objective,
        "sampler": request.sampler,
        "seed": request.seed,
    }
