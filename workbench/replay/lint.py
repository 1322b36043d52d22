"""What is valid in a configuration and yet hardly meant."""

from __future__ import annotations

from workbench.params import KEYS, THRESHOLD, Params, snap
from workbench.params.keys import Effect
from workbench.replay.reach import TOP_TIER, reachability
from workbench.replay.run import Settings
from workbench.store import in_memory

_BASE, _STEP = "recall.bonus.priority_base", "recall.bonus.priority_step"
_VIEW_STEP, _CAP = "recall.bonus.multi_view_step", "recall.bonus.multi_view_cap"
_RECENCY = "recall.recency."


def lint(params: Params, current: Params) -> list[str]:
    """One sentence for each doubt about `params` in the place of `current`; none is an error."""
    changed = params.changed_from(current)
    return [
        *_stored(changed),
        *_idle(params, changed),
        *(
            f"{name} = {value:g} lies off its step of {KEYS[name].step:g}."
            for name, value in changed.items()
            if KEYS[name].kind is float and snap(KEYS[name], value) != value
        ),
        *_reach(params),
    ]


def _stored(changed: dict[str, bool | int | float]) -> list[str]:
    """Changes that need more than a new value in force."""
    said = {
        Effect.REBUILD: "is kept with each view: it takes effect when the server has rebuilt its views.",
        Effect.RERETRIEVE: "changes what is searched or skipped: a replay of logged signals says nothing about it.",
    }
    return [f"{name} {said[KEYS[name].effect]}" for name in changed if KEYS[name].effect in said]


def _idle(params: Params, changed: dict[str, bool | int | float]) -> list[str]:
    """Values that change nothing beside the others."""
    found = []
    if params[_STEP] > params[_BASE]:
        found.append(f"{_STEP} {params[_STEP]:g} is above {_BASE} {params[_BASE]:g}: only priority 0 gets a bonus.")
    if params[_CAP] < params[_VIEW_STEP]:
        found.append(f"{_CAP} {params[_CAP]:g} is below {_VIEW_STEP} {params[_VIEW_STEP]:g}: the cap alone counts.")
    if not params[f"{_RECENCY}enabled"]:
        found += [
            f"{name} has no effect while {_RECENCY}enabled is false."
            for name in changed
            if name.startswith(_RECENCY) and not name.endswith("enabled")
        ]
    return found


def _reach(params: Params) -> list[str]:
    with in_memory() as db:
        table = reachability(db, Settings(params, params), tiers=TOP_TIER, most_priority=0)
    best = max(row.best[0] for row in table.rows)
    if best >= table.threshold:
        return []
    return [
        f"{THRESHOLD} {table.threshold:g} is out of reach: the best match of all scores {best:.4f}. Nothing is shown."
    ]
