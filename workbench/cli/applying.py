"""Commands that change a server: apply, rollback."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from workbench.apply import SettingsApi, apply, differences, records_folder, rollback
from workbench.apply.run import newest
from workbench.check import forecast
from workbench.cli.options import Config, Db, Json, store_path
from workbench.cli.output import emit, table
from workbench.errors import BadInput
from workbench.export import proposal_of
from workbench.params import Params
from workbench.params.toml import read_toml
from workbench.replay.logged import settings_in_force
from workbench.replay.run import Settings
from workbench.replay.selection import Selection
from workbench.store import reading
from workbench.tune import load_result, studies_folder

Server = Annotated[str, typer.Option("--server", help="Address of the server, for example http://localhost:18901.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do it; without it the difference is only shown.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("apply")(apply_command)
    app.command("rollback")(rollback_command)


def apply_command(
    server: Server,
    study: Annotated[str | None, typer.Option(help="Apply the result of this study: the keys that it changed.")] = None,
    config: Config = None,
    yes: Yes = False,
    db: Db = None,
    json: Json = False,
) -> None:
    """Put a configuration in force through the server's settings API; the former values are kept."""
    params, keys, source = _wanted(db, study, config)
    api = SettingsApi.from_environment(server)
    changes = differences(api, params, keys)
    said: dict[str, Any] = {
        "server": api.shown,
        "changes": [{"key": one.key, "from": one.before, "to": one.after} for one in changes],
        "applied": False,
    }
    if changes and yes:
        path = store_path(db)
        record = apply(api, changes, records_folder(path), source, _forecast(path, params))
        said |= {"applied": True, "record": record.number}
    emit(said, json, _apply_text(said))


def rollback_command(server: Server, yes: Yes = False, db: Db = None, json: Json = False) -> None:
    """Take the newest application on a server back."""
    api = SettingsApi.from_environment(server)
    folder = records_folder(store_path(db))
    if yes:
        record, since = rollback(api, folder)
    else:
        record, since = newest(folder, api.shown), []
    back = [
        {"key": key, "from": record.after[key], "to": value} for key, value in record.before.items() if key not in since
    ]
    said = {"server": api.shown, "record": record.number, "changes": back, "changed_since": since, "undone": yes}
    emit(said, json, _rollback_text(said))


def _wanted(db: Path | None, study: str | None, config: Path | None) -> tuple[Params, list[str] | None, str]:
    """The configuration, the keys that it is about (None: all), and where it comes from."""
    if (study is None) == (config is None):
        raise BadInput("Name what to apply: either --study NAME or --config FILE.")
    if study is not None:
        proposal = proposal_of(load_result(studies_folder(store_path(db)), study))
        return proposal.params, proposal.changed, f"study {study}"
    file = Path(config or "")
    return read_toml(file), None, f"file {file.name}"


def _forecast(path: Path, params: Params) -> dict[str, Any] | None:
    """What the configuration would have given on the log, for `workbench check` later; None without a log."""
    if not path.exists():
        return None
    with reading(path) as db:
        return forecast(db, Settings(params, settings_in_force(db).params), Selection())


def _apply_text(said: dict[str, Any]) -> str:
    if not said["changes"]:
        return f"{said['server']} runs with these values already."
    rows = [(one["key"], one["from"], one["to"]) for one in said["changes"]]
    done = (
        f"Applied to {said['server']}; `workbench rollback --server {said['server']} --yes` takes it back."
        if said["applied"]
        else f"Nothing was changed on {said['server']}; add --yes to do it."
    )
    return f"{table(('key', 'present', 'new'), rows)}\n{done}"


def _rollback_text(said: dict[str, Any]) -> str:
    rows = [(one["key"], one["from"], one["to"]) for one in said["changes"]]
    lines = [table(("key", "applied", "former"), rows)]
    if said["changed_since"]:
        lines.append(f"Changed by somebody since and left alone: {', '.join(said['changed_since'])}.")
    lines.append(
        f"The former values are in force on {said['server']}."
        if said["undone"]
        else f"Nothing was changed on {said['server']}; add --yes to do it."
    )
    return "\n".join(lines)
