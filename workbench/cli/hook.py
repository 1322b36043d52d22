"""The command of agent runtimes: one hook, and what installs it and takes it out again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from workbench.cli.options import Db, Json, store_path
from workbench.cli.output import emit
from workbench.errors import BadInput
from workbench.hooks.front import LIMIT_SECONDS, Call, Misused, read_call, run
from workbench.hooks.hosts import EVENTS, HOSTS
from workbench.hooks.install import Installed, install, uninstall

_WAYS = ("install", "uninstall")


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command("hook")(hook_command)


def hook_command(
    runtime: Annotated[str, typer.Argument(help=f"{', '.join(HOSTS)}; or {', '.join(_WAYS)}.")],
    event: Annotated[str, typer.Argument(help=f"{', '.join(EVENTS)}; for {', '.join(_WAYS)} the runtime.")],
    db: Db = None,
    url: Annotated[str | None, typer.Option(help="Ask this running service instead of the store.")] = None,
    limit: Annotated[float, typer.Option(help="Seconds after which a recall is skipped, 10 at most.")] = LIMIT_SECONDS,
    settings: Annotated[Path | None, typer.Option(help="The runtime's settings file; else its usual one.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be written and change nothing.")] = False,
    json: Json = False,
) -> None:
    """Answer a hook of an agent runtime on standard input; or `install` and `uninstall` it in its settings."""
    if runtime not in _WAYS:
        found = run(_call(runtime, event, db, url, limit))
        emit({"runtime": runtime, "event": event, "output": found}, json, found)
        return
    if runtime == "install":
        done = install(_call(event, EVENTS[0], db, url, limit), settings, dry_run=dry_run)
    else:
        done = uninstall(event, settings, dry_run=dry_run)
    emit(done.as_json(), json, _text(done))


def _call(runtime: str, event: str, db: Path | None, url: str | None, limit: float) -> Call:
    words = [runtime, event, "--db", str(store_path(db).resolve()), "--limit", str(limit)]
    try:
        return read_call([*words, *(["--url", url] if url else [])])
    except Misused as problem:
        raise BadInput(str(problem)) from None


def _text(done: Installed) -> str:
    said = f"{done.settings}: {done.action}."
    return "\n".join([said, *([done.snippet] if done.snippet else []), *done.notes])
