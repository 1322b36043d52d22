"""Tests, which come last: effect sizes and intervals are read first."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb


def sign_test(kept: int, lost: int) -> float | None:
    """Two-sided exact binomial p-value of `kept` against `lost` under equal chances; None without any."""
    trials = kept + lost
    if trials == 0:
        return None
    tail = sum(comb(trials, successes) for successes in range(min(kept, lost) + 1))
    return min(1.0, 2 * tail / (1 << trials))


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values adjusted for the number of comparisons, in the given order (Holm 1979)."""
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    adjusted = [0.0] * len(p_values)
    running = 0.0
    for rank, index in enumerate(order):
        running = max(running, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = running
    return adjusted
