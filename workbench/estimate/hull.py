"""Whether a point lies inside the convex hull of others: is what is asked of a model between what it has seen?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]

_CLOSE = 1e-9


def within_ranges(points: Doubles, seen: Doubles) -> NDArray[np.bool_]:
    """For each point whether every column lies between the least and the greatest value of `seen`."""
    found: NDArray[np.bool_] = ((points >= seen.min(0) - _CLOSE) & (points <= seen.max(0) + _CLOSE)).all(1)
    return found


def inside_hull(points: Doubles, seen: Doubles) -> NDArray[np.bool_]:
    """For each point whether it is a convex combination of the rows of `seen`.

    Exact up to rounding: the feasibility problem of the linear programme (weights of at least 0 that sum to 1 and give
    the point) is solved as non-negative least squares by the active-set method of Lawson and Hanson (1974), whose
    residual is zero just when the programme has a solution and otherwise names a separating plane.
    """
    found = within_ranges(points, seen)
    spread = np.where(np.ptp(seen, axis=0) > 0, np.ptp(seen, axis=0), 1.0)
    least = seen.min(0)
    corners = np.vstack([((np.unique(seen, axis=0) - least) / spread).T, np.ones(len(np.unique(seen, axis=0)))])
    for place in np.flatnonzero(found):
        found[place] = _reaches(corners, np.append((points[place] - least) / spread, 1.0))
    return found


def _reaches(corners: Doubles, target: Doubles) -> bool:
    """Whether non-negative weights of the columns of `corners` sum to `target`."""
    chosen: list[int] = []
    weights = np.zeros(0)
    for _ in range(30 * len(target)):
        residual = target - corners[:, chosen] @ weights
        if np.linalg.norm(residual) < 1e-7:
            return True
        slopes = residual @ corners
        best = int(np.argmax(slopes))
        if slopes[best] <= _CLOSE or best in chosen:
            return False
        chosen, weights = _settled(corners, target, [*chosen, best], np.append(weights, 0.0))
    return False


def _settled(corners: Doubles, target: Doubles, chosen: list[int], weights: Doubles) -> tuple[list[int], Doubles]:
    """The least squares solution over the chosen columns, those left out that would need a negative weight."""
    while True:
        wanted = np.linalg.lstsq(corners[:, chosen], target, rcond=None)[0].astype(np.float64)
        if (wanted > 0).all():
            return chosen, wanted
        below = wanted <= 0
        with np.errstate(divide="ignore", invalid="ignore"):
            steps = np.where(below, weights / (weights - wanted), np.inf)
        weights = weights + np.nanmin(steps) * (wanted - weights)
        keep = weights > 1e-12
        keep[np.nanargmin(steps)] = False
        chosen, weights = [one for one, kept in zip(chosen, keep, strict=True) if kept], weights[keep]
        if not chosen:
            return chosen, weights
