"""Commands about configurations: tune, compare, export."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from workbench.cli.filters import filtered
from workbench.cli.options import Config, Db, Json, opened, store_path
from workbench.cli.output import cell, emit, percent, progress, say, table
from workbench.cli.periods import importance_text
from workbench.compare import compare, moved_most
from workbench.errors import AnswerIsNo, BadInput, NotEnoughEvidence
from workbench.estimate.overlap import ESTIMATORS, by_importance
from workbench.export import Proposal, export_into, export_to, proposal_of, toml_text
from workbench.judge import Evidence
from workbench.metrics.arms import Trial
from workbench.metrics.arms import trials as read_trials
from workbench.params import Params
from workbench.params.toml import read_toml
from workbench.replay.lint import lint
from workbench.replay.logged import settings_in_force
from workbench.replay.parity import CAUSES, parity
from workbench.replay.run import Settings
from workbench.replay.selection import SELECTED, Selection
from workbench.store import Database, reading
from workbench.text import counted
from workbench.tune import TuneRequest, Verdict, help_tuning, load_result, studies_folder, tune

StudyName = Annotated[str, typer.Option(help="Name under which the study is kept.")]
Trials = Annotated[int, typer.Option(help="Trials in total, also when resumed.")]
Seed = Annotated[int, typer.Option(help="The same seed gives the same study.")]
Objective = Annotated[str, typer.Option(help="net_help: helpful minus noise cost times unhelpful, a prompt.")]
Sampler = Annotated[
    str, typer.Option(help="tpe; cmaes, quicker beyond 1,000 trials; nsgaii, over the whole Pareto front.")
]
Only = Annotated[list[str] | None, typer.Option(help="Tune only this key; repeatable.")]
Freeze = Annotated[list[str] | None, typer.Option(help="Leave this key as it is; repeatable.")]
Jobs = Annotated[int, typer.Option(help="Trials at a time; only with 1 is a study the same on every run.")]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with a study that exists.")]
Storage = Annotated[
    str | None,
    typer.Option(
        envvar="WORKBENCH_STORAGE",
        help="Keep the trials in this database, like postgresql://user@host/name, to tune on several machines.",
    ),
]
Worker = Annotated[
    bool, typer.Option("--worker", help="Only add trials to a study that runs elsewhere with the same options.")
]
NoiseCost = Annotated[float, typer.Option(help="How many helpful memories one unhelpful one outweighs.")]
HelpfulShare = Annotated[
    float, typer.Option(help="Share of the shown memories that may have helped; the used ones stand for them all.")
]
AcceptCause = Annotated[list[str] | None, typer.Option(help="A cause of parity differences to accept; repeatable.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("tune")(tune_command)
    app.command("compare")(compare_command)
    app.command("export")(export_command)


@filtered
def tune_command(
    db: Db = None,
    study: StudyName = "study",
    trials: Trials = 200,
    seed: Seed = 1,
    objective: Objective = "net_help",
    sampler: Sampler = "tpe",
    only: Only = None,
    freeze: Freeze = None,
    jobs: Jobs = 1,
    resume: Resume = False,
    storage: Storage = None,
    worker: Worker = False,
    noise_cost: NoiseCost = 0.1,
    helpful_share: HelpfulShare = 0.3,
    accept_cause: AcceptCause = None,
    json: Json = False,
    *,
    chosen: Selection,
) -> None:
    """Search for a better configuration on the oldest prompts and judge it on the rest; exit 4 on thin evidence."""
    request = TuneRequest(
        study=study, trials=trials, seed=seed, objective=objective, sampler=sampler, only=tuple(only or ()),
        freeze=tuple(freeze or ()), noise_cost=noise_cost, helpful_share=helpful_share, jobs=jobs, resume=resume,
        storage=storage, selection=chosen,
    )  # fmt: skip
    path, accepted = store_path(db), _known_causes(accept_cause or ())
    with opened(db) as (database, settings), progress(json) as step:
        _gate(database, settings, accepted)
        run = help_tuning if worker else tune
        result = run(database, settings.in_force, studies_folder(path), request, step)
    if worker:
        added = counted(result["added"], "trial")
        emit(result, json, f"{added} added; {result['completed']:,} of {trials:,} are done. The first process judges.")
    else:
        _tell(result, json)


def _tell(result: dict[str, Any], json: bool) -> None:
    """The result, and exit 4 where nothing can be recommended from it."""
    emit(result, json, tune_text(result))
    if result["verdict"] == Verdict.THIN.value:
        raise NotEnoughEvidence("The evidence is too thin for a recommendation; the present configuration is kept.")
    if not result["feasible"]:
        raise NotEnoughEvidence("No trial keeps within the limits; nothing can be exported from this study.")


def _known_causes(named: Sequence[str]) -> frozenset[str]:
    for cause in named:
        if cause not in CAUSES:
            raise BadInput(f"--accept-cause {cause!r} is no cause that locks tuning; there are: {'; '.join(CAUSES)}.")
    return frozenset(named)


def _gate(db: Database, settings: Settings, accepted: frozenset[str]) -> None:
    """Tuning is locked while a replay of the configuration in force does not reproduce the log."""
    found = parity(db, settings)
    if not found.rows:
        raise NotEnoughEvidence("The store holds no logged signals to tune on; import recall events.")
    if not found.passes(accepted):
        causes = ", ".join([*found.causes, *(["unexplained"] if found.unexplained_flips else [])])
        raise AnswerIsNo(
            f"Tuning is locked: only {percent(found.share)} of the logged rows are reproduced ({causes}); see "
            "`workbench parity`, or accept a cause with --accept-cause."
        )


@filtered
def compare_command(
    configs: Annotated[
        list[str] | None, typer.Argument(help="TOML files or study names, or `current`; the first is the measure.")
    ] = None,
    arms: Annotated[
        bool,
        typer.Option("--arms", help="Instead: the configurations that `serve --share` gave to sessions at random."),
    ] = False,
    estimator: Annotated[
        str, typer.Option(help="replay; importance is refused, but for configurations that were in force in the log.")
    ] = "replay",
    db: Db = None,
    json: Json = False,
    *,
    chosen: Selection,
) -> None:
    """Hold configurations against each other on the same prompts."""
    if estimator not in ESTIMATORS:
        raise BadInput(f"There is no estimator {estimator!r}; choose from {', '.join(ESTIMATORS)}.")
    if arms:
        _compare_arms(db, chosen, json)
        return
    configs = configs or []
    if len(configs) < 2:
        raise BadInput("Name at least two configurations to compare, for example `workbench compare current new.toml`.")
    if len(set(configs)) < len(configs):
        raise BadInput("A configuration is named twice; name each once.")
    with opened(db) as (database, settings):
        chosen.for_replay().materialise(database)
        named = {name: _configuration(name, settings.in_force, store_path(db)) for name in configs}
        if estimator == "importance":
            found = by_importance(database, named, settings.in_force, SELECTED)
            emit(found, json, importance_text(found))
            return
        said = compare(database, named, settings.in_force, SELECTED)
    emit(said, json, _compare_text(said))


def _compare_arms(db: Path | None, chosen: Selection, json: bool) -> None:
    with opened(db) as (database, settings):
        chosen.materialise(database)
        found = read_trials(database, SELECTED, Evidence().under(settings.in_force))
    if not found:
        raise NotEnoughEvidence("No session was shared out between two configurations; `workbench serve --share` does.")
    emit({"trials": [trial.as_json() for trial in found]}, json, "\n\n".join(map(_arms_text, found)))
    if not any(trial.enough for trial in found):
        raise NotEnoughEvidence(" ".join(trial.said() for trial in found))


def _arms_text(trial: Trial) -> str:
    rows = [
        (one.figure.replace("_", " "), one.current, one.candidate, one.difference, f"{one.low:.3g} to {one.high:.3g}")
        for one in trial.differences
    ]
    sides = ", ".join(
        f"{name}: {counted(count, 'session')}, {counted(trial.prompts[name], 'prompt')}"
        for name, count in trial.sessions.items()
    )
    parts = [f"Share {trial.share:g}, seed {trial.seed}. {sides}."]
    parts += [table(("figure", "current", "candidate", "difference", "interval at all times"), rows)] if rows else []
    return "\n\n".join([*parts, trial.said()])


def export_command(
    db: Db = None,
    study: Annotated[str | None, typer.Option(help="Export the result of this study.")] = None,
    config: Config = None,
    out: Annotated[Path | None, typer.Option(help="File to write; else standard output.")] = None,
    changed_only: Annotated[
        bool, typer.Option("--changed-only", help="Only keys that differ from the one in force.")
    ] = False,
    inverse: Annotated[bool, typer.Option("--inverse", help="The TOML that undoes the change.")] = False,
    into: Annotated[Path | None, typer.Option(help="Edit this TOML file, keeping everything else.")] = None,
    json: Json = False,
) -> None:
    """Write a configuration as TOML; says what is valid in it and yet hardly meant."""
    if into is not None and (out is not None or changed_only):
        raise BadInput("--into edits a file in place, and only the changed keys; leave --out and --changed-only.")
    proposal = _proposal(db, study, config)
    if inverse:
        proposal = proposal.inverse
    doubts = lint(proposal.params, proposal.current)
    for doubt in doubts:
        say(doubt)
    if into is not None:
        edited = export_into(proposal, into)
        emit(
            {"into": str(into), "changed": edited, "doubts": doubts},
            json,
            f"{counted(len(edited), 'value')} changed in {into}.",
        )
        return
    text = toml_text(proposal, changed_only)
    if out is None:
        emit({"toml": text, "doubts": doubts}, json, text.rstrip("\n"))
        return
    export_to(proposal, out, changed_only)
    said = {"out": str(out), "changed": proposal.changed, "doubts": doubts}
    emit(said, json, f"Wrote {out}, {len(proposal.changed)} keys changed.")


def _proposal(db: Path | None, study: str | None, config: Path | None) -> Proposal:
    if (study is None) == (config is None):
        raise BadInput("Name what to export: either --study NAME or --config FILE.")
    if study is not None:
        return proposal_of(load_result(studies_folder(store_path(db)), study))
    params = read_toml(config) if config else Params()
    path = store_path(db)
    if db is None and not path.exists():
        return Proposal(params, Params())
    with reading(path) as database:
        return Proposal(params, settings_in_force(database).params)


def _configuration(name: str, in_force: Params, path: Path) -> Params:
    """A configuration by file, by study, or the one in force."""
    if name == "current":
        return in_force
    if Path(name).suffix == ".toml" or Path(name).is_file():
        return read_toml(Path(name))
    return Params(load_result(studies_folder(path), name)["config"])


def tune_text(result: dict[str, Any]) -> str:
    """A tuning result for a person."""
    lines = [f"Verdict: {result['verdict']}", *(f"  {reason}" for reason in result["reasons"])]
    changes = [
        (name, result["current"][name], value)
        for name, value in result["config"].items()
        if value != result["current"][name]
    ]
    if changes:
        lines.append(table(("key", "present", "proposed"), changes))
    trials, split = result["trials"], result["split"]
    lines.append(
        f"{counted(trials['completed'], 'trial')} on {counted(split['train_prompts'], 'prompt')} "
        f"({split['train_used']} used memories), "
        f"{split['holdout_prompts']} held out ({split['holdout_used']} used), {split['repeats_left_out']} repeats left "
        f"out; the hold-out was looked at {result['looks']} times."
    )
    if result["dead"]:
        lines.append(f"Without effect on this data, left as they are: {', '.join(result['dead'])}.")
    lines += result["redundant"]
    if result["plateau"] is not None:
        lines.append(f"{percent(result['plateau'])} of the settings one step away keep 95 % of the gain.")
    return "\n".join([*lines, *_beside_text(result)])


def _beside_text(result: dict[str, Any]) -> Iterator[str]:
    """What stands beside the verdict: the model's estimate and what would settle the question."""
    if estimate := result["estimate"]:
        yield "Model estimate, apart from the verdict:"
        yield f"  {estimate['model']['said']}"
        yield f"  {estimate['judged']['said']}"
        if alone := estimate["by_model_alone"]:
            yield f"  By the model alone trial {alone['trial']} is {alone['verdict']} ({_changed(alone['changed'])})."
            yield f"    {alone['said']}"
            yield from (f"    {alone['probe'][part]['said']}" for part in ("labels", "canary"))
    if (settle := result["settle"]) and settle["said"]:
        yield "What would settle it:"
        yield from (f"  {said}" for said in settle["said"])


