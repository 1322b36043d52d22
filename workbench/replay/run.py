"""Replay: the scoring chain over candidates, under one configuration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.params import Params
from workbench.store import Database, compose

DEFAULT_LIMIT = 12
SHOWN = "shown"


@dataclass(frozen=True)
class Settings:
    """What one replay runs with.

    `in_force` is the configuration of the log: where a view weight of `params` equals it, the weights stored on the
    rows are used. `limit`, `min_score` and `exclude_boot` are the overrides that a single request can carry.
    `candidates` is the table of signals: those of the log, or those that an engine has written in the same shape.
    """

    params: Params
    in_force: Params
    limit: int | None = None
    min_score: float = 0.0
    exclude_boot: bool = True
    candidates: str = "wb.logged_candidates"

    def bindings(self) -> dict[str, Any]:
        """The bound values of score.sql and display.sql."""
        bound: dict[str, Any] = self.params.bindings()
        for name, key in (("gist_weight", "views.weight.gist"), ("question_weight", "views.weight.question")):
            if self.params[key] == self.in_force[key]:
                bound[name] = None
        bound["slice"] = slice_size(self.limit, bound["max_display_items"])
        bound["min_score"] = self.min_score
        bound["exclude_boot"] = self.exclude_boot
        return bound


def slice_size(limit: int | None, max_display_items: int) -> int:
    """How many of the best candidates are looked at for display (recall semantics, section 7); at least 1."""
    return max(limit or DEFAULT_LIMIT, max_display_items, 1)


Stage = str | tuple[str, str]
Replay = Callable[[Database, Settings, str | None, str], None]


def candidates_of(selected: str | None, source: str = "wb.logged_candidates") -> Stage:
    """The stage that hands the candidates of the queries in table `selected` (None: all) to score.sql."""
    where = f" WHERE query_id IN (SELECT query_id FROM {selected})" if selected else ""
    return ("candidates", f"SELECT * FROM {source}{where}")


def full_chain(candidates: Stage) -> Sequence[Stage]:
    """Stages that score, rank and explain every candidate; the last is `display`."""
    return (candidates, "score", ("ranked_input", "SELECT * FROM score"), "display")


def shown_chain(candidates: Stage) -> Sequence[Stage]:
    """Stages that yield only what is shown; candidates below the threshold cannot displace one above it."""
    visible = "SELECT * FROM score WHERE score >= $min_display_score"
    return (candidates, "score", ("ranked_input", visible), "display", "shown")


def replay_shown(db: Database, settings: Settings, selected: str | None, into: str = SHOWN) -> None:
    """Write the temporary table `into` with the memories that `settings` shows for the selected queries."""
    sql = compose(shown_chain(candidates_of(selected, settings.candidates)), "SELECT * FROM {last}")
    db.execute(f"CREATE OR REPLACE TEMP TABLE {into} AS {sql}", settings.bindings())
