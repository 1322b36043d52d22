"""What a model says of the memories that compared configurations newly show: beside the ledgers, never in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.estimate import LABEL, estimate_newly, fit_model, shown_pairs, wanted_pairs
from workbench.judge import Evidence, judged_replay
from workbench.metrics.net_help import DEFAULT_NOISE_COST
from workbench.params import Params
from workbench.replay.run import Settings
from workbench.store import Database, compose

_NEW = "estimate_newly_shown"


def estimated_alone(db: Database, named: Mapping[str, Params], in_force: Params, selected: str) -> dict[str, Any]:
    """The part `estimate` of the comparison of `named` without the rest of it (see compare)."""
    outcomes = {name: f"outcomes_{number}" for number, name in enumerate(named)}
    for name, table in outcomes.items():
        judged_replay(db, Settings(named[name], in_force), selected, into=table)
    return estimates(db, outcomes, in_force, selected)


def estimates(db: Database, outcomes: Mapping[str, str], in_force: Params, selected: str) -> dict[str, Any]:
    """The part `estimate` of a comparison: the model, fitted on what the log showed for the queries of the table
    `selected`, and for each configuration (name to its table of outcomes) what it says of the newly shown memories and
    what they add to net_help a prompt, with both bounds."""
    model = fit_model(shown_pairs(db, in_force, selected, Evidence().under(in_force)))
    (prompts,) = db.row(f"SELECT count(*) FROM {selected}")
    configs = {}
    for name, table in outcomes.items():
        chain = (("outcomes", f"SELECT * FROM {table}"), "estimate/newly_shown")
        db.execute(f"CREATE OR REPLACE TEMP TABLE {_NEW} AS {compose(chain)}")
        found = estimate_newly(model, wanted_pairs(db, in_force, _NEW))
        added = found.change(0.0, prompts, DEFAULT_NOISE_COST)
        del added["known"]
        configs[name] = {**found.as_json(), "adds_to_net_help": added, "said": found.sentence()}
    return {"label": LABEL, "model": model.as_json(), "configs": configs}
