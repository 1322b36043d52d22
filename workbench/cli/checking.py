"""The command check: the gate before a configuration goes into force, and the forecast afterwards."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from workbench.apply import records_folder
from workbench.apply.records import APPLIED, Record, records
from workbench.check import FAILS, MISSED, THIN, Limits, gate, held
from workbench.cli.filters import filtered
from workbench.cli.options import Config, Db, Json, opened, store_path
from workbench.cli.output import cell, emit, percent, table
from workbench.errors import AnswerIsNo, BadInput, NotEnoughEvidence
from workbench.replay.selection import Selection
from workbench.text import counted

_STANDARD = Limits()


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command("check")(check_command)


@filtered
def check_command(
    config: Config = None,
    max_used_lost: Annotated[
        float, typer.Option(help="Share of used memories that may be lost.")
    ] = _STANDARD.used_lost,
    max_unknown_share: Annotated[
        float, typer.Option(help="Share of shown memories that nothing may be known of.")
    ] = _STANDARD.unknown_share,
    min_parity: Annotated[float, typer.Option(help="Share of logged rows to be reproduced.")] = _STANDARD.parity,
    db: Db = None,
    json: Json = False,
    *,
    chosen: Selection,
) -> None:
    """With --config, may it go into force? Without, does what was applied keep its forecast? Exit 3: no; 4: unknown."""
    for option, value in (
        ("--max-used-lost", max_used_lost), ("--max-unknown-share", max_unknown_share), ("--min-parity", min_parity),
    ):  # fmt: skip
        if not 0 <= value <= 1:
            raise BadInput(f"{option} {value:g} is not between 0 and 1.")
    if config is None:
        _forecast(db, json)
        return
    limits = Limits(max_used_lost, max_unknown_share, min_parity)
    with opened(db, config) as (database, settings):
        said = gate(database, settings, chosen, limits)
    emit(said, json, _gate_text(said))
    if said["verdict"] == FAILS:
        raise AnswerIsNo("The configuration does not keep the limits.")
    if said["verdict"] == THIN:
        raise NotEnoughEvidence(f"Only {said['used']} used memories are there to lose; that is too few to say.")


def _forecast(db: Path | None, json: bool) -> None:
    record = _newest(store_path(db))
    with opened(db) as (database, settings):
        said = held(database, settings, record.forecast or {"figures": {}}, datetime.fromisoformat(record.at))
    emit({**said, "record": record.number, "source": record.source}, json, _held_text(said, record))
    if said["verdict"] == MISSED:
        raise AnswerIsNo("The forecast is missed; `workbench rollback` takes the application back.")


def _newest(path: Path) -> Record:
    found = [one for one in records(records_folder(path)) if one.state == APPLIED and one.forecast]
    if not found:
        raise BadInput("Nothing with a forecast was applied from this store; name a --config to check.")
    return found[-1]


def _gate_text(said: dict[str, Any]) -> str:
    rows = [
        (one["check"], f"{one['count']:,} of {one['of']:,}", percent(one["share"]),
         f"at {'most' if one['at_most'] else 'least'} {percent(one['limit'])}", one["ok"])
        for one in said["checks"]
    ]  # fmt: skip
    return f"{table(('check', 'count', 'share', 'limit', 'kept'), rows)}\nVerdict: {said['verdict']}."


def _held_text(said: dict[str, Any], record: Record) -> str:
    rows = [
        (name, one["forecast"], _span(one["forecast_interval"]), one["value"], _span(one["interval"]), one["held"])
        for name, one in said["figures"].items()
    ]
    header = ("figure", "forecast", "interval", "since then", "interval", "kept")
    return (
        f"{record.source}, applied {record.at}: {counted(said['prompts'], 'prompt')} since.\n{table(header, rows)}\n"
        f"Forecast: {said['verdict']}."
    )


def _span(interval: list[float] | None) -> str:
    return cell(None) if interval is None else f"{interval[0]:.4f} to {interval[1]:.4f}"
