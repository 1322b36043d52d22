"""A log laid out for many configurations, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workbench.judge import PROMPTS, Evidence, Labelled, Ledger, label_candidates, ledger_of, quick_ledger
from workbench.judge.labels import stage
from workbench.params import THRESHOLD, Params, Value
from workbench.replay.logged import settings_in_force
from workbench.replay.run import Settings, candidates_of, shown_chain
from workbench.replay.selection import SELECTED, Selection
from workbench.store import Database, compose, sql_text

MOST_FLIPS = 200


@dataclass(frozen=True)
class Desk:
    """The candidates of the selected prompts with their labels, in temporary tables of `db`: for one thread at a time.

    Every method takes a configuration and answers for all those prompts; scores are those of score.sql.
    """

    db: Database
    labelled: Labelled
    in_force: Params

    @classmethod
    def over(cls, db: Database, selection: Selection) -> Desk:
        """The desk over the replayable prompts of `selection`."""
        selection.for_replay().materialise(db)
        labelled = label_candidates(db, SELECTED, Evidence.standard(db), ordered=False)
        return cls(db, labelled, settings_in_force(db).params)

    def ledger(self, params: Params) -> Ledger:
        """The four-way ledger of `params`."""
        return quick_ledger(self.db, self._settings(params), self.labelled)

    def curve(self, params: Params, thresholds: Sequence[float]) -> list[tuple[float, Ledger]]:
        """The ledgers of `params` with each of the display thresholds instead of its own, lowest first: by one pass,
        because what is shown at a threshold does not depend on candidates below it."""
        sql = compose(self._reached(), sql_text("whatif/curve"))
        bound = self._bound(params, min(thresholds)) | {"thresholds": list(thresholds)}
        return [(threshold, ledger_of(self.labelled.log, *counts)) for threshold, *counts in self.db.rows(sql, bound)]

    def sweep(
        self, params: Params, key: str, values: Sequence[Value], thresholds: Sequence[float]
    ) -> list[tuple[Value, list[tuple[float, Ledger]]]]:
        """The curve for each value of `key`."""
        return [(value, self.curve(params.replace({key: value}), thresholds)) for value in values]

    def flips(self, params: Params, one: float, other: float) -> list[dict[str, Any]]:
        """The memories that `params` shows at one display threshold and not at the other: at most MOST_FLIPS rows of
        flips.sql, used ones first."""
        low, high = sorted((one, other))
        stages = (*self._reached(), *stage("prompts", PROMPTS))
        bound = self._bound(params, low) | {"low": low, "high": high, "most": MOST_FLIPS}
        rows: list[dict[str, Any]] = self.db.arrow(compose(stages, sql_text("whatif/flips")), bound).to_pylist()
        return rows

    def terms(self, params: Params) -> list[dict[str, Any]]:
        """How each term of the score is distributed among used, unused and withheld candidates: rows of terms.sql."""
        sql = compose((candidates_of(None, self.labelled.table), "score"), sql_text("whatif/terms"))
        rows: list[dict[str, Any]] = self.db.arrow(sql, self._settings(params).bindings()).to_pylist()
        return rows

    def _settings(self, params: Params) -> Settings:
        return Settings(params, self.in_force)

    def _bound(self, params: Params, lowest: float) -> dict[str, Any]:
        return self._settings(params.replace({THRESHOLD: lowest})).bindings()

    def _reached(self) -> tuple[Any, ...]:
        return (*tuple(shown_chain(candidates_of(None, self.labelled.table)))[:-1], "whatif/reached")
