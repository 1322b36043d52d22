"""Weights learned from which of the shown memories were used, as a configuration to try.

A search can only count what a configuration keeps and loses. A regression on the same pairs asks more of each: whether
the signals of the used ones differ from those of the unused ones in another way than the present score says. It starts
from the present score and moves away from it only as far as unseen sessions bear out (ridge towards a prior guess:
Hoerl and Kennard 1970, Swindel 1976).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.estimate.logistic import Doubles, chances, fit, log_loss
from workbench.metrics.bootstrap import Interval, bootstrap, ratio
from workbench.params import KEYS, THRESHOLD, Params, snap
from workbench.tune.evaluate import Bits, Part
from workbench.tune.goal import Goal
from workbench.tune.kernel import WEIGHTS, Whole
from workbench.tune.space import Space

RIDGES = (1000.0, 300.0, 100.0, 30.0, 10.0, 3.0, 1.0)
_FOLDS = 5
_FREE = 0.1
_HALVINGS = 20


@dataclass(frozen=True)
class Learned:
    """The configuration `params`, found with the penalty `ridge`; `better` is by how much the log loss a judged pair
    falls on sessions that the regression did not see."""

    params: Params
    ridge: float
    better: float


@dataclass(frozen=True)
class Ranking:
    """How well the score of two configurations tells the used from the unused memories of a part.

    AUC of each, and by how much the log loss a judged pair falls from the first to the second, with its 95 % interval
    over resampled groups of sessions. Both losses are of a regression on the score alone, fitted on the training part.
    """

    before: float
    after: float
    gain: float
    interval: Interval | None

    def as_json(self) -> dict[str, Any]:
        """The `ranking` part of a tuning result."""
        return {
            "auc_current": self.before, "auc_proposed": self.after, "log_loss_fall": self.gain,
            "interval": None if self.interval is None else self.interval.as_json(),
        }  # fmt: skip

    @property
    def clear(self) -> bool:
        """Whether the second is better beyond doubt, and in the order itself, not only in the distances."""
        return self.after > self.before and self.interval is not None and self.interval.low > 0


def learn(goal: Goal, space: Space) -> Learned | None:
    """Weights of the signals that fit the uses of the part of `goal` better than the present ones, and the lowest
    threshold that shows no more than today. None where no unseen session bears such a change out, or where the
    threshold is not to be moved."""
    part, names = goal.part, [name for name in WEIGHTS if name in {key.name for key in space.keys}]
    if THRESHOLD not in {key.name for key in space.keys} or not names:
        return None
    seen = _Seen.of(part, names)
    losses = {ridge: seen.unseen_loss(ridge) for ridge in RIDGES}
    ridge = min(RIDGES, key=lambda one: float(losses[one].sum()))
    better = float((seen.unseen_loss(None) - losses[ridge]).mean())
    if better <= 0:
        return None
    weights = seen.weights(ridge)
    changed = {name: snap(KEYS[name], min(value, KEYS[name].high)) for name, value in zip(names, weights, strict=True)}
    params = _showing_no_more(goal, space, space.configured(changed))
    return None if params is None or params == part.in_force else Learned(params, ridge, better)


def ranking(train: Part, other: Part, first: Params, second: Params) -> Ranking:
    """How well `first` and `second` order the judged pairs of `other`."""
    losses = [_loss_by_score(train, other, params) for params in (first, second)]
    fall = losses[0] - losses[1]
    groups = np.unique(other.strata, return_inverse=True)[1]
    sums = np.column_stack([np.bincount(groups, weights=fall), np.bincount(groups).astype(np.float64)])
    before, after = (_auc(_scores(other, params), other.used) for params in (first, second))
    return Ranking(before, after, float(fall.mean()), bootstrap(sums, np.ones(len(sums)), ratio(0, 1)))


@dataclass(frozen=True, eq=False)
class _Seen:
    """The judged pairs: `score` under the present configuration and the signals behind the weights `present`, both with
    mean 0 and deviation 1 (of `spread`, `score_spread`)."""

    score: Doubles
    signals: Doubles
    used: Doubles
    folds: Whole
    present: Doubles
    spread: Doubles
    score_spread: float

    @classmethod
    def of(cls, part: Part, names: list[str]) -> _Seen:
        settings = part.settings(part.in_force)
        rows = part.kernel.best_rows(settings, len(part.used))
        score = part.kernel.scores(settings, rows)
        signals = part.kernel.signals_of(settings)[rows][:, [WEIGHTS.index(name) for name in names]]
        spread, score_spread = np.maximum(signals.std(axis=0), 1e-9), max(float(score.std()), 1e-9)
        return cls(
            (score - score.mean()) / score_spread, (signals - signals.mean(axis=0)) / spread,
            part.used.astype(np.float64), part.strata % _FOLDS, np.array([float(part.in_force[n]) for n in names]),
            spread, score_spread,
        )  # fmt: skip

    def fitted(self, ridge: float | None, rows: Doubles) -> Doubles:
        """Intercept, slope of the present score, and how far the signals depart from it (None: not at all)."""
        penalties = np.array([0.0, _FREE, *[0.0 if ridge is None else ridge] * self.signals.shape[1]])
        columns = self._columns(rows)
        if ridge is None:
            found = fit(columns[:, :2], self.used[rows], penalties[:2])
            return np.concatenate([found, np.zeros(self.signals.shape[1])])
        return fit(columns, self.used[rows], penalties)

    def unseen_loss(self, ridge: float | None) -> Doubles:
        """The log loss of each pair under a fit that saw no pair of its fold."""
        loss = np.zeros(len(self.used))
        for fold in np.unique(self.folds):
            own = self.folds == fold
            logits = self._columns(own) @ self.fitted(ridge, ~own)
            loss[own] = log_loss(chances(logits), self.used[own])
        return loss

    def weights(self, ridge: float) -> Doubles:
        """The weights that order pairs as the fit does, none negative, with the sum of the present ones."""
        found = self.fitted(ridge, np.ones(len(self.used), dtype=bool))
        steep = np.maximum(found[1] * self.present / self.score_spread + found[2:] / self.spread, 0)
        total = steep.sum()
        return steep * self.present.sum() / total if total > 0 else self.present

    def _columns(self, rows: Doubles) -> Doubles:
        return np.column_stack([np.ones(int(rows.sum())), self.score[rows], self.signals[rows]])


def _showing_no_more(goal: Goal, space: Space, params: Params) -> Params | None:
    """`params` with the lowest threshold under which the part shows no more than today; None where there is none."""
    key = KEYS[THRESHOLD]
    low, high = (float(end) for end in space.bounds(key))
    if goal.kept(params.replace({THRESHOLD: snap(key, high)})).shown > goal.present.shown:
        return None
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        shown = goal.kept(params.replace({THRESHOLD: snap(key, middle)})).shown
        low, high = (middle, high) if shown > goal.present.shown else (low, middle)
    return params.replace({THRESHOLD: snap(key, high)})


def _loss_by_score(train: Part, other: Part, params: Params) -> Doubles:
    seen, unseen = _scores(train, params), _scores(other, params)
    middle, spread = seen.mean(), max(float(seen.std()), 1e-9)
    columns, others = (np.column_stack([np.ones(len(x)), (x - middle) / spread]) for x in (seen, unseen))
    found = fit(columns, train.used.astype(np.float64), np.array([0.0, _FREE]))
    return log_loss(chances(others @ found), other.used.astype(np.float64))


def _scores(part: Part, params: Params) -> Doubles:
    """The score of each judged pair, that of its best address."""
    settings = part.settings(params)
    return part.kernel.scores(settings, part.kernel.best_rows(settings, len(part.used)))


def _auc(scores: Doubles, used: Bits) -> float:
    """The chance that a used memory scores above an unused one; ties count half. 0.5 where there are none of either."""
    _, place, sizes = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(sizes) - (sizes - 1) / 2)[place]
    hits = int(used.sum())
    misses = len(used) - hits
    if not hits or not misses:
        return 0.5
    return float((ranks[used].sum() - hits * (hits + 1) / 2) / (hits * misses))
