"""Commands about the log: import, status, parity, replay, report."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from workbench import jobs
from workbench.cli.engine import LOGGED, AsOf, EngineOptions, Model, Signals, TokenizerName
from workbench.cli.filters import Client, Traffic, filtered, selection
from workbench.cli.options import Config, Db, Json, Sources, moment, opened, store_path
from workbench.cli.output import cell, emit, percent, progress, say, table
from workbench.errors import AnswerIsNo, BadInput, NotEnoughEvidence
from workbench.importers import ImportOptions
from workbench.judge import Evidence, dump
from workbench.metrics import replay_summary
from workbench.replay.parity import engine_parity, parity
from workbench.replay.selection import SELECTED, Selection
from workbench.replay.tokenizers import AUTO
from workbench.retrieve.drift import drift_counts
from workbench.simulate import PLANTED_NEEDS, WORLDS, World, checked_world, simulate, simulate_planted
from workbench.text import counted, shown


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("import")(import_command)
    app.command("status")(status_command)
    app.command("parity")(parity_command)
    app.command("replay")(replay_command)
    app.command("simulate")(simulate_command)


def import_command(
    source: Annotated[
        str, typer.Argument(help="Backup JSON, pg_dump, folder of tables, postgresql:// address, or transcripts.")
    ],
    db: Db = None,
    tokenizer: Annotated[str, typer.Option(help="auto, simple or jieba.")] = "auto",
    since: Annotated[str | None, typer.Option(help="Only recalls and memory events from this time on.")] = None,
    zone: Annotated[str, typer.Option(help="Zone of time stamps that name none.")] = "UTC",
    redact: Annotated[
        bool, typer.Option("--redact", help="Keep prompts and searches of transcripts without their text.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be imported and change nothing.")] = False,
    json: Json = False,
) -> None:
    """Take a source into the store; a second run adds nothing."""
    options = ImportOptions(tokenizer=tokenizer, since=moment("--since", since), zone=zone, redact=redact)
    with progress(json) as step:
        report = jobs.import_log(store_path(db), source, options, dry_run=dry_run, progress=step)
    emit(report, json, _import_text(report))


def status_command(db: Db = None, json: Json = False) -> None:
    """Say what the store holds, from where, how fresh, and what is possible with it."""
    said = jobs.status(store_path(db))
    emit(said, json, _status_text(said))


def parity_command(
    db: Db = None,
    signals: Signals = LOGGED,
    as_of: AsOf = LOGGED,
    tokenizer: TokenizerName = AUTO,
    model: Model = None,
    traffic: Traffic = None,
    client: Client = None,
    json: Json = False,
) -> None:
    """Check that a replay of the configuration in force reproduces the log; exit 3 when it does not."""
    engine = EngineOptions(signals, as_of, tokenizer, model)
    chosen = selection(traffic or ["all"], client)
    with opened(db) as (database, settings):
        chosen.materialise(database)
        replayed = engine.retrieve(database, settings, SELECTED, json)
        result = engine_parity(database, replayed, SELECTED) if replayed else parity(database, settings, SELECTED)
    said = {"signals": signals, **result.as_json(), **({"engine": replayed.as_json()} if replayed else {})}
    emit(said, json, _parity_text(said))
    if not result.rows:
        raise NotEnoughEvidence(_parity_verdict(said))
    if not result.passes():
        raise AnswerIsNo(_parity_verdict(said))


@filtered
def replay_command(
    db: Db = None,
    config: Config = None,
    signals: Signals = LOGGED,
    as_of: AsOf = LOGGED,
    tokenizer: TokenizerName = AUTO,
    model: Model = None,
    dump_to: Annotated[
        Path | None, typer.Option("--dump", help="Write every scored candidate to this file, Parquet or .csv.")
    ] = None,
    sources: Sources = None,
    json: Json = False,
    *,
    chosen: Selection,
) -> None:
    """Replay the log under a configuration and hold the result against what was shown and used."""
    engine = EngineOptions(signals, as_of, tokenizer, model)
    evidence = Evidence.of(sources or ())
    with opened(db, config) as (database, settings):
        found = chosen.materialise(database)
        left_out = found - chosen.for_replay().materialise(database) if signals == LOGGED else 0
        if left_out:
            say(
                f"{counted(left_out, 'prompt is', 'prompts are')} left out: "
                "the log does not hold the signals of all their candidates."
            )
        replayed = engine.retrieve(database, settings, SELECTED, json)
        scored = replayed.settings if replayed else settings
        if dump_to is not None:
            dump(database, scored, SELECTED, dump_to)
            say(f"Wrote {dump_to}.")
        said = {"signals": signals, **replay_summary(database, scored, SELECTED, evidence), "not_replayable": left_out}
        said |= {"engine": replayed.as_json()} if replayed else {}
        drift = drift_counts(database, SELECTED)
        said["drift"] = drift.as_json()
    for sentence in drift.sentences():
        say(sentence)
    emit(said, json, _replay_text(said))


def simulate_command(
    out: Annotated[Path, typer.Argument(help="A new or empty folder.")],
    seed: Annotated[int, typer.Option(help="The same seed gives the same world.")] = 1,
    prompts: Annotated[int, typer.Option(help="How many typed prompts.")] = World().prompts,
    memories: Annotated[int, typer.Option(help="How many memories.")] = World().memories,
    days: Annotated[int, typer.Option(help="Over how many days.")] = World().days,
    world: Annotated[str | None, typer.Option(help=f"Plant what makes a memory helpful: {', '.join(WORLDS)}.")] = None,
    used: Annotated[int, typer.Option(help="How many memories are marked as used; with --world.")] = 300,
    json: Json = False,
) -> None:
    """Write a simulated world with known truth in Lore's table layout."""
    if seed < 0:
        raise BadInput(f"--seed must not be negative: {seed}.")
    size = checked_world(prompts=prompts, memories=memories, days=days)
    if world is not None:
        _simulate_planted(out, replace(size, needs=PLANTED_NEEDS), world, used, seed, json)
        return
    with progress(json) as step:
        truth = simulate(out, size, seed, step)
    readable = (
        f"Wrote {out}: {counted(truth.recalls, 'recall')}, "
        f"{counted(truth.shown, 'memory', 'memories')} shown, {truth.used} marked as used. "
        f"{counted(truth.needed, 'prompt')} needed a memory, {truth.needed_and_shown} of them were shown it."
    )
    emit({"out": str(out), "seed": seed, **asdict(truth)}, json, readable)


