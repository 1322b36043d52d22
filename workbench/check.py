"""Whether a configuration may go into force, and whether one that did keeps what was forecast."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from workbench.metrics import replay_summary
from workbench.metrics.report.sufficiency import FEW as LEAST_USED
from workbench.replay.parity import REQUIRED_SHARE, parity
from workbench.replay.run import Settings
from workbench.replay.selection import SELECTED, Selection
from workbench.store import Database

FORECAST = ("shown_per_prompt", "noise_per_prompt", "use_rate")
LEAST_PROMPTS = 100
PASSES, FAILS, THIN = "passes", "fails", "not enough evidence"
KEPT, MISSED, EARLY = "kept", "missed", "too early"


@dataclass(frozen=True)
class Limits:
    """What a configuration may cost at most: the share of used memories lost and of shown ones nothing is known of, and
    the least share of logged rows that a replay of the configuration in force has to reproduce; each 0..1."""

    used_lost: float = 0.10
    unknown_share: float = 0.10
    parity: float = REQUIRED_SHARE


def gate(db: Database, settings: Settings, selection: Selection, limits: Limits) -> dict[str, Any]:
    """Hold a configuration against limits on the selected prompts.

    `verdict` is PASSES, FAILS, or THIN where fewer than LEAST_USED used memories are there to lose; `checks` name each
    limit with its value and counts.
    """
    selection.for_replay().materialise(db)
    said = replay_summary(db, settings, SELECTED)
    found = parity(db, Settings(settings.in_force, settings.in_force), SELECTED)
    used = said["used_kept"] + said["used_lost"]
    checks = [
        _check("used memories lost", said["used_lost"], used, limits.used_lost, at_most=True),
        _check("newly shown memories that nothing is known of", said["newly_shown"], said["shown"],
               limits.unknown_share, at_most=True),
        _check("logged rows reproduced", found.rows_equal, found.rows, limits.parity, at_most=False),
    ]  # fmt: skip
    failed = any(check["ok"] is False for check in checks)
    verdict = FAILS if failed else PASSES if used >= LEAST_USED and found.rows else THIN
    return {"verdict": verdict, "prompts": said["prompts"], "used": used, "checks": checks}


def _check(name: str, count: int, of: int, limit: float, *, at_most: bool) -> dict[str, Any]:
    share = count / of if of else None
    ok = None if share is None else (share <= limit if at_most else share >= limit)
    return {"check": name, "count": count, "of": of, "share": share, "limit": limit, "at_most": at_most, "ok": ok}


def forecast(db: Database, settings: Settings, selection: Selection) -> dict[str, Any]:
    """What `settings` would have given on the selected prompts: each figure of FORECAST with its 95 % interval."""
    selection.for_replay().materialise(db)
    said = replay_summary(db, settings, SELECTED)
    return {
        "prompts": said["prompts"],
        "figures": {name: {"value": said["metrics"][name], "interval": _interval(said, name)} for name in FORECAST},
    }


def held(db: Database, in_force: Settings, forecasted: Mapping[str, Any], since: datetime) -> dict[str, Any]:
    """Hold a forecast against the prompts logged since `since`: KEPT where the intervals of both overlap in every
    figure that both have, MISSED where they do not, EARLY below LEAST_PROMPTS prompts."""
    since_then = replace(Selection(), since=since)
    since_then.materialise(db)
    said = replay_summary(db, in_force, SELECTED)
    figures = {}
    for name, promised in forecasted["figures"].items():
        interval = _interval(said, name)
        figures[name] = {
            "forecast": promised["value"],
            "forecast_interval": promised["interval"],
            "value": said["metrics"][name],
            "interval": interval,
            "held": _overlap(promised["interval"], interval),
        }
    early = said["prompts"] < LEAST_PROMPTS or all(figure["held"] is None for figure in figures.values())
    missed = any(figure["held"] is False for figure in figures.values())
    verdict = EARLY if early else MISSED if missed else KEPT
    return {"verdict": verdict, "prompts": said["prompts"], "since": since.isoformat(), "figures": figures}


def _interval(said: Mapping[str, Any], name: str) -> list[float] | None:
    """The interval of a figure; the value alone where all sessions have the same, None where there is none."""
    interval: list[float] | None = said["intervals"][name]
    value: float | None = said["metrics"][name]
    return [value, value] if interval is None and value is not None else interval


def _overlap(one: list[float] | None, other: list[float] | None) -> bool | None:
    return None if one is None or other is None else one[0] <= other[1] and other[0] <= one[1]
