"""The command periods: which settings were in force when, and what may be compared across them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import typer

from workbench.cli.filters import filtered
from workbench.cli.options import Db, Json, opened
from workbench.cli.output import emit, table
from workbench.replay.selection import SELECTED, Selection


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command("periods")(periods_command)


@filtered
def periods_command(db: Db = None, json: Json = False, *, chosen: Selection) -> None:
    """Recover from the logged terms which settings were in force when, and what was used before and after a change."""
    from workbench.estimate.overlap import overlap_of
    from workbench.estimate.periods import find_periods

    with opened(db) as (database, settings):
        chosen.for_replay().materialise(database)
        found = find_periods(database, settings.in_force, SELECTED)
        overlaps = [overlap_of(database, *both, settings.in_force, SELECTED) for both in pairwise(found.periods)]
    said = found.as_json() | {"overlaps": [one and one.as_json() for one in overlaps]}
    emit(said, json, periods_text(said))


def periods_text(said: Mapping[str, Any]) -> str:
    """The periods, what changed, and the overlap of neighbours."""
    parts = [said["said"]]
    if said["periods"]:
        rows = [
            (number, (one["since"] or "")[:16], (one["until"] or "")[:16], one["queries"])
            for number, one in enumerate(said["periods"], 1)
        ]
        parts.append(table(("period", "from", "to", "prompts"), rows))
        parts.append(table(("key", *(str(row[0]) for row in rows)), list(_ranges(said["periods"]))))
    parts += [line for number, one in enumerate(said["periods"], 1) for line in _changed(number, one["changed"])]
    if said["alternating"]:
        parts.append(f"To and fro, or not in agreement, taken as in force: {', '.join(said['alternating'])}.")
    for number, overlap in enumerate(said["overlaps"], 1):
        parts.append(f"Period {number} against {number + 1}:")
        parts.append(
            _overlap(overlap) if overlap else "No client asked 20 prompts or more in both: nothing to compare."
        )
    return "\n\n".join(parts)


def importance_text(said: Mapping[str, Any]) -> str:
    """Why weighting is refused, and what was compared instead."""
    parts = [said["refused"], "Both configurations were in force in the log; held against each other there:"]
    for pair in said["pairs"]:
        parts += [f"{pair['config']} against {pair['against']}:", _overlap(pair)]
    return "\n\n".join(parts)


def _overlap(overlap: Mapping[str, Any]) -> str:
    rows = [
        (name.replace("_", " "), one["before"], one["after"], one["difference"], _span(one["interval"]))
        for name, one in overlap["differences"].items()
    ]
    return f"{overlap['said']}\n" + table(("figure", "first", "second", "difference", "its 95 % interval"), rows)


def _changed(number: int, changed: Mapping[str, Any]) -> Iterator[str]:
    """What a period starts with, if something changed."""
    if changed:
        moved = [f"{name} {_range(before)} → {_range(after)}" for name, (before, after) in changed.items()]
        yield f"Period {number} starts with {', '.join(moved)}."


def _ranges(periods: Any) -> Iterator[tuple[str, ...]]:
    for name in dict.fromkeys(name for one in periods for name in one["ranges"]):
        yield (name, *(_range(one["ranges"].get(name)) for one in periods))


def _range(ends: Any) -> str:
    if ends is None:
        return "no trace"
    low, high = ends
    return f"{round((low + high) / 2, 4):g}" if high - low < 0.001 else f"{low:.3f} to {high:.3f}"


def _span(interval: Any) -> str | None:
    return None if interval is None else f"{interval[0]:+.4f} to {interval[1]:+.4f}"
