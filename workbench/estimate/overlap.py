"""Two configurations that were really in force, held against each other on prompts that can be compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.errors import AnswerIsNo
from workbench.estimate.logistic import Doubles
from workbench.estimate.periods import Period, Periods, find_periods
from workbench.judge import Evidence, judge_log
from workbench.judge.labels import stage
from workbench.metrics.bootstrap import Interval, Smooth, bootstrap
from workbench.metrics.net_help import DEFAULT_NOISE_COST
from workbench.params import Params
from workbench.store import Database, compose

ESTIMATORS = ("replay", "importance")
LEAST_PROMPTS = 20
REFUSAL = (
    "Importance weighting is refused: the server shows the best candidates without any chance, so no memory had a "
    "known probability of being shown, and what was never shown would weigh infinitely much."
)
INSTEAD = (
    "Compare the configurations as they are, with the range of the unknown; answer by hand (`workbench label next`); "
    "or try one on some sessions (`workbench serve --config FILE --share 0.5`, then `workbench compare --arms`)."
)
_IN_PERIOD, _LOG, _PROMPTS, _BEYOND = "in_period", "period_log", "period_prompts", "period_beyond"
FIGURES: Mapping[str, tuple[float, float]] = {
    "used_per_prompt": (1.0, 0.0),
    "unused_per_prompt": (0.0, 1.0),
    "net_help": (1.0, -DEFAULT_NOISE_COST),
}


@dataclass(frozen=True)
class Overlap:
    """Prompts of clients that asked under both: for each client how many before and after. `differences` are by figure
    (before, after, difference, 95 % interval over sessions), each client weighing as much as in both together."""

    prompts: Mapping[str, tuple[int, int]]
    differences: Mapping[str, tuple[float, float, float, Interval | None]]

    def sentence(self) -> str:
        """The overlap with its counts, and what it does not exclude."""
        before, after = (sum(one[side] for one in self.prompts.values()) for side in (0, 1))
        clients = ", ".join(f"{name or '(none)'} {one[0]}/{one[1]}" for name, one in self.prompts.items())
        return (
            f"Overlap: {before} prompts before and {after} after of clients that asked under both ({clients}). Each "
            "was answered at its own time: whatever else changed in between is in the difference."
        )

    def as_json(self) -> dict[str, Any]:
        """Counts and differences."""
        return {
            "said": self.sentence(),
            "prompts": {name: list(one) for name, one in self.prompts.items()},
            "differences": {
                name: {"before": before, "after": after, "difference": moved, "interval": span and span.as_json()}
                for name, (before, after, moved, span) in self.differences.items()
            },
        }


def by_importance(db: Database, named: Mapping[str, Params], in_force: Params, selected: str) -> dict[str, Any]:
    """What stands in for importance weighting: the first configuration of `named` against each other one, where both
    were in force in periods of the log with clients in common. AnswerIsNo with the reason where they were not."""
    found = find_periods(db, in_force, selected)
    first, *others = named
    pairs = []
    for name in others:
        before, after = (_longest(found, named[one]) for one in (first, name))
        overlap = overlap_of(db, before, after, in_force, selected) if before and after and before != after else None
        if overlap is None:
            raise AnswerIsNo(f"{REFUSAL} {_why(found, named, (first, name))} {INSTEAD}")
        pairs.append({"config": name, "against": first, **overlap.as_json()})
    return {"estimator": "periods in force", "refused": REFUSAL, "periods": found.as_json(), "pairs": pairs}


def _why(found: Periods, named: Mapping[str, Params], pair: Sequence[str]) -> str:
    never = [name for name in pair if _longest(found, named[name]) is None]
    if never:
        return f"{found.sentence()} {' and '.join(never)} was not among them."
    return f"{found.sentence()} No client asked {LEAST_PROMPTS} prompts or more under both."


def _longest(found: Periods, params: Params) -> Period | None:
    own = [one for one in found.periods if one.fits(params)]
    return max(own, key=lambda one: one.queries) if own else None


def overlap_of(db: Database, before: Period, after: Period, in_force: Params, selected: str) -> Overlap | None:
    """The prompts of two periods, client by client; None where no client has LEAST_PROMPTS in both."""
    db.execute(
        f"CREATE OR REPLACE TEMP TABLE {_IN_PERIOD} AS SELECT query_id, CASE WHEN now BETWEEN $b0 AND $b1 THEN 0 ELSE 1"
        f" END AS period FROM wb.logged_queries SEMI JOIN {selected} USING (query_id)"
        " WHERE now BETWEEN $b0 AND $b1 OR now BETWEEN $a0 AND $a1",
        {"b0": before.since, "b1": before.until, "a0": after.since, "a1": after.until},
    )
    judge_log(db, _IN_PERIOD, Evidence().under(in_force), _LOG, _PROMPTS, _BEYOND)
    chain = (*stage("prompts", _PROMPTS), *stage("log", _LOG), "judge/label_counts", "estimate/period_sessions")
    rows = db.arrow(compose(chain))
    counts = _prompts(rows)
    shared = {name: one for name, one in counts.items() if min(one) >= LEAST_PROMPTS}
    if not shared:
        return None
    return Overlap(shared, {name: _difference(rows, shared, weights) for name, weights in FIGURES.items()})


def _prompts(rows: pa.Table) -> dict[str, tuple[int, int]]:
    counts: dict[str, list[int]] = {}
    for one in rows.select(["client", "period", "prompts"]).to_pylist():
        counts.setdefault(one["client"], [0, 0])[one["period"]] += int(one["prompts"])
    return {name: (both[0], both[1]) for name, both in sorted(counts.items())}


def _difference(
    rows: pa.Table, shared: Mapping[str, tuple[int, int]], weights: tuple[float, float]
) -> tuple[float, float, float, Interval | None]:
    """Before, after, difference and interval of a figure: for each session its sums by client and period."""
    clients = list(shared)
    share = np.array([sum(shared[name]) for name in clients], dtype=np.float64)
    share /= share.sum()
    sessions = {name: number for number, name in enumerate(dict.fromkeys(rows["session_key"].to_pylist()))}
    sums = np.zeros((len(sessions), 4 * len(clients)))
    for one in rows.to_pylist():
        if one["client"] in shared:
            column = 4 * clients.index(one["client"]) + 2 * one["period"]
            sums[sessions[one["session_key"]], column] += weights[0] * one["used"] + weights[1] * one["unused"]
            sums[sessions[one["session_key"]], column + 1] += one["prompts"]

    def side(totals: Any, period: int) -> Any:
        at = 2 * period
        return sum(w * totals[:, 4 * n + at] / totals[:, 4 * n + at + 1] for n, w in enumerate(share))

    totals: Doubles = sums.sum(axis=0)[None]
    before, after = (float(side(totals, period)[0]) for period in (0, 1))
    moved = Smooth(lambda totals: side(totals, 1) - side(totals, 0))
    return before, after, after - before, bootstrap(sums, np.ones(len(sums)), moved)
