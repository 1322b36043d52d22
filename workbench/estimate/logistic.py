"""Ridge-penalised logistic regression by Newton's method, for a few columns and many rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]

_STEPS = 40
_CLOSE = 1e-10
_TINY = 1e-9
_MOST_LOGIT = 30.0


def chances(logits: Doubles) -> Doubles:
    """The probabilities of logits."""
    found: Doubles = 1 / (1 + np.exp(-np.clip(logits, -_MOST_LOGIT, _MOST_LOGIT)))
    return found


@dataclass(frozen=True, eq=False)
class _Task:
    columns: Doubles
    hits: Doubles
    penalties: Doubles
    weights: Doubles
    base: Doubles

    def logits(self, found: Doubles) -> Doubles:
        return self.base + self.columns @ found

    def loss(self, found: Doubles) -> float:
        logits = self.logits(found)
        return float(self.weights @ (np.logaddexp(0, logits) - self.hits * logits) + self.penalties @ found**2 / 2)

    def step(self, at: Doubles) -> Doubles:
        """Newton's step from there."""
        p = chances(self.logits(at))
        slope = self.columns.T @ (self.weights * (self.hits - p)) - self.penalties * at
        bend = (self.columns * (self.weights * p * (1 - p))[:, None]).T @ self.columns
        return np.linalg.solve(bend + np.diag(self.penalties + _TINY), slope).astype(np.float64, copy=False)


def fit(
    columns: Doubles,
    hits: Doubles,
    penalties: Doubles,
    *,
    weights: Doubles | None = None,
    base: Doubles | None = None,
    start: Doubles | None = None,
) -> Doubles:
    """The coefficients, one a column, that minimise minus the weighted log likelihood plus half the sum of `penalties`
    times the squared coefficients (Hoerl and Kennard 1970, le Cessie and van Houwelingen 1992).

    `hits` are 0 or 1; `base` is added to the logits as it is. A step that leads away is halved. The same input
    gives the same coefficients.
    """
    ones = np.ones(len(hits))
    task = _Task(columns, hits, penalties, ones if weights is None else weights, 0 * ones if base is None else base)
    found = np.zeros(columns.shape[1]) if start is None else start
    loss = task.loss(found)
    for _ in range(_STEPS):
        step = task.step(found)
        tried = task.loss(found + step)
        while tried > loss and np.abs(step).max() > _TINY:
            step /= 2
            tried = task.loss(found + step)
        if not tried < loss:
            break
        found, gained, loss = found + step, loss - tried, tried
        if gained <= _CLOSE * (1 + abs(loss)):
            break
    return found


def log_loss(p: Doubles, hits: Doubles) -> Doubles:
    """Minus the log of the probability that was given to what came, for each row."""
    p = np.clip(p, 1e-12, 1 - 1e-12)
    found: Doubles = -np.where(hits > 0, np.log(p), np.log1p(-p))
    return found
