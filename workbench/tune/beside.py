"""What stands beside the verdict in a tuning result: ledgers by client, the model's estimate, what would settle it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workbench.params import Params
from workbench.replay.run import candidates_of, shown_chain
from workbench.store import compose, sql_text
from workbench.tune.estimated import estimate_of, with_model
from workbench.tune.evaluate import Part
from workbench.tune.goal import Goal
from workbench.tune.higher import higher
from workbench.tune.probe import Traffic
from workbench.tune.request import TuneRequest
from workbench.tune.search import Tried
from workbench.tune.settle import settle
from workbench.tune.split import HOLDOUT


def beside(
    train: Goal, holdout: Goal, tried: Sequence[Tried], result: dict[str, Any], request: TuneRequest
) -> dict[str, Any]:
    """What a judged `result` is given: `estimate`, `settle`, and `holdout` with the ledgers of each client."""
    current = train.part.in_force
    chosen = current.replace(result["best_found"]["changed"])
    days = (result["data"]["first_day"], result["data"]["last_day"])
    traffic = Traffic.of([goal.part.labelled.sessions for goal in (train, holdout)], *days)
    made = with_model(train, holdout, traffic, request)
    found, estimate = estimate_of(made, tried, chosen)

    def raised() -> dict[str, Any] | None:
        threshold = higher([train, holdout])
        return threshold.as_json(request.helpful_share) if threshold else None

    by_client = {name: client_ledgers(holdout.part, one) for name, one in (("current", current), ("proposed", chosen))}
    return {
        "holdout": {**result["holdout"], "ledgers_by_client": by_client},
        "estimate": estimate,
        "settle": settle(result, made.probe(found, chosen, HOLDOUT, request.study), traffic, raised),
    }


def client_ledgers(part: Part, params: Params) -> list[dict[str, Any]]:
    """The four-way ledger of `params` on a part for each client: client, shown, used_kept, used_lost, unused_kept,
    removed, newly_shown; by name of the client."""
    chain = (*shown_chain(candidates_of(None, part.labelled.table))[:-1],
             ("labelled", f"SELECT * FROM {part.labelled.table}"))  # fmt: skip
    rows: list[dict[str, Any]] = part.db.arrow(
        compose(chain, sql_text("tune/client_ledgers")), part.settings(params).bindings()
    ).to_pylist()
    return rows