def _simulate_planted(out: Path, size: World, name: str, used: int, seed: int, json: bool) -> None:
    found = simulate_planted(out, size, name, used, seed)
    followed = "; ".join(
        f"{', '.join(f'{key} {value}' for key, value in rule['changed'].items()) or 'the defaults'}{rule['for']}"
        for rule in found.as_json()["follows"]
    )
    readable = (
        f"Wrote {out}: a world {name} with {found.prompts} typed prompts. {found.helpful_shown} of its {found.helpful} "
        f"helpful memories were shown, {found.used} of these are marked as used. What helps follows "
        f"{followed or 'nothing but chance'}; truth.parquet says it of every candidate."
    )
    emit({"out": str(out), "seed": seed, **found.as_json()}, json, readable)


def _import_text(report: dict[str, Any]) -> str:
    rows = [
        (name, *(counts.get(part, 0) for part in ("read", "added", "updated", "skipped", "rejected")))
        for name, counts in report["tables"].items()
    ]
    parts = [table(("table", "read", "added", "updated", "skipped", "rejected"), rows)]
    parts += [f"Rejected {shown(item['where'])}: {shown(item['reason'])}" for item in report["rejected"][:20]]
    if len(report["rejected"]) > 20:
        parts.append(f"… and {len(report['rejected']) - 20} more rejected rows (all with --json).")
    parts += [shown(warning) for warning in report["warnings"]]
    parts.append(report["tokenizer_choice"]["said"])
    parts += _capability_lines(report["capabilities"])
    if report["dry_run"]:
        parts.append("Dry run: nothing was changed.")
    return "\n".join(parts)


