"""Options that several commands share, and how they become the values that the functions take."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from workbench.cli.output import say
from workbench.judge.evidence import SOURCES
from workbench.judge.hand import reading_answers
from workbench.params import Params
from workbench.params.toml import read_toml
from workbench.replay.logged import settings_in_force
from workbench.replay.run import Settings
from workbench.retrieve.clock import read_time
from workbench.store import Database, Inbox, reading

DEFAULT_DB = "workbench.duckdb"

Db = Annotated[Path | None, typer.Option("--db", help="The store; else WORKBENCH_DB, else ./workbench.duckdb.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON document on standard output.")]
Config = Annotated[Path | None, typer.Option("--config", help="A TOML configuration; else the one in force.")]
Sources = Annotated[
    list[str] | None,
    typer.Option("--evidence", help=f"What counts as a use ({', '.join(SOURCES)}); repeatable; else linked alone."),
]


def store_path(db: Path | None) -> Path:
    """The store that a command works on."""
    return db or Path(os.environ.get("WORKBENCH_DB") or DEFAULT_DB)


def moment(option: str, text: str | None) -> datetime | None:
    """A point in time; one without a zone is UTC."""
    return None if text is None else read_time(option, text)


def existing_store(db: Path | None) -> Path:
    """The path of a store that is there; BadInput for none, so that a name that was mistyped makes no store."""
    path = store_path(db)
    with reading(path):
        return path


@contextmanager
def opened(db: Path | None, config: Path | None = None) -> Iterator[tuple[Database, Settings]]:
    """The store, read-only, and what a replay runs with: `config`, or the configuration in force."""
    params = read_toml(config) if config else None
    path = store_path(db)
    with reading_answers(path) as database:
        waiting = Inbox(path).size
        in_force: Params = settings_in_force(database).params
        yield database, Settings(params or in_force, in_force)
    if waiting:  # only now: an error is one sentence, and what waits is no part of it
        say(f"{waiting:,} bytes of events wait to be taken into the store; `workbench fold` does it.")
