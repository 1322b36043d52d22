"""Whether the place in the display makes a memory be used, apart from its score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.judge import LOG
from workbench.judge.labels import stage
from workbench.metrics.bootstrap import Array, Interval, Smooth, bootstrap
from workbench.metrics.significance import sign_test
from workbench.store import Database, compose, sql_text

BANDS = 10
NEAR = 0.005
LIMITS = (
    "Places follow scores, so this compares memories of about the same score that others happened to push down. It "
    "looks at prompts that showed two memories or more; within a band of scores the first still score a little higher."
)


@dataclass(frozen=True)
class PositionEffect:
    """How much more often the first place is used than later ones.

    `raw`: the difference of the two use rates, as they stand. `at_equal_score`: the same within BANDS bands of score
    with equally many memories, averaged over the bands (Mantel and Haenszel 1959, for differences: Greenland and
    Robins 1985), with its interval from resampled sessions. `ties` are neighbours in one display whose scores differ by
    less than NEAR; of these `upper` and `lower` had the one alone used, with an exact sign test.
    """

    first_used: int
    first_judged: int
    later_used: int
    later_judged: int
    raw: float | None
    at_equal_score: float | None
    interval: Interval | None
    ties: int
    upper: int
    lower: int

    def as_json(self) -> dict[str, Any]:
        """Counts, both differences, the near ties, and what the method cannot say."""
        return {
            "first": {"used": self.first_used, "judged": self.first_judged},
            "later": {"used": self.later_used, "judged": self.later_judged},
            "difference": self.raw,
            "difference_at_equal_score": self.at_equal_score,
            "interval": self.interval and self.interval.as_json(),
            "method": f"Mantel-Haenszel difference over {BANDS} bands of score, interval by resampled sessions",
            "near_ties": {
                "pairs": self.ties, "upper_used": self.upper, "lower_used": self.lower,
                "sign_test": sign_test(self.upper, self.lower),
            },
            "limits": LIMITS,
        }  # fmt: skip


def position_effect(db: Database, log: str = LOG) -> PositionEffect:
    """The effect of the first place in the judged log."""
    rows = db.rows(compose(stage("log", log), sql_text("report/placed")), {"bands": BANDS})
    ties = db.row(compose(stage("log", log), sql_text("report/near_ties")), {"near": NEAR})
    keys = {session: number for number, session in enumerate(dict.fromkeys(row[0] for row in rows))}
    sums = np.zeros((len(keys), BANDS, 2, 2))
    for session, band, first, used, judged in rows:
        sums[keys[session], band, 0 if first else 1] = used, judged
    (first_used, first_judged), (later_used, later_judged) = sums.sum(axis=(0, 1)).tolist()
    raw = first_used / first_judged - later_used / later_judged if first_judged and later_judged else None
    by_session: Array = sums.reshape(len(keys), 4 * BANDS)
    value = float(banded_difference(by_session.sum(axis=0)[None])[0]) if raw is not None else float("nan")
    known = not np.isnan(value)
    effect = Smooth(banded_difference, -1, 1)
    interval = bootstrap(by_session, np.ones(len(keys)), effect, symmetric=True) if known else None
    return PositionEffect(
        int(first_used), int(first_judged), int(later_used), int(later_judged),
        raw, value if known else None, interval, *ties,
    )  # fmt: skip


def banded_difference(totals: NDArray[Any]) -> NDArray[Any]:
    """For each row of totals (used and judged of the first place, used and judged of later ones, a band each) the
    difference of the use rates within bands; NaN where no band has both."""
    used, judged, later_used, later = np.moveaxis(totals.reshape(len(totals), -1, 4), 2, 0)
    both = judged + later
    filled = np.where(both.real > 0, both, 1)
    top = np.sum((used * later - later_used * judged) / filled, axis=1)
    below = np.sum(judged * later / filled, axis=1)
    found: NDArray[Any] = np.where(below.real > 0, top / np.where(below.real > 0, below, 1), np.nan)
    return found
