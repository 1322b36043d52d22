"""Intervals of measures, and of the differences between two configurations, by session bootstrap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite, isnan
from typing import Any

import numpy as np

from workbench.metrics.bootstrap import RESAMPLES, SEED, Array, Interval, Statistic, bootstrap, difference, ratio
from workbench.metrics.figures import LISTS, measured
from workbench.metrics.measure import Measure
from workbench.metrics.shrinkage import Sessions, design_effect
from workbench.metrics.used_lost import UsedLost
from workbench.metrics.wilson import wilson
from workbench.store import Database, compose, sql_text

READINGS = ("judged_only", "unknown_is_unhelpful")


@dataclass(frozen=True)
class Difference:
    """How much a measure differs between two configurations on the same prompts: second minus first."""

    name: str
    first: float | None
    second: float | None
    interval: Interval | None

    @property
    def effect(self) -> float | None:
        """The paired difference; None where either figure has no data."""
        return None if self.first is None or self.second is None else self.second - self.first


def intervals(
    db: Database,
    measures: Sequence[Measure],
    lists: str = LISTS,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> dict[str, dict[str, Interval | None]]:
    """Measure name to reading to the 95 % interval of its figure; None where there is nothing to resample."""
    found: dict[str, dict[str, Interval | None]] = {}
    for measure in measures:
        sql = compose(measured(measure, lists=lists), sql_text("metrics/clusters"))
        sums, sessions = arrays(db, sql, measure.bindings())
        found[measure.name] = {
            reading: share_interval(sums[:, column : column + 2], sessions)
            if isinstance(measure, UsedLost)
            else bootstrap(sums[:, column : column + 2], sessions, _figure(measure), resamples=resamples, seed=seed)
            for reading, column in zip(READINGS, (0, 2), strict=True)
        }
    return found


def share_interval(sums: Array, sessions: Array) -> Interval | None:
    """The 95 % Wilson interval of a share from hits and trials of each kind of session; trials of a session that are
    alike count less, by their design effect."""
    hits, trials = (sessions @ sums).tolist()
    alike = likeness(sums, sessions)
    return wilson(hits / alike, trials / alike)


def likeness(sums: Array, sessions: Array) -> float:
    """The design effect of a share from hits and trials of each kind of session."""
    squares = (float(sessions @ (sums[:, a] * sums[:, b])) for a, b in ((0, 0), (0, 1), (1, 1)))
    hits, trials = (sessions @ sums).tolist()
    return design_effect([(hits, trials)], [Sessions(*squares)])


def differences(
    db: Database,
    measures: Sequence[Measure],
    first: str,
    second: str,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> dict[str, dict[str, Difference]]:
    """Measure name to reading to the paired difference between the prepared lists `first` and `second`."""
    found: dict[str, dict[str, Difference]] = {}
    for measure in measures:
        stages = (*measured(measure, lists=first), *measured(measure, "measured_b", second))
        sums, sessions = arrays(db, compose(stages, sql_text("metrics/paired_clusters")), measure.bindings())
        found[measure.name] = {
            reading: _difference(
                measure, sums[:, [column, column + 1, column + 4, column + 5]], sessions, resamples, seed
            )
            for reading, column in zip(READINGS, (0, 2), strict=True)
        }
    return found


def _figure(measure: Measure, top: int = 0) -> Statistic:
    """A measure as the ratio of columns `top` and `top` + 1, within the bounds of its unit."""
    low = -inf if measure.signed else 0.0
    return ratio(top, top + 1, low, 1.0 if measure.unit == "0..1" else inf)


def _as_seen(statistic: Statistic, sums: Array, top: int) -> Statistic:
    """A figure that every session has at its lower or upper bound stays there: what is shown now is all judged, so that
    another configuration can only have less of it."""
    for bound in (statistic.low, statistic.high):
        if isfinite(bound) and np.array_equal(sums[:, top], bound * sums[:, top + 1]):
            return replace(statistic, low=bound, high=bound)
    return statistic


def _difference(measure: Measure, sums: Array, sessions: Array, resamples: int, seed: int) -> Difference:
    one, other = (_as_seen(_figure(measure, top), sums, top) for top in (0, 2))
    totals = (sessions @ sums)[None]
    values = [float(statistic.values(totals)[0]) for statistic in (one, other)]
    known = [None if isnan(value) else value for value in values]
    moved = difference(one, other)
    interval = bootstrap(sums, sessions, moved, resamples=resamples, seed=seed)
    if interval is not None and (interval.low == moved.low or interval.high == moved.high):
        either = [share_interval(sums[:, top : top + 2], sessions) for top in (0, 2)]
        interval = _within(interval, *either)
    return Difference(measure.name, known[0], known[1], interval)


def _within(interval: Interval, first: Interval | None, second: Interval | None) -> Interval:
    """An interval of a difference of which too few differ to bound it: it reaches no further than the Wilson intervals
    of the two figures let it, which hold for every mean of values within 0..1."""
    if first is None or second is None:
        return interval
    low, high = max(interval.low, second.low - first.high), min(interval.high, second.high - first.low)
    return Interval(low, high)


def arrays(db: Database, sql: str, bound: dict[str, Any]) -> tuple[Array, Array]:
    """Column sums of each kind of session, and how many sessions are of that kind."""
    columns = [column.to_numpy(zero_copy_only=False) for column in db.arrow(sql, bound).columns]
    return np.column_stack(columns[:-1]).astype(np.float64), np.asarray(columns[-1], dtype=np.float64)