def _capability_lines(capabilities: dict[str, Any]) -> list[str]:
    return [
        f"{'✓' if found['possible'] else '✗'} {name.replace('_', ' ')}: {found['why']}"
        for name, found in capabilities.items()
    ]


def _status_text(said: dict[str, Any]) -> str:
    rows = [(name, count) for name, count in said["tables"].items()]
    imports = [f"{one['finished_at']}  {one['kind']}  {shown(one['source'])}" for one in said["imports"]]
    span = f"Queries from {cell(said['first_query'])} to {cell(said['last_query'])}."
    return "\n".join(
        [f"{said['db']}, store version {said['version']}", table(("table", "rows"), rows), span, "Imports:", *imports]
        + _model_lines(said["embeddings"]["models"])
        + [shown(warning) for warning in said["warnings"]]
        + [said["tokenizer_choice"]["said"], *said["doubts"]]
        + _capability_lines(said["capabilities"])
    )


def _model_lines(models: list[dict[str, Any]]) -> list[str]:
    rows = [
        (one["model"] or "(none)", one["dimension"] or "none",
         *(one[kind] for kind in ("views", "glossary", "texts", "queries")), "yes" if one["usable"] else one["reason"])
        for one in models
    ]  # fmt: skip
    header = ("embedding model", "numbers", "views", "keywords", "embedded here", "prompts logged", "comparable")
    return [table(header, rows)] if rows else []


def _parity_verdict(said: dict[str, Any]) -> str:
    if not said["rows"]:
        return "Parity cannot be checked: the store holds no logged signals; import recall events."
    return (
        f"Parity fails: {said['rows_equal']:,} of {said['rows']:,} rows are equal ({percent(said['share'])}), "
        f"{said['unexplained_flips']} shown sets differ without an explanation."
    )


def _parity_text(said: dict[str, Any]) -> str:
    lines = [
        f"{said['rows_equal']:,} of {said['rows']:,} logged candidates reproduced ({percent(said['share'])}); "
        f"{said['flips']} shown sets differ, {said['unexplained_flips']} of them unexplained."
    ]
    lines += [f"  {one['rows']:>8,} rows differ: {one['cause']}" for one in said["causes"]]
    lines += [f"  {one['queries']:>8,} shown sets differ: {one['cause']}" for one in said["flip_causes"]]
    lines += [f"  {one['rows']:>8,} rows not compared: {one['reason']}" for one in said["excluded"]]
    return "\n".join(lines)


def _replay_text(said: dict[str, Any]) -> str:
    names = ("prompts", "shown", "used_kept", "used_lost", "removed", "newly_shown", "silent_prompts")
    rows = [(name.replace("_", " "), said[name]) for name in names]
    metrics = [
        (
            name,
            value if isinstance(value, int | float) else cell(value),
            said["readings"][name]["unknown_is_unhelpful"]["n"],
        )
        for name, value in said["metrics"].items()
    ]
    return "\n\n".join([*_missing_vectors(said), table(("count", ""), rows), table(("figure", "", "over"), metrics)])


def _missing_vectors(said: dict[str, Any]) -> list[str]:
    """A warning that belongs to the figures: without vectors two signals are missing, and much seems lost."""
    missing = said.get("engine", {}).get("prompts_without_vector", 0)
    if not missing:
        return []
    return [
        f"{missing:,} of {counted(said['prompts'], 'prompt has', 'prompts have')} no vector: their dense and "
        "glossary signals are missing, and "
        "what follows is no measure of the configuration. Run `workbench embed` first."
    ]
