"""How well the score tells used memories from those shown in vain, inside the shown set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from workbench.judge import LOG
from workbench.judge.labels import stage
from workbench.metrics.bootstrap import Interval, Statistic, bootstrap
from workbench.metrics.intervals import arrays
from workbench.metrics.quantiles import Sample, quantile_interval, resampled_quantiles
from workbench.store import Database, compose, sql_text


@dataclass(frozen=True)
class Separation:
    """`gap` is the lower quartile of used scores less the upper quartile of unused ones, with the interval of resampled
    sessions: positive where the threshold could tell them apart. `auc` is the chance that a used memory scores above an
    unused one, ties counted half."""

    used_p25: float | None
    used_scores: int
    unused_p75: float | None
    unused_scores: int
    auc: float | None
    auc_interval: Interval | None
    gap_interval: Interval | None = None

    @property
    def gap(self) -> float | None:
        """In score units; None where either kind is missing."""
        return None if self.used_p25 is None or self.unused_p75 is None else self.used_p25 - self.unused_p75

    def as_json(self) -> dict[str, Any]:
        """Quartiles with their counts, the gap, and the AUC with its interval."""
        return {
            "used_p25": self.used_p25,
            "used_scores": self.used_scores,
            "unused_p75": self.unused_p75,
            "unused_scores": self.unused_scores,
            "separation": self.gap,
            "separation_interval": self.gap_interval and self.gap_interval.as_json(),
            "auc": self.auc,
            "auc_interval": self.auc_interval and self.auc_interval.as_json(),
        }


def separation(db: Database, log: str = LOG) -> Separation:
    """Separation of the judged log; the interval of the AUC resamples sessions.

    The AUC is a statistic of pairs; to first order it moves with the mean placements of used and unused memories
    (Hoeffding's projection), which are ratios of session sums and are resampled as such.
    """
    used_p25, used_scores, unused_p75, unused_scores = db.row(compose(stage("log", log), sql_text("report/separation")))
    sums, sessions = arrays(db, compose(stage("log", log), sql_text("report/placements")), {})
    used, unused = sums[:, 1].sum(), sums[:, 3].sum()
    if not used or not unused:
        return Separation(used_p25, used_scores, unused_p75, unused_scores, None, None)
    auc = float(sums[:, 0].sum() / used)
    projected = Statistic(((0, 1, 1), (2, 3, 1)), auc, auc + 1)
    placed = bootstrap(sums, sessions, projected)
    interval = placed and Interval(placed.low - auc, placed.high - auc)
    return Separation(used_p25, used_scores, unused_p75, unused_scores, auc, interval, _gap_interval(db, log))


def _gap_interval(db: Database, log: str) -> Interval | None:
    rows = db.arrow(compose(stage("log", log), sql_text("report/scores")))
    score, used, session = (rows[name].to_numpy(zero_copy_only=False) for name in ("score", "used", "session"))
    samples = [(Sample(score[kind], session[kind]), share) for kind, share in ((used, 0.25), (~used, 0.75))]
    used_p25, unused_p75 = resampled_quantiles(samples, int(session.max()) + 1).T
    return quantile_interval(used_p25 - unused_p75)
