"""Cross-fitting by session: the penalty is chosen, the probabilities are calibrated and judged on sessions unseen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.estimate.logistic import Doubles, chances, fit, log_loss
from workbench.estimate.pairs import Whole

FOLDS = 5
RIDGES = (1.0, 4.0, 16.0, 64.0, 256.0)
_SEED = 20261202
_TOWARDS_ONE = 1.0


@dataclass(frozen=True, eq=False)
class Fitted:
    """`coefficients` of the columns under the penalty `ridge`; a logit is calibrated to `offset` + `slope` times it."""

    coefficients: Doubles
    ridge: float
    offset: float
    slope: float

    def logits(self, columns: Doubles) -> Doubles:
        """Calibrated logits."""
        return self.offset + self.slope * (columns @ self.coefficients)


def penalties(columns: Doubles, ridge: float) -> Doubles:
    """The same penalty for all columns but the first, the intercept."""
    found = np.full(columns.shape[1], ridge)
    found[0] = 0.0
    return found


def folds_of(sessions: Whole) -> Whole:
    """The fold of each pair, 0 to FOLDS - 1; all pairs of a session are in one."""
    own, place = np.unique(sessions, return_inverse=True)
    dealt = np.random.default_rng(_SEED).permutation(len(own)) % FOLDS
    return dealt[place].astype(np.int64)


def cross_fitted(columns: Doubles, hits: Doubles, folds: Whole) -> tuple[Doubles, Doubles]:
    """For each pair the probability from a model, and from the constant rate, that saw no pair of its fold. The penalty
    and the calibration are chosen without that fold too."""
    model, constant = np.zeros(len(hits)), np.zeros(len(hits))
    for fold in range(FOLDS):
        own = folds == fold
        if not own.any():
            continue
        found = fitted(columns[~own], hits[~own], folds[~own])
        model[own] = chances(found.logits(columns[own]))
        constant[own] = (hits[~own].sum() + 0.5) / ((~own).sum() + 1)
    return model, constant


def fitted(columns: Doubles, hits: Doubles, folds: Whole) -> Fitted:
    """The model of all pairs: its penalty is the one of RIDGES with the least log loss on unseen folds, and their
    logits calibrate it (Platt 1999)."""
    unseen = {ridge: _unseen(columns, hits, folds, ridge) for ridge in RIDGES}
    ridge = min(RIDGES, key=lambda one: (float(log_loss(chances(unseen[one]), hits).sum()), -one))
    offset, slope = _calibration(unseen[ridge], hits)
    return Fitted(fit(columns, hits, penalties(columns, ridge)), ridge, offset, slope)


def _unseen(columns: Doubles, hits: Doubles, folds: Whole, ridge: float) -> Doubles:
    logits = np.zeros(len(hits))
    for fold in np.unique(folds):
        own = folds == fold
        logits[own] = columns[own] @ fit(columns[~own], hits[~own], penalties(columns, ridge))
    return logits


def _calibration(logits: Doubles, hits: Doubles) -> tuple[float, float]:
    """Offset and slope, the slope drawn a little towards 1; a model that is wrong the other way round knows nothing and
    becomes the constant rate."""
    columns = np.column_stack([np.ones(len(logits)), logits])
    offset, more = fit(columns, hits, np.array([0.0, _TOWARDS_ONE]), base=logits)
    if more > -1:
        return float(offset), float(1 + more)
    rate = (hits.sum() + 0.5) / (len(hits) + 1)
    return float(np.log(rate / (1 - rate))), 0.0
