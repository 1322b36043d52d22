"""Exact one-sided bounds of a share from few trials."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, lgamma, log, log1p


def at_most(hits: int, trials: int, share: float) -> float:
    """The chance of at most `hits` in `trials` independent trials that each hit with probability `share`, 0..1."""
    if hits >= trials or share <= 0:
        return 1.0
    if hits < 0 or share >= 1:
        return 0.0
    ways = (lgamma(trials + 1) - lgamma(n + 1) - lgamma(trials - n + 1) for n in range(hits + 1))
    return sum(exp(way + n * log(share) + (trials - n) * log1p(-share)) for n, way in enumerate(ways))


def share_where(hits: int, trials: int, chance: float) -> float:
    """The share at which at most `hits` in `trials` have this `chance`; 1 where hits reach the trials."""
    return 1.0 if hits >= trials else bisected(lambda share: at_most(hits, trials, share) > chance)


def bisected(below: Callable[[float], bool]) -> float:
    """The number between 0 and 1 up to which `below` holds."""
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) else (low, middle)
    return high


def loss_ceiling(lost: int, used: int, level: float = 0.95) -> float:
    """The largest share of used memories that a configuration may be losing when it lost `lost` of `used`; 1 without
    any."""
    return share_where(max(lost, 0), used, 1 - level)


def loss_floor(lost: int, used: int) -> float:
    """The smallest share of used memories that a configuration must be losing when it lost `lost` of `used`."""
    return 1 - loss_ceiling(used - lost, used) if lost else 0.0


def loss_bound(kept: int, level: float = 0.95) -> float | None:
    """The largest share of helpful memories, 0..1, that a configuration may be losing although it kept all `kept` used
    ones of the log; None without any."""
    return 1 - (1 - level) ** (1 / kept) if kept else None
