"""Interval of a share of independent trials."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

from workbench.metrics.bootstrap import Interval


def wilson(hits: float, trials: float, level: float = 0.95) -> Interval | None:
    """Score interval of hits / trials, within 0..1 (Wilson 1927); None without trials. Both may be fractions of counts,
    where trials are alike and count less."""
    if trials == 0:
        return None
    z = NormalDist().inv_cdf((1 + level) / 2)
    share = hits / trials
    centre = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z * sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials)) / (1 + z * z / trials)
    return Interval(centre - half if hits else 0.0, centre + half if hits < trials else 1.0)
