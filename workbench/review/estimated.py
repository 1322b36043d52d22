"""How likely missed memories would have helped, by a model: beside the other evidence, and never alone."""

from __future__ import annotations

import pyarrow as pa

from workbench.estimate import Model, NoModel, fit_model, shown_pairs, wanted_pairs
from workbench.judge import Evidence
from workbench.params import Params
from workbench.replay.selection import SELECTED
from workbench.review.evidence import MISSES
from workbench.store import Database, sql_text

_WANTED = "estimated_misses"


def write_estimates(db: Database, in_force: Params, evidence: Evidence) -> Model | NoModel:
    """Fill the column estimate of MISSES, for memories that were candidates, where the model may be used. It is fitted
    on what the log showed for the queries of the table SELECTED."""
    model = fit_model(shown_pairs(db, in_force, SELECTED, evidence))
    if isinstance(model, Model) and model.usable:
        db.execute(f"CREATE OR REPLACE TEMP TABLE {_WANTED} AS {sql_text('estimate/missed_candidates')}")
        chances = model.predict(wanted_pairs(db, in_force, _WANTED))
        db.register("given", pa.table({"number": range(len(chances)), "estimate": chances}))
        db.execute(
            f"UPDATE {MISSES} AS m SET estimate = g.estimate FROM given AS g JOIN {_WANTED} AS w ON w.number = g.number"
            " WHERE m.query_id = w.query_id AND m.node = w.node AND m.logged"
        )
        db.unregister("given")
    return model
