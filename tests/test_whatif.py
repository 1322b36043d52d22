"""What-if: curves and sweeps by one pass are the ledgers of each configuration; flips and distributions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from worlds import world_store

from workbench.judge import Ledger, ledger
from workbench.params import THRESHOLD, Params
from workbench.replay.run import Settings, candidates_of
from workbench.replay.selection import SELECTED, Selection
from workbench.store import compose, reading
from workbench.whatif import Desk

OTHERS: tuple[dict[str, float], ...] = (
    {},
    {"recall.display.max_display_items": 1},
    {"recall.display.max_display_items": 20, "recall.weights.w_dense": 0.5},
    {"views.weight.question": 0.5, "recall.recency.enabled": False},
)


@pytest.fixture(scope="module")
def desk() -> Iterator[Desk]:
    with reading(world_store(900, 0.4, 3)) as db:
        yield Desk.over(db, Selection())


def full(desk: Desk, params: Params) -> Ledger:
    """The ledger by a whole replay."""
    return ledger(desk.db, Settings(params, desk.in_force), SELECTED)


@pytest.mark.parametrize("changes", OTHERS)
def test_a_curve_is_the_ledger_at_every_threshold(desk: Desk, changes: dict[str, float]) -> None:
    params = desk.in_force.replace(changes)
    thresholds = [0.0, 0.35, 0.5, 0.6, 0.61, 0.75, 1.0]
    curve = desk.curve(params, thresholds)
    assert [at for at, _ in curve] == thresholds
    for at, found in curve:
        assert found == full(desk, params.replace({THRESHOLD: at}))
    assert len({found.shown for _, found in curve}) > 4


def test_a_score_on_the_threshold_is_shown(desk: Desk) -> None:
    score = desk.flips(desk.in_force, 0.6, 0.9)[0]["reach"]
    at, above = desk.curve(desk.in_force, [score, score + 1e-6])
    assert at[1].shown > above[1].shown


def test_the_ledger_is_that_of_a_replay(desk: Desk) -> None:
    for changes in OTHERS:
        params = desk.in_force.replace(changes)
        assert desk.ledger(params) == full(desk, params)


def test_a_sweep_is_one_curve_a_value(desk: Desk) -> None:
    swept = desk.sweep(desk.in_force, "recall.weights.w_exact", [0.2, 0.3], [0.5, 0.6])
    assert [value for value, _ in swept] == [0.2, 0.3]
    assert swept[0][1][1][1] == full(desk, desk.in_force.replace({"recall.weights.w_exact": 0.2}))


def test_flips_are_what_two_thresholds_differ_by(desk: Desk) -> None:
    low, high = (one for _, one in desk.curve(desk.in_force, [0.58, 0.62]))
    rows = desk.flips(desk.in_force, 0.62, 0.58)
    assert rows[0]["total"] == low.shown - high.shown > 0
    labels = [row["label"] for row in rows]
    assert labels.count(1) == low.used_kept - high.used_kept
    assert labels == sorted(labels, key=lambda one: {1: 0, 0: 1}.get(one, 2))
    asked = dict(desk.db.rows("SELECT query_id, query_text FROM recall_queries"))
    assert all(asked[row["query_id"]] == row["query_text"] for row in rows)
    shown = set(desk.db.rows("SELECT query_id, uri FROM wb.logged_candidates"))
    assert all((row["query_id"], row["uri"]) in shown and 0.58 <= row["reach"] < 0.62 for row in rows)


def test_the_distribution_counts_every_candidate_once_a_term(desk: Desk) -> None:
    rows = desk.terms(desk.in_force)
    by_term = {row["term"]: 0 for row in rows}
    for row in rows:
        by_term[row["term"]] += row["candidates"]
        assert row["quantiles"] == sorted(row["quantiles"])
    assert len(by_term) == 9
    assert len(set(by_term.values())) == 1
    median = "SELECT quantile_cont(c_dense, 0.5) FROM score WHERE label = 1"
    scored = compose((candidates_of(None, desk.labelled.table), "score"), median)
    used = desk.db.row(scored, Settings(desk.in_force, desk.in_force).bindings())[0]
    (dense,) = [row for row in rows if (row["term"], row["grp"]) == ("dense", "used")]
    assert dense["quantiles"][2] == pytest.approx(used)


def test_a_desk_without_prompts_has_nothing() -> None:
    with reading(world_store(900, 0.4, 3)) as db:
        empty = Desk.over(db, Selection(text="nobody asks this"))
        assert empty.ledger(empty.in_force) == Ledger(0, 0, 0, 0, 0, 0, 0, 0)
        assert [one.shown for _, one in empty.curve(empty.in_force, [0.5])] == [0]
        assert empty.flips(empty.in_force, 0.1, 0.9) == []
        assert empty.terms(empty.in_force) == []