def _changed(changed: dict[str, Any]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in changed.items())


def _compare_text(said: dict[str, Any]) -> str:
    names = ("shown", "used_kept", "used_lost", "removed", "newly_shown", "silent_prompts")
    parts = [
        table(
            ("configuration", *(name.replace("_", " ") for name in names)),
            [(name, *(ledger[part] for part in names)) for name, ledger in said["ledgers"].items()],
        )
    ]
    for pair in said["pairs"]:
        rows = [
            (name, one["first"], one["second"], one["effect"], _interval(one["interval"]))
            for name, one in pair["differences"].items()
        ]
        parts.append(f"{pair['config']} against {said['against']}:")
        parts.append(table(("figure", "first", "second", "difference", "its 95 % interval"), rows))
        parts.append(
            f"Used memories won {pair['used_won']}, lost {pair['used_lost']}; sign test p = {cell(pair['sign_test'])}, "
            f"adjusted {cell(pair['sign_test_holm'])}; {pair['flips_total']} memories are shown by only one of both."
        )
        parts += _causes(pair["flips"])
    return "\n\n".join([*parts, _estimates_text(said["estimate"])])


def _estimates_text(estimate: dict[str, Any]) -> str:
    """What a model says of newly shown memories, apart from the rest."""
    configs = [f"  {name}: {one['said']}" for name, one in estimate["configs"].items() if one["newly_shown"]]
    return "\n".join(["Model estimate, apart from all above:", f"  {estimate['model']['said']}", *configs])


def _causes(flips: Sequence[dict[str, Any]]) -> list[str]:
    """The keys that moved the listed flips most."""
    most = moved_most(flips)
    if not most:
        return []
    said = ", ".join(f"{name} {count}" for name, count in most)
    return [f"Of the {len(flips)} listed, moved most by: {said} (mean over all orders of changing the keys)."]


def _interval(interval: list[float] | None) -> str | None:
    return None if interval is None else f"{interval[0]:+.4f} to {interval[1]:+.4f}"
