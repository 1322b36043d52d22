"""Measures over the outcomes of a replay, in three readings, with the counts that they rest on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from workbench.judge import OUTCOMES, PROMPTS
from workbench.judge.labels import stage
from workbench.metrics.measure import Measure
from workbench.store import Database, compose, sql_text

LISTS = "outcome_lists"


@dataclass(frozen=True)
class Figure:
    """A measure over `prompts` prompts. Without data a value is None.

    `judged` leaves unknown memories out of the lists, `unhelpful` counts them as of no help; `low` and `high` bound
    the `unhelpful` figure over all ways in which the unknown in either list could fall. `judged_n` and `n` are the
    denominators: prompts, or shown memories for a pooled rate.
    """

    name: str
    unit: str
    prompts: int
    judged: float | None
    judged_n: int
    unhelpful: float | None
    n: int
    low: float | None
    high: float | None

    def as_json(self) -> dict[str, Any]:
        """The three readings, each with its denominator."""
        return {
            "unit": self.unit,
            "prompts": self.prompts,
            "judged_only": {"value": self.judged, "n": self.judged_n},
            "unknown_is_unhelpful": {"value": self.unhelpful, "n": self.n},
            "range": None if self.low is None else [self.low, self.high],
        }


def prepare_lists(db: Database, outcomes: str = OUTCOMES, prompts: str = PROMPTS, into: str = LISTS) -> None:
    """Write the temporary table `into` with one row a prompt: its shown list as gains, and what else measures read."""
    chain = (*stage("prompts", prompts), *stage("outcomes", outcomes), "logged/memory_now", "metrics/lists")
    db.execute(f"CREATE OR REPLACE TEMP TABLE {into} AS {compose(chain)}")


def measured(measure: Measure, name: str = "measured", lists: str = LISTS) -> tuple[tuple[str, str], ...]:
    """The stage `name` with the values of `measure` for each prompt."""
    text = compose((("lists", f"SELECT * FROM {lists}"), ("values_of", measure.sql)))
    return ((name, text),)


def figures(
    db: Database,
    measures: Sequence[Measure],
    by: Literal["client", "session", ""] = "",
    lists: str = LISTS,
) -> dict[str, dict[str, Figure]]:
    """Group to measure name to figure; one group "" where `by` is empty."""
    nothing = (0, None, 0, None, 0, None, None)
    found: dict[str, dict[str, Figure]] = {}
    if not by:
        found[""] = {measure.name: Figure(measure.name, measure.unit, *nothing) for measure in measures}
    for measure in measures:
        sql = compose(measured(measure, lists=lists), sql_text("metrics/figure"))
        for part, *row in db.rows(sql, {"by": by, **measure.bindings()}):
            found.setdefault(part, {})[measure.name] = Figure(measure.name, measure.unit, *row)
    return found
