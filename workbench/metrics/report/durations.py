"""How long recall took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.judge import PROMPTS
from workbench.judge.labels import stage
from workbench.metrics.bootstrap import Interval
from workbench.metrics.quantiles import Sample, quantile_interval, resampled_quantiles
from workbench.store import Database, compose, sql_text

_SHARES = {"p50": 0.5, "p90": 0.9, "p99": 0.99}


@dataclass(frozen=True)
class Durations:
    """Percentiles in milliseconds over the prompts whose duration is known, with intervals by resampled sessions."""

    p50: float | None
    p90: float | None
    p99: float | None
    known: int
    unknown: int
    intervals: Mapping[str, Interval | None]

    def as_json(self) -> dict[str, Any]:
        """Percentiles, counts and intervals."""
        spans = {name: interval and interval.as_json() for name, interval in self.intervals.items()}
        return {
            "p50": self.p50, "p90": self.p90, "p99": self.p99, "known": self.known, "unknown": self.unknown,
            "intervals": spans,
        }  # fmt: skip


def durations(db: Database, prompts: str = PROMPTS) -> Durations:
    """Durations of the judged prompts."""
    asked = stage("prompts", prompts)
    rows = db.arrow(compose(asked, sql_text("report/duration_rows")))
    values, session = (rows[name].to_numpy() for name in ("duration_ms", "session"))
    spans: dict[str, Interval | None] = dict.fromkeys(_SHARES)
    if len(values):
        sample = Sample(values, session)
        drawn = resampled_quantiles([(sample, share) for share in _SHARES.values()], int(np.max(session)) + 1)
        spans = {name: quantile_interval(column) for name, column in zip(_SHARES, drawn.T, strict=True)}
    p50, p90, p99, known, unknown = db.row(compose(asked, sql_text("report/durations")))
    return Durations(p50, p90, p99, known, unknown, spans)
