"""Options that several commands share, and how they become the values that the functions take."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from workbench.errors import BadInput
from workbench.judge.evidence import SOURCES
from workbench.params import Params
from workbench.params.toml import read_toml
from workbench.replay.logged import settings_in_force
from workbench.replay.run import Settings
from workbench.replay.selection import TRAFFIC, Selection
from workbench.retrieve.clock import read_time
from workbench.store import Database, reading

DEFAULT_DB = "workbench.duckdb"

Db = Annotated[Path | None, typer.Option("--db", help="The store; else WORKBENCH_DB, else ./workbench.duckdb.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON document on standard output.")]
Config = Annotated[Path | None, typer.Option("--config", help="A TOML configuration; else the one in force.")]
Traffic = Annotated[
    list[str] | None, typer.Option("--traffic", help=f"Traffic class ({', '.join(TRAFFIC)} or all); repeatable.")
]
Client = Annotated[
    list[str] | None, typer.Option("--client", help="Client type, 'none' for queries without one; repeatable.")
]
Text = Annotated[str | None, typer.Option("--text", help="Only prompts with this text, taken literally.")]
Sources = Annotated[
    list[str] | None,
    typer.Option("--evidence", help=f"What counts as a use ({', '.join(SOURCES)}); repeatable; else linked alone."),
]
Since = Annotated[str | None, typer.Option("--since", help="Only from this time on (ISO 8601, UTC unless it says).")]
Until = Annotated[str | None, typer.Option("--until", help="Only before this time.")]


def store_path(db: Path | None) -> Path:
    """The store that a command works on."""
    return db or Path(os.environ.get("WORKBENCH_DB") or DEFAULT_DB)


def selection(
    traffic: list[str] | None,
    client: list[str] | None,
    text: str | None = None,
    since: str | None = None,
    until: str | None = None,
) -> Selection:
    """The filter that the options describe; the default keeps typed prompts."""
    unknown = sorted(set(traffic or ()) - {*TRAFFIC, "all"})
    if unknown:
        raise BadInput(f"Unknown traffic class {unknown[0]!r}; choose from {', '.join(TRAFFIC)} or all.")
    classes: tuple[str, ...] | None = tuple(traffic or ("prompt",))
    return Selection(
        traffic=None if "all" in (traffic or ()) else classes,
        clients=tuple("" if name == "none" else name for name in client) if client else None,
        text=text,
        since=moment("--since", since),
        until=moment("--until", until),
    )


def moment(option: str, text: str | None) -> datetime | None:
    """A point in time; one without a zone is UTC."""
    return None if text is None else read_time(option, text)


@contextmanager
def opened(db: Path | None, config: Path | None = None) -> Iterator[tuple[Database, Settings]]:
    """The store, read-only, and what a replay runs with: `config`, or the configuration in force."""
    params = read_toml(config) if config else None
    with reading(store_path(db)) as database:
        in_force: Params = settings_in_force(database).params
        yield database, Settings(params or in_force, in_force)
