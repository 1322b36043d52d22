"""Parity looks for causes only in the queries that differ: what it says is what a look at all of them says."""

from __future__ import annotations

import pytest
from worlds import world_store

from workbench.params import Params
from workbench.replay import parity as gate
from workbench.replay.parity import Parity, parity
from workbench.replay.run import Settings, candidates_of, full_chain
from workbench.store import Database, reading

PROMPTS = 300


def looked_at_all(db: Database, settings: Settings) -> Parity:
    chain = (
        *full_chain(candidates_of(None, settings.candidates)), ("scored", "SELECT * FROM display"), "parity/compared",
        "parity/parity_rows",
    )  # fmt: skip
    gate._write(db, "parity_rows", chain, settings.bindings())
    return gate._counts(db, gate._EACH, "parity/parity_flips")


@pytest.mark.parametrize(
    ("changed", "differing"),
    [
        ({}, 0),
        ({"recall.weights.w_dense": 0.35}, PROMPTS),
        ({"recall.weights.w_exact": 0.5}, 1),
        ({"recall.display.min_display_score": 0.5}, 1),
        ({"recall.display.max_display_items": 1}, 1),
        ({"recall.bonus.priority_base": 0.07, "recall.display.min_display_score": 0.35}, PROMPTS),
    ],
)
def test_causes_of_the_queries_that_differ_are_those_of_all(changed: dict[str, float], differing: int) -> None:
    params = Params.default().replace(changed)
    with reading(world_store(PROMPTS, 0.5, 3)) as db:
        found = parity(db, Settings(params, params))
        whole = looked_at_all(db, Settings(params, params))
    assert found == whole
    assert found.rows > 0
    assert found.rows - found.rows_equal + found.flips >= differing
    assert found.flips > 0 or not changed or found.rows_equal < found.rows


def test_a_log_with_rows_that_cannot_be_compared_is_counted_alike() -> None:
    with reading(world_store(PROMPTS, 0.5, 3)) as db:
        db.execute("CREATE TEMP TABLE odd AS SELECT * FROM wb.logged_candidates")
        db.execute("UPDATE odd SET logged_score = NULL WHERE hash(query_id, uri) % 7 = 0")
        db.execute("UPDATE odd SET logged_shown = NOT logged_shown WHERE hash(uri, query_id) % 50 = 0")
        db.execute("UPDATE odd SET logged_dense = logged_dense + 0.01 WHERE hash(uri) % 20 = 0")
        settings = Settings(Params.default(), Params.default(), candidates="odd")
        found = parity(db, settings)
        assert found == looked_at_all(db, settings)
    assert found.flips > 0
    assert found.excluded["not ranked by the server"] > 0
    assert found.rows_equal < found.rows
