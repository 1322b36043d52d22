"""The trial path: score.sql and display.sql over one part of the log in NumPy, for many configurations in a row.

A twin, not a second formula: a property test holds it equal to the SQL stages, and what a study recommends is counted
by SQL. The sums that decide are in the same order and precision; a quick sum leaves rows out that are far below.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from workbench.replay.run import Settings

Doubles = NDArray[np.float64]
Whole = NDArray[np.int64]
Bits = NDArray[np.bool_]
Bound = Mapping[str, Any]

WEIGHTS = tuple(f"recall.weights.w_{signal}" for signal in ("exact", "glossary_semantic", "dense", "lexical"))
_SIGNALS = ("dense_gist", "dense_question", "lexical_gist", "lexical_question")
_DECIMALS = 1e6
_LAST_DIGIT = Decimal("0.000001")
_MARGIN = 1e-6
_REMEMBERED = 16


@dataclass(frozen=True, eq=False)
class Kernel:
    """Candidates sorted by prompt, priority and address order, as kernel_rows.sql gives them: one entry a row.

    `query` counts prompts, `number` pairs; `exact` and `glossary` are 0, the other `signals` NaN where none was
    returned; `stored` are the weights on the view rows.
    """

    query: Whole
    number: Whole
    boot: Bits
    exact: Doubles
    glossary: Doubles
    signals: Mapping[str, Doubles]
    stored: tuple[Doubles, Doubles]
    damp: Doubles
    priority: Whole
    age: Doubles

    @classmethod
    def of(cls, rows: pa.Table) -> Kernel:
        """From the rows of kernel_rows.sql."""

        def whole(name: str) -> Whole:
            found: Whole = rows[name].to_numpy().astype(np.int64)
            return found

        def doubles(name: str) -> Doubles:
            found: Doubles = rows[name].to_numpy().astype(np.float64)
            return found

        return cls(
            whole("query"), whole("number"), rows["is_boot"].to_numpy(zero_copy_only=False).astype(bool),
            np.nan_to_num(doubles("exact")), np.nan_to_num(doubles("glossary_semantic")),
            {name: doubles(name) for name in _SIGNALS}, (doubles("gist_weight"), doubles("question_weight")),
            doubles("lexical_damp"), whole("priority"), doubles("age_days"),
        )  # fmt: skip

    def shown(self, settings: Settings) -> Whole:
        """The numbers of the pairs that are shown, each once, in no particular order."""
        bound = settings.bindings()
        least = max(bound["min_display_score"], bound["min_score"])
        near = np.flatnonzero(self._quick(bound) >= least - _MARGIN)
        scores = self.scores(settings, near)
        visible = scores >= least
        near, scores = near[visible], scores[visible]
        near = near[np.lexsort((-scores, self.query[near]))]
        query = self.query[near]
        passes = ~self.boot[near] if bound["exclude_boot"] else np.ones(len(near), dtype=bool)
        starts = np.flatnonzero(np.diff(query, prepend=-1))
        lengths = np.diff(starts, append=len(query))
        before = np.cumsum(passes) - passes
        place = before - np.repeat(before[starts], lengths)
        rank = np.arange(len(query)) - np.repeat(starts, lengths)
        found = self.number[near[passes & (rank < bound["slice"]) & (place < max(1, bound["max_display_items"]))]]
        return np.unique(found) if self._several_addresses else found

    def scores(self, settings: Settings, rows: Whole | slice = slice(None)) -> Doubles:
        """The scores of some rows, as score.sql gives them."""
        bound = settings.bindings()
        dense, lexical = (found[rows] for found in self._by_view(bound["gist_weight"], bound["question_weight"]))
        total: Doubles = self.exact[rows] * bound["w_exact"]
        total += self.glossary[rows] * bound["w_glossary_semantic"]
        total += dense * bound["w_dense"]
        total += lexical * bound["w_lexical"] * self.damp[rows]
        total += _of_view(bound)[self.views[rows]]
        total += self._of_priority(bound)[self.levels[rows]]
        total += _of_views(bound)[self.views[rows]]
        if bound["recency_enabled"]:
            exempt = self.priority[rows] <= bound["priority_exempt"]
            faded = bound["max_bonus"] * self._fading(bound["half_life_days"])[rows]
            total += np.where(exempt & ~np.isnan(self.age[rows]), bound["max_bonus"], faded)
        return _rounded(total)

    def signals_of(self, settings: Settings) -> Doubles:
        """For each row what the four WEIGHTS are multiplied by, in their order."""
        bound = settings.bindings()
        return self._terms(bound["gist_weight"], bound["question_weight"])

    def signals_by(self, gist: float | None, question: float | None) -> Doubles:
        """The same under these view weights (None: those stored on the rows), a line for each signal."""
        return self._terms(gist, question).T

    def only(self, rows: Whole) -> Kernel:
        """A kernel of some of the rows, in their order."""
        signals = {name: values[rows] for name, values in self.signals.items()}
        gist, question = self.stored
        return Kernel(
            self.query[rows], self.number[rows], self.boot[rows], self.exact[rows], self.glossary[rows], signals,
            (gist[rows], question[rows]), self.damp[rows], self.priority[rows], self.age[rows],
        )  # fmt: skip

    def best_rows(self, settings: Settings, pairs: int) -> Whole:
        """For each of the first `pairs` pairs its row with the highest score, the first among equals."""
        order = np.lexsort((-self.scores(settings), self.number))
        first = np.flatnonzero(np.diff(self.number[order], prepend=-1))
        found: Whole = order[first][:pairs]
        return found

    def _quick(self, bound: Bound) -> Doubles:
        """Nearly the scores: the same terms, added in another order."""
        weights = np.array([bound[f"w_{name}"] for name in ("exact", "glossary_semantic", "dense", "lexical")])
        total: Doubles = self._terms(bound["gist_weight"], bound["question_weight"]) @ weights
        by_view = _of_view(bound) + _of_views(bound)
        total += (by_view[:, None] + self._of_priority(bound)[None, :]).ravel()[self._kind]
        if bound["recency_enabled"]:
            total += bound["max_bonus"] * self._fading_or_exempt(bound["half_life_days"], bound["priority_exempt"])
        return total

    @cached_property
    def _several_addresses(self) -> bool:
        return len(np.unique(self.number)) < len(self.number)

    @cached_property
    def views(self) -> Whole:
        """1 for the gist and 2 for the question, where dense or lexical returned it."""
        gist, question = (
            ~(np.isnan(self.signals[f"dense_{view}"]) & np.isnan(self.signals[f"lexical_{view}"]))
            for view in ("gist", "question")
        )
        return gist + 2 * question

    @cached_property
    def levels(self) -> Whole:
        """The place of each row's priority among all that there are."""
        return np.searchsorted(self.priorities, self.priority)

    @cached_property
    def priorities(self) -> Whole:
        """The priorities that there are, lowest first."""
        return np.unique(self.priority)

    @cached_property
    def _kind(self) -> Whole:
        return self.views * len(self.priorities) + self.levels

    def _of_priority(self, bound: Bound) -> Doubles:
        found: Doubles = np.maximum(0.0, bound["priority_base"] - self.priorities * bound["priority_step"])
        return found

    @cached_property
    def _remembered(self) -> dict[str, Any]:
        """Results that many trials in a row share, by what they depend on."""
        keep = lru_cache(_REMEMBERED)
        return {"views": keep(self._views_made), "terms": keep(self._terms_made), "fading": keep(self._fading_made),
                "exempt": keep(self._exempt_made)}  # fmt: skip

    def _by_view(self, gist: float | None, question: float | None) -> tuple[Doubles, Doubles]:
        found: tuple[Doubles, Doubles] = self._remembered["views"](gist, question)
        return found

    def _terms(self, gist: float | None, question: float | None) -> Doubles:
        found: Doubles = self._remembered["terms"](gist, question)
        return found

    def _fading(self, half_life: float) -> Doubles:
        found: Doubles = self._remembered["fading"](half_life)
        return found

    def _fading_or_exempt(self, half_life: float, exempt: int) -> Doubles:
        found: Doubles = self._remembered["exempt"](half_life, exempt)
        return found

    def _views_made(self, gist: float | None, question: float | None) -> tuple[Doubles, Doubles]:
        """Dense and lexical of the better view."""
        by_gist, by_question = (
            stored if given is None else given for given, stored in zip((gist, question), self.stored, strict=True)
        )
        dense, lexical = (
            np.fmax(0.0, np.fmax(self.signals[f"{one}_gist"] * by_gist, self.signals[f"{one}_question"] * by_question))
            for one in ("dense", "lexical")
        )
        return dense, lexical

    def _terms_made(self, gist: float | None, question: float | None) -> Doubles:
        dense, lexical = self._by_view(gist, question)
        return np.column_stack([self.exact, self.glossary, dense, lexical * self.damp])

    def _fading_made(self, half_life: float) -> Doubles:
        return np.nan_to_num(np.power(2.0, -self.age / half_life))

    def _exempt_made(self, half_life: float, exempt: int) -> Doubles:
        return np.where((self.priority <= exempt) & ~np.isnan(self.age), 1.0, self._fading(half_life))


def _of_view(bound: Bound) -> Doubles:
    """The view bonus by which views were returned."""
    gist, question = bound["gist_prior"], bound["question_prior"]
    return np.array([0.0, gist, question, max(gist, question)])


def _of_views(bound: Bound) -> Doubles:
    """The bonus for several views by which views were returned."""
    return np.array([0.0, 0.0, 0.0, min(bound["multi_view_cap"], bound["multi_view_step"])])


def _rounded(scores: Doubles) -> Doubles:
    """To six decimals as SQL rounds: the exact value, halves away from zero."""
    scaled = np.abs(scores) * _DECIMALS
    found = np.copysign(np.rint(scaled), scores) / _DECIMALS
    for row in np.flatnonzero(np.abs(scaled - np.floor(scaled) - 0.5) < _MARGIN):
        found[row] = float(Decimal(float(scores[row])).quantize(_LAST_DIGIT, ROUND_HALF_UP))
    return found
