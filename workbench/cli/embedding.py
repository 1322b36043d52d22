"""The command that gives texts their vectors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from workbench import jobs
from workbench.cli.options import Config, Db, Json, store_path
from workbench.cli.output import cell, emit, progress, table
from workbench.embed.choose import KIND_VARIABLE, KINDS, MODEL_VARIABLE, URL_VARIABLE, Wanted
from workbench.embed.fill import BATCH
from workbench.embed.protocol import KEY_VARIABLE
from workbench.embed.texts import KINDS as TEXT_KINDS
from workbench.errors import BadInput, Stopped
from workbench.params.toml import read_toml
from workbench.text import counted, shown

_LISTED = 20


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("embed")(embed_command)


def embed_command(
    db: Db = None,
    embedder: Annotated[
        str | None,
        typer.Option(help=f"{', '.join(KINDS)}; else {KIND_VARIABLE}, else the import's model where it runs here."),
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(help=f"Server with /v1/embeddings; else {URL_VARIABLE}. Its key: {KEY_VARIABLE}.")
    ] = None,
    model: Annotated[
        str | None, typer.Option(help=f"Model to ask the server for; else {MODEL_VARIABLE}, else the import's.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="Keep the vectors under this name instead of the model's.")] = None,
    file: Annotated[
        Path | None, typer.Option("--from", help="Take finished vectors of --model from a Parquet file (text, vector).")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", help=f"Kind of texts: {', '.join(TEXT_KINDS)}; repeatable.")
    ] = None,
    batch: Annotated[int, typer.Option(help="Texts a request.")] = BATCH,
    config: Config = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Count what is missing and change nothing.")] = False,
    json: Json = False,
) -> None:
    """Give views, keywords and prompts the vectors that they lack; a stopped run goes on where it was."""
    if file is not None and (only or config):
        raise BadInput("--from takes all vectors of the file; leave --only and --config out.")
    request = jobs.Embedding(
        Wanted(embedder, base_url, model, name, file),
        tuple(only) if only else TEXT_KINDS,
        batch,
        read_toml(config) if config else None,
        dry_run,
    )
    try:
        with progress(json) as step:
            said = jobs.embed_texts(store_path(db), request, step)
    except KeyboardInterrupt:
        raise Stopped("Stopped; what was embedded is kept.") from None
    emit(said, json, _text(said))


def _text(said: dict[str, Any]) -> str:
    rows = [(kind, counts["texts"], counts["texts"] - counts["missing"], counts["missing"])
            for kind, counts in said["kinds"].items()]  # fmt: skip
    parts = [table(("texts", "all", "had a vector", "lacked one"), rows)]
    if said["dry_run"]:
        parts.append(
            f"{counted(said['missing'], 'text')} would be embedded with {said['model']}. Dry run: nothing was changed."
        )
    else:
        parts.append(
            f"{counted(said['embedded'], 'text')} embedded with {said['model']} "
            f"({cell(said['dimension'])} numbers each), "
            f"{said['present']:,} had a vector before, {len(said['refused']):,} got none."
        )
    parts += [f"No vector for {shown(one['text'], 60)!r}: {shown(one['reason'])}" for one in said["refused"][:_LISTED]]
    if len(said["refused"]) > _LISTED:
        parts.append(f"… and {len(said['refused']) - _LISTED} more (all with --json).")
    return "\n".join([*parts, *said["notes"]])
