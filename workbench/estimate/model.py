"""A small model of what helps: how likely a memory is used where it is shown, by its signals and bonuses."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from workbench.estimate.calibration import Calibration, calibration
from workbench.estimate.crossfit import Fitted, cross_fitted, fitted, folds_of, penalties
from workbench.estimate.logistic import Doubles, chances, fit
from workbench.estimate.pairs import FEATURES, Bits, Names, Pairs, ShownPairs, Whole

LEAST_USED = 20
LEAST_SESSIONS = 10
MOST_PAIRS = 50_000
RESAMPLES = 200
_SEED = 20261202


@dataclass(frozen=True, eq=False)
class Design:
    """How pairs become columns: an intercept, the FEATURES that vary (`varied`) less `centre` over `scale`, the place
    in the list less `place`, and one column a client."""

    varied: Bits
    centre: Doubles
    scale: Doubles
    place: float
    clients: Names

    @classmethod
    def of(cls, shown: ShownPairs) -> Design:
        """From the pairs that a model is to be fitted on."""
        spread = shown.values.std(axis=0)
        varied = spread > 1e-9
        place = float(np.log2(shown.places).mean())
        return cls(varied, shown.values[:, varied].mean(axis=0), spread[varied], place, np.unique(shown.clients))

    @property
    def names(self) -> list[str]:
        """What each column stands for."""
        features = [name for name, varies in zip(FEATURES, self.varied, strict=True) if varies]
        return ["intercept", *features, "place", *(f"client {name or '(none)'}" for name in self.clients)]

    @property
    def nuisance(self) -> Bits:
        """Which columns say nothing of the memory: the intercept, the place and the clients."""
        features = int(self.varied.sum())
        return np.array([not 1 <= column <= features for column in range(len(self.names))])

    def columns(self, pairs: Pairs, places: Whole | None = None) -> Doubles:
        """One row a pair; without `places` all stand at the mean place of the shown ones, on the logarithmic scale."""
        features = (pairs.values[:, self.varied] - self.centre) / self.scale
        place = np.zeros(len(pairs)) if places is None else np.log2(places) - self.place
        clients = (pairs.clients[:, None] == self.clients[None, :]).astype(np.float64)
        return np.column_stack([np.ones(len(pairs)), features, place, clients])


@dataclass(frozen=True, eq=False)
class Model:
    """A model that was fitted on `shown`, and how well it is calibrated on sessions that it did not see."""

    design: Design
    shown: ShownPairs
    found: Fitted
    calibration: Calibration

    @property
    def usable(self) -> bool:
        """Whether it is known to do better than the constant rate, and than place and client alone; otherwise
        nothing may rest on it."""
        return self.calibration.better

    @property
    def refusal(self) -> str | None:
        """Why it is not used; None where it is."""
        if self.usable:
            return None
        return (
            f"On sessions that it had not seen the model did no better than {self.calibration.as_good} "
            f"({self._scores()}): the signals do not tell which of the shown memories are used; no estimate is made."
        )

    def said(self) -> str:
        """One sentence on what it is worth."""
        return self.refusal or (
            f"Fitted on {self.calibration.pairs:,} shown pairs, {self.calibration.used:,} of them used; on sessions "
            "that it had not seen it did better than the constant use rate and than place and client alone "
            f"({self._scores()})."
        )

    def _scores(self) -> str:
        seen = self.calibration
        return (
            f"log loss {seen.model.log_loss:.4f}, constant {seen.constant.log_loss:.4f}, place and client alone "
            f"{seen.nuisance.log_loss:.4f}; Brier score {seen.model.brier:.4f}, constant {seen.constant.brier:.4f}"
        )

    def predict(self, pairs: Pairs) -> Doubles:
        """For each pair the probability of a use, if it were shown at the mean place."""
        return chances(self.found.logits(self.design.columns(pairs)))

    def resampled(self, pairs: Pairs) -> Doubles:
        """The same from each of RESAMPLES refits on resampled sessions: refits by pairs."""
        logits = self.resamples @ self.design.columns(pairs).T
        return chances(self.found.offset + self.found.slope * logits)

    @cached_property
    def resamples(self) -> Doubles:
        """The coefficients of each refit, before calibration."""
        columns = self.design.columns(self.shown, self.shown.places)
        ridge = penalties(columns, self.found.ridge)
        hits = self.shown.used.astype(np.float64)
        _, session = np.unique(self.shown.sessions, return_inverse=True)
        sessions = int(session.max()) + 1
        rng = np.random.default_rng(_SEED)
        refits = []
        for _ in range(RESAMPLES):
            drawn = rng.multinomial(sessions, np.full(sessions, 1 / sessions)).astype(np.float64)
            refits.append(fit(columns, hits, ridge, weights=drawn[session], start=self.found.coefficients))
        return np.array(refits)

    def terms(self) -> list[dict[str, Any]]:
        """The coefficients as they act after calibration: by how much the log odds of a use rise with one `unit` of
        each column (one standard deviation of a signal or bonus, a doubling of the place, being that client), with
        the 95 % interval over resampled sessions."""
        own = self.found.slope * self.found.coefficients
        low, high = np.quantile(self.found.slope * self.resamples, [0.025, 0.975], axis=0)
        units = [1.0, *self.design.scale, *[1.0] * (1 + len(self.design.clients))]
        return [
            {"term": name, "unit": float(unit), "log_odds": float(at), "interval": [float(below), float(above)]}
            for name, unit, at, below, above in zip(self.design.names, units, own, low, high, strict=True)
        ][1:]

    def as_json(self) -> dict[str, Any]:
        """The part `model` of an estimate."""
        return {
            "usable": self.usable,
            "said": self.said(),
            "ridge": self.found.ridge,
            "calibration_slope": self.found.slope,
            "calibration": self.calibration.as_json(),
            "terms": self.terms(),
            "place": "set to the mean place of the shown ones",
        }


@dataclass(frozen=True)
class NoModel:
    """There is too little to fit a model on."""

    used: int
    sessions: int
    usable: bool = False

    def said(self) -> str:
        """Why."""
        return (
            f"No model: {self.used} used memories in {self.sessions} sessions; {LEAST_USED} in {LEAST_SESSIONS} are "
            "the least, and some that were not used."
        )

    @property
    def refusal(self) -> str:
        """The same."""
        return self.said()

    def as_json(self) -> dict[str, Any]:
        """The part `model` of an estimate."""
        return {"usable": False, "said": self.said()}


def fit_model(shown: ShownPairs) -> Model | NoModel:
    """Fit on the shown pairs, of the sessions of at most MOST_PAIRS drawn at random; cross-fitted by session."""
    shown = _few_enough(shown)
    used, sessions = int(shown.used.sum()), len(np.unique(shown.sessions))
    if used < LEAST_USED or sessions < LEAST_SESSIONS or used == len(shown):
        return NoModel(used, sessions)
    design = Design.of(shown)
    columns, hits, folds = design.columns(shown, shown.places), shown.used.astype(np.float64), folds_of(shown.sessions)
    model, constant = cross_fitted(columns, hits, folds)
    nuisance, _ = cross_fitted(columns[:, design.nuisance], hits, folds)
    seen = calibration(model, nuisance, constant, hits, shown.sessions)
    return Model(design, shown, fitted(columns, hits, folds), seen)


def _few_enough(shown: ShownPairs) -> ShownPairs:
    if len(shown) <= MOST_PAIRS:
        return shown
    _, session, sizes = np.unique(shown.sessions, return_inverse=True, return_counts=True)
    order = np.random.default_rng(_SEED).permutation(len(sizes))
    chosen = np.zeros(len(sizes), dtype=bool)
    chosen[order[np.cumsum(sizes[order]) <= MOST_PAIRS]] = True
    return shown.part(chosen[session])
