"""Which settings were in force when, recovered from the logged terms: a weight is a term over its signal."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any

from workbench.params import KEYS, Params, Value, snap
from workbench.replay.run import Settings, candidates_of
from workbench.store import Database, compose

ROUNDING = 2e-6
SLACK = 1e-5
LEAST_QUERIES = 5
_MOST_RUNS = 12


@dataclass(frozen=True)
class Run:
    """Queries `first` to `last` (numbers in order of time) that agree on one value of a key, between `low` and `high`;
    `queries` of them speak of it."""

    first: int
    last: int
    low: float
    high: float
    queries: int


@dataclass(frozen=True)
class Period:
    """Queries from the number `first` up to, but without, `end`, under one configuration. `ranges` holds what could be
    recovered, as the least and the greatest value; `params` the settings in force, and where one lies outside its range
    the value of the key's grid that is inside."""

    first: int
    end: int
    since: datetime | None
    until: datetime | None
    queries: int
    ranges: Mapping[str, tuple[float, float]]
    params: Params

    def fits(self, params: Params) -> bool:
        """Whether `params` agrees with all that could be recovered, and elsewhere with the settings in force."""
        if not set(params.changed_from(self.params)) <= set(self.ranges):
            return False
        return all(low - SLACK <= float(params[name]) <= high + SLACK for name, (low, high) in self.ranges.items())


@dataclass(frozen=True)
class Periods:
    """The configurations of a log, oldest first. `alternating` names keys that change to and fro, or that the signals
    of a query do not agree on, and that are therefore left as they are in force."""

    periods: Sequence[Period]
    alternating: Sequence[str]

    def sentence(self) -> str:
        """How many there are."""
        if not self.periods:
            return "No logged terms: nothing says which settings were in force."
        if len(self.periods) == 1:
            return "One configuration was in force over the whole log, as far as logged terms tell."
        return f"{len(self.periods)} configurations were in force one after the other."

    def changes(self, number: int) -> dict[str, list[list[float]]]:
        """What changed from the period before: key to the ranges before and after."""
        if number == 0:
            return {}
        before, after = self.periods[number - 1].ranges, self.periods[number].ranges
        return {
            name: [list(before[name]), list(after[name])]
            for name in after
            if name in before and (before[name][1] < after[name][0] or after[name][1] < before[name][0])
        }

    def as_json(self) -> dict[str, Any]:
        """The document of `workbench periods --json`."""
        return {
            "said": self.sentence(),
            "periods": [
                {
                    "since": one.since and one.since.isoformat(),
                    "until": one.until and one.until.isoformat(),
                    "queries": one.queries,
                    "ranges": {name: list(ends) for name, ends in one.ranges.items()},
                    "settings": {name: one.params[name] for name in one.ranges},
                    "changed": self.changes(number),
                }
                for number, one in enumerate(self.periods)
            ],
            "alternating": list(self.alternating),
        }


def find_periods(db: Database, in_force: Params, selected: str) -> Periods:
    """Recover the configurations under which the queries of the table `selected` were logged. Values that leave no
    trace in a term (recency, view weights, the number of places) are taken to be those in force."""
    chain = (candidates_of(selected), "score", "estimate/weight_hints")
    rows = db.rows(compose(chain), Settings(in_force, in_force).bindings() | {"rounding": ROUNDING})
    times = {number: now for number, _, now, *_ in rows}
    hints: dict[str, list[tuple[int, float, float]]] = defaultdict(list)
    for number, _, _, key, low, high in rows:
        hints[key].append((number, low, high))
    runs = {key: runs_of(own) for key, own in hints.items()}
    alternating = sorted(key for key, own in runs.items() if not 1 <= len(own) <= _MOST_RUNS)
    steady = {key: own for key, own in runs.items() if key not in alternating}
    starts = [min(times), *cuts(steady)] if times else []
    ends = [*starts[1:], max(times) + 1] if times else []
    found = [_period(first, end, times, steady, in_force) for first, end in zip(starts, ends, strict=True)]
    return Periods(found, alternating)


def runs_of(hints: Sequence[tuple[int, float, float]]) -> list[Run]:
    """The longest runs of queries that agree on a value, in order: (number, low, high) each. Runs of less
    than LEAST_QUERIES are strays and dropped; neighbours that agree then become one."""
    runs: list[Run] = []
    for number, low, high in hints:
        if low > high:
            continue
        last = runs[-1] if runs else None
        if last and max(last.low, low) <= min(last.high, high):
            runs[-1] = Run(last.first, number, max(last.low, low), min(last.high, high), last.queries + 1)
        else:
            runs.append(Run(number, number, low, high, 1))
    joined: list[Run] = []
    for run in (one for one in runs if one.queries >= LEAST_QUERIES):
        last = joined[-1] if joined else None
        low, high = (max(last.low, run.low), min(last.high, run.high)) if last else (1.0, 0.0)
        if last and low <= high:
            joined[-1] = Run(last.first, run.last, low, high, last.queries + run.queries)
        else:
            joined.append(run)
    return joined


def cuts(runs: Mapping[str, Sequence[Run]]) -> list[int]:
    """The fewest points in time that explain all changes: each change lies after the last query of one run and not
    after the first of the next; a point is the number of the first query of a new period."""
    gaps = sorted((after.first, before.last) for own in runs.values() for before, after in pairwise(own))
    points: list[int] = []
    for end, start in gaps:
        if not points or points[-1] <= start:
            points.append(end)
    return points


def _period(
    first: int, end: int, times: Mapping[int, datetime | None], runs: Mapping[str, Sequence[Run]], in_force: Params
) -> Period:
    ranges = {}
    for key, own in runs.items():
        fitting = [run for run in own if run.first < end and run.last >= first]
        if fitting:
            run = max(fitting, key=lambda run: min(run.last, end - 1) - max(run.first, first))
            ranges[key] = (run.low, run.high)
    own_times = [now for number, now in times.items() if first <= number < end]
    named = {key: found for key, ends in ranges.items() if (found := _value(key, ends, in_force)) is not None}
    return Period(first, end, own_times[0], own_times[-1], len(own_times), ranges, in_force.replace(named))


def _value(key: str, ends: tuple[float, float], in_force: Params) -> Value | None:
    """The value for a range: the one in force, else the one inside on the key's grid that is nearest to it, else the
    middle; None where that lies outside the key's range."""
    low, high = ends
    present, step = float(in_force[key]), KEYS[key].step
    if low - SLACK <= present <= high + SLACK:
        return in_force[key]
    near = (high, high - step) if present > high else (low, low + step)
    inside = [value for at in near if low - SLACK <= (value := float(snap(KEYS[key], at))) <= high + SLACK]
    value = inside[0] if inside else round((low + high) / 2, 6)
    return value if KEYS[key].low <= value <= KEYS[key].high else None
