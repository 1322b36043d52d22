"""A tuning run from the request to the verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import optuna
from optuna.trial import TrialState

from workbench.errors import NotEnoughEvidence
from workbench.judge import Evidence, judge_log, quick_sessions
from workbench.metrics.bootstrap import Interval, bootstrap, difference, ratio
from workbench.metrics.report.sufficiency import loss_bound
from workbench.params import Params
from workbench.store import Database
from workbench.tune.evaluate import Goal, Part, make_part
from workbench.tune.luck import Luck, luck
from workbench.tune.request import TuneRequest
from workbench.tune.search import Progress, Tried, best, pareto, plateau, run_trials, simplified
from workbench.tune.space import Space, make_space
from workbench.tune.split import HOLDOUT, TRAIN, Split, split
from workbench.tune.study import count_look, opened_study, save_result
from workbench.tune.verdict import Finding, Verdict, judge

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
    present = sides.train.kept(in_force)
    goal = Goal(sides.train, present, request.noise_cost, request.max_newly_shown, request.tolerated_loss / 2)
    with opened_study(folder, request.study, _setup(sides, space, request), request.seed, request.resume) as study:
        tried = run_trials(study, space, goal, request.trials, progress)
        progress(request.trials, request.trials, "luck and hold-out")
        chosen = best(tried, space)
        result = _base(sides, space, request, study)
        if chosen is None:
            result |= _without_a_feasible_trial(tried, in_force)
        else:
            result |= _judged(sides, space, goal, request, study, tried, simplified(chosen, space, goal))
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


def _filter(request: TuneRequest) -> str:
    set_parts = {name: value for name, value in request.selection.bindings().items() if value is not None}
    return ", ".join(f"{name} = {value}" for name, value in set_parts.items()) or "none"


def _setup(sides: Sides, space: Space, request: TuneRequest) -> dict[str, Any]:
    """What the trials of a study rest on; another one cannot be mixed in."""
    return {
        "current": dict(space.current.as_flat()),
        "keys": [key.name for key in space.keys],
        "data": [sides.split.train, len(sides.train.pairs), int(sides.train.used.sum()), int(sides.train.pairs.sum())],
        "options": [request.noise_cost, request.max_newly_shown, request.tolerated_loss, request.train_share],
        "objective": request.objective,
        "seed": request.seed,
    }  # fmt: skip


def _base(sides: Sides, space: Space, request: TuneRequest, study: optuna.Study) -> dict[str, Any]:
    used = int(sides.holdout.used.sum())
    states = [trial.state for trial in study.get_trials(deepcopy=False)]
    return {
        "study": request.study,
        "seed": request.seed,
        "current": space.current.as_flat(),
        "trials": {"completed": states.count(TrialState.COMPLETE), "failed": states.count(TrialState.FAIL)},
        "split": {
            "train_prompts": sides.split.train,
            "holdout_prompts": sides.split.holdout,
            "repeats_left_out": sides.split.repeats,
            "train_used": int(sides.train.used.sum()),
            "holdout_used": used,
        },
        "minimum_detectable_loss": loss_bound(used),
        "keys": [key.name for key in space.keys],
        "dead": list(space.dead),
        "redundant": _redundant(space),
    }


def _redundant(space: Space) -> list[str]:
    names = {key.name for key in space.keys}
    if "recall.display.min_display_score" in names and any(name.startswith("recall.weights.") for name in names):
        return ["Scaling weights, bonuses and threshold by one factor changes nothing; among equals the nearest wins."]
    return []


def _without_a_feasible_trial(tried: Sequence[Tried], current: Params) -> dict[str, Any]:
    nearest = min(tried, key=lambda one: one.excess)
    return {
        "verdict": Verdict.KEEP.value,
        "reasons": [f"No trial keeps within the limits; trial {nearest.number} is nearest ({nearest.excess:.3g} off)."],
        "config": current.as_flat(),
        "feasible": False,
        "holdout": None, "luck": None, "plateau": None, "pareto": [], "looks": 0,
    }  # fmt: skip


def _judged(
    sides: Sides,
    space: Space,
    goal: Goal,
    request: TuneRequest,
    study: optuna.Study,
    tried: Sequence[Tried],
    chosen: Tried,
) -> dict[str, Any]:
    chance = luck(goal, [one.kept for one in tried], request.seed)
    finding = _finding(sides, space.current, chosen, chance, request)
    verdict, reasons = judge(finding, request)
    recommended = verdict in (Verdict.SAFE, Verdict.TRIAL)
    return {
        "verdict": verdict.value,
        "reasons": [*reasons, _what_can_be_seen(int(sides.holdout.used.sum()))],
        "config": (chosen.params if recommended else space.current).as_flat(),
        "best_found": {
            "trial": chosen.number,
            "train_gain": chosen.gain,
            "changed": chosen.params.changed_from(space.current),
        },
        "feasible": True,
        "holdout": _holdout(finding),
        "luck": chance.as_json(),
        "plateau": plateau(chosen, space, goal),
        "pareto": [_point(one, space, goal) for one in pareto(tried, space, goal)[:_MOST_PARETO]],
        "looks": count_look(study),
    }


def _finding(sides: Sides, current: Params, chosen: Tried, chance: Luck, request: TuneRequest) -> Finding:
    part = sides.holdout
    before, after = part.kept(current), part.kept(chosen.params)
    goal = Goal(part, before, request.noise_cost, request.max_newly_shown, request.tolerated_loss)
    losses: dict[str, tuple[int, int]] = {}
    clients = np.array(part.clients)
    for client in sorted(set(part.clients)):
        own = part.used & before.judged & (clients == client)
        losses[client] = (int((own & ~after.judged).sum()), int(own.sum()))
    return Finding(
        chosen.gain, chance, int(sides.train.used.sum()), part.ledger(current), part.ledger(chosen.params),
        goal.gain(after), _gain_interval(part, current, chosen.params, request.noise_cost), losses,
    )  # fmt: skip


def _gain_interval(part: Part, current: Params, proposed: Params, noise_cost: float) -> Interval | None:
    """95 % interval of the change of net help a prompt, by session bootstrap; new memories count as unhelpful."""
    sessions = part.labelled.sessions
    prompts = sessions["prompts"].to_numpy().astype(np.float64)
    numbers = sessions["session"].to_numpy()
    columns = []
    for params in (current, proposed):
        shown = quick_sessions(part.db, part.settings(params), part.labelled)
        net = np.zeros(int(numbers.max(initial=0)) + 1)
        useful = shown["used_kept"].to_numpy().astype(np.float64)
        noise = shown["unused_kept"].to_numpy() + shown["newly_shown"].to_numpy()
        net[shown["session"].to_numpy()] = useful - noise_cost * noise
        columns += [net[numbers], prompts]
    return bootstrap(np.column_stack(columns), np.ones(len(prompts)), difference(ratio(0, 1), ratio(2, 3)))


def _holdout(finding: Finding) -> dict[str, Any]:
    return {
        "current": finding.present.as_json(),
        "proposed": finding.proposed.as_json(),
        "net_help_gain": finding.gain,
        "interval": None if finding.interval is None else finding.interval.as_json(),
        "clients": [
            {"client": client, "used": used, "used_lost": lost}
            for client, (lost, used) in finding.client_losses.items()
        ],
    }


def _point(one: Tried, space: Space, goal: Goal) -> Mapping[str, Any]:
    used = goal.part.used
    return {
        "trial": one.number,
        "gain": one.gain,
        "used_lost": int((used & ~one.kept.judged).sum()),
        "removed": int((~used & ~one.kept.judged).sum()),
        "newly_shown": one.kept.newly_shown,
        "distance": space.distance(one.params),
        "changed": one.params.changed_from(space.current),
    }


def _what_can_be_seen(used: int) -> str:
    smallest = loss_bound(used)
    if smallest is None:
        return "No used memory is held out, so no loss could be seen."
    return (
        f"With {used} used memories held out, a true loss of {smallest * 100:.0f} % or more would show at least once "
        "in 95 of 100 logs."
    )
