"""The command recall: what recall would show for a prompt now."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from workbench.agents import Caller, Lore, Skipped
from workbench.agents.canary import Canary
from workbench.agents.lifecycle import START, Event, Lifecycle
from workbench.cli.engine import Model, TokenizerName
from workbench.cli.explain import explain_text
from workbench.cli.options import Config, Db, Json, existing_store, opened
from workbench.cli.output import emit, say
from workbench.embed.live import query_vector
from workbench.errors import BadInput, WorkbenchError
from workbench.params.toml import read_toml
from workbench.replay.asked import new_prompt
from workbench.replay.engine import CANDIDATES, engine_model
from workbench.replay.explain import ENGINE_ROWS, explain_prompt
from workbench.replay.live import Asked, Recall, recall
from workbench.replay.query import prepare
from workbench.replay.run import Settings
from workbench.replay.tokenizers import AUTO, chosen
from workbench.retrieve.corpus import load_corpus
from workbench.retrieve.nearest import Floats
from workbench.store import Database
from workbench.textsearch import tokenizer as tokenizer_named


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command("recall")(recall_command)


def recall_command(
    prompt: Annotated[str | None, typer.Argument(help="The prompt, as an agent would send it.")] = None,
    session_id: Annotated[str | None, typer.Option(help="Stands in the block.")] = None,
    client: Annotated[str | None, typer.Option(help="Client type that is recorded, e.g. claudecode.")] = None,
    record: Annotated[bool, typer.Option("--record", help="Keep it as a recall that an agent was given.")] = False,
    start: Annotated[
        bool, typer.Option("--session-start", help="What a session of --client starts with; recorded.")
    ] = False,
    directory: Annotated[str | None, typer.Option(help="Project directory name, for --session-start.")] = None,
    repository: Annotated[str | None, typer.Option(help="Repository name, for --session-start.")] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show all stages.")] = False,
    config: Config = None,
    tokenizer: TokenizerName = AUTO,
    model: Model = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Recall memories for a prompt from the store and print the block that an agent would read."""
    if (record or start) and (explain or tokenizer != AUTO or model):
        raise BadInput(
            "What is recorded is recalled as the service does it: leave --explain, --tokenizer and --model out."
        )
    if start and prompt is not None:
        raise BadInput("A session start has no prompt; leave it or --session-start out.")
    if start:
        _start(
            existing_store(db),
            Event(START, client or "", client or "", session_id or "", "", directory or "", repository or ""),
            json,
        )
        return
    if prompt is None:
        raise BadInput("Name the prompt to recall for, or ask for --session-start.")
    if record:
        _record(existing_store(db), prompt, Caller(session_id, client), config, json)
        return
    _live(db, config, prompt, session_id, tokenizer, model, explain, json)


def _live(
    db: Path | None, config: Path | None, prompt: str, session_id: str | None, tokenizer: str, model: str | None,
    explain: bool, json: bool,
) -> None:  # fmt: skip
    """What recall would show now; nothing is recorded."""
    with opened(db, config) as (database, settings):
        words = tokenizer_named(chosen(database).name if tokenizer == AUTO else tokenizer)
        used, vector = _vector(database, settings, prompt, model)
        corpus = load_corpus(database, words, used)
        asked = Asked(prompt, datetime.now(UTC), session_id=session_id)
        found = recall(corpus, settings, asked, vector)
        stages = _stages(database, settings, asked, used) if explain else None
    emit({**found.as_json(), **({"explanation": stages} if stages else {})}, json, _recall_text(found, stages))


def _record(path: Path, prompt: str, caller: Caller, config: Path | None, json: bool) -> None:
    canary = Canary(read_toml(config)) if config else None
    with Lore(path, canary=canary) as lore:
        lore.warm_up()  # a service has loaded all long before: that is no part of its time limit
        found = lore.recall(prompt, caller)
    if isinstance(found, Skipped):
        emit({"skipped": True, "notices": found.notices}, json, "\n".join(found.notices))
        return
    emit({"query_id": found.query_id, **found.found.as_json()}, json, _recall_text(found.found, None))


def _start(path: Path, event: Event, json: bool) -> None:
    with Lore(path) as lore:
        lore.warm_up()
        answer = Lifecycle(lore).on(event)
    if not answer.context:
        say("A session of this client starts with nothing; name a runtime with --client, e.g. claudecode.")
    emit(answer.as_json(), json, answer.context)


def _vector(db: Database, settings: Settings, prompt: str, model: str | None) -> tuple[str | None, Floats | None]:
    """The model that is compared and the prompt's vector in it; without one, recall goes on by words and says so."""
    used = engine_model(db, model)
    searched = prepare(prompt, int(settings.params["recall.safety.max_query_chars"])).searched
    try:
        vector = query_vector(db, used, searched) if used else None
        missing = f"There is no vector of {used} for the prompt" if used else "No text of the store is embedded"
    except WorkbenchError as error:
        vector, missing = None, str(error).removesuffix(".")
    if vector is None:
        say(f"{missing}: recalled by words alone; `workbench embed` adds the signals of meaning.")
    return used, vector


def _stages(db: Database, settings: Settings, asked: Asked, model: str | None) -> dict[str, Any]:
    """All stages of the prompt that was recalled for last."""
    prompt = new_prompt(db, settings.params, asked.prompt, asked.now, model, asked.name(0))
    return explain_prompt(db, replace(settings, candidates=CANDIDATES), prompt, ENGINE_ROWS).as_json()


def _recall_text(found: Recall, stages: dict[str, Any] | None) -> str:
    suppressed = ", ".join(f"{count} {cause}" for cause, count in found.suppressed.items() if count)
    lines = [found.block or "Nothing is shown for this prompt, which is normal.", *found.notices]
    if suppressed:
        lines.append(f"Looked at and not shown: {suppressed}.")
    if stages:
        lines += ["", explain_text(stages, logged=False)]
    return "\n".join(lines)
