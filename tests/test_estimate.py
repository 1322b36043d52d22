"""The model of what helps: right where the truth is planted, silent where nothing is there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from workbench.compare import compare
from workbench.estimate import FEATURES, Model, NoModel, Pairs, ShownPairs, estimate_newly, fit_model, shown_pairs
from workbench.estimate.hull import inside_hull, within_ranges
from workbench.estimate.logistic import chances, fit
from workbench.estimate.pairs import wanted_pairs
from workbench.judge import Evidence
from workbench.params import THRESHOLD, Params
from workbench.replay.run import Settings, replay_shown
from workbench.replay.selection import Selection
from workbench.review.estimated import write_estimates
from workbench.simulate import PLANTED_NEEDS, TRUTH, World, planted_log
from workbench.store import Database

SIZE = World(prompts=900, needs=PLANTED_NEEDS)
_NEW = """
CREATE OR REPLACE TEMP TABLE estimate_new AS
SELECT row_number() OVER (ORDER BY s.query_id, s.node) - 1 AS number, s.*, q.client_type AS client
FROM (SELECT DISTINCT query_id, coalesce(node_uuid, uri) AS node FROM shown) AS s
JOIN wb.logged_queries AS q ON q.query_id = s.query_id
ANTI JOIN estimate_log AS l ON l.query_id = s.query_id AND l.node = s.node
"""


def newly_shown(db: Database, params: Params, in_force: Params) -> Pairs:
    replay_shown(db, Settings(params, in_force), "selected")
    db.execute(_NEW)
    return wanted_pairs(db, in_force, "estimate_new")


@pytest.fixture(scope="module")
def world() -> Iterator[tuple[Database, Params, ShownPairs, float]]:
    """A world where helpfulness follows other weights, with every helpful shown memory marked as far as an agent does;
    its last part is how many marks there are for a helpful shown memory."""
    with planted_log(SIZE, "skewed-weights", 300, 2) as (db, planted):
        Selection().for_replay().materialise(db)
        shown = shown_pairs(db, planted.in_force, "selected")
        yield db, planted.in_force, shown, planted.used / planted.helpful_shown


def test_estimates_agree_with_the_planted_truth(world: tuple[Database, Params, ShownPairs, float]) -> None:
    db, in_force, shown, marks = world
    model = fit_model(shown)
    assert isinstance(model, Model)
    assert model.usable, model.said()
    seen = model.calibration
    assert seen.expected == pytest.approx(seen.used, rel=0.05)
    outside = [one for one in seen.bins if not _within(one.as_json()["interval"], one.expected)]
    assert len(outside) <= 2
    lower = in_force.replace({THRESHOLD: float(in_force[THRESHOLD]) - 0.04})
    found = estimate_newly(model, newly_shown(db, lower, in_force))
    (chance,) = db.row(
        f"SELECT sum(chance) FROM estimate_new AS n JOIN {TRUTH} AS t"
        " ON t.query_id = n.query_id AND t.node_uuid = n.node"
    )
    assert found.count > 200
    assert found.interval is not None
    assert found.helpful is not None
    assert found.interval.low <= chance * marks <= found.interval.high
    constant = found.count * shown.used.mean()
    assert abs(found.helpful - chance * marks) < abs(constant - chance * marks) / 2


def test_what_lies_below_the_threshold_is_outside_the_hull(world: tuple[Database, Params, ShownPairs, float]) -> None:
    """The score is linear in signals and bonuses: nothing below the threshold lies between what was shown above it."""
    db, in_force, shown, _ = world
    model = fit_model(shown)
    lower = in_force.replace({THRESHOLD: float(in_force[THRESHOLD]) - 0.04})
    support = estimate_newly(model, newly_shown(db, lower, in_force)).support
    wider = estimate_newly(model, newly_shown(db, in_force.replace({"recall.display.max_display_items": 6}), in_force))
    assert support is not None
    assert wider.support is not None
    assert support.inside == 0 < support.in_ranges
    assert wider.support.inside > wider.support.checked / 2
    assert f"{support.inside} of {support.checked}" in support.sentence()


@pytest.mark.parametrize("seed", [1, 2])
def test_without_a_signal_the_model_says_so(seed: int) -> None:
    with planted_log(replace(SIZE, prompts=600), "no-signal", 90, seed) as (db, planted):
        Selection().for_replay().materialise(db)
        model = fit_model(shown_pairs(db, planted.in_force, "selected"))
        found = estimate_newly(model, newly_shown(db, planted.in_force.replace({THRESHOLD: 0.3}), planted.in_force))
    assert isinstance(model, Model)
    assert not model.usable
    assert "no better than" in model.said()
    assert (found.helpful, found.interval) == (None, None)
    assert found.change(0.5, 10, 0.1)["estimated"] is None
    assert found.change(0.5, 10, 0.1)["all_bad"] == pytest.approx(0.5 - 0.1 * found.count / 10)


def test_a_comparison_shows_the_estimate_beside_the_ledgers(world: tuple[Database, Params, ShownPairs, float]) -> None:
    db, in_force, _, _ = world
    lower = in_force.replace({THRESHOLD: float(in_force[THRESHOLD]) - 0.04})
    said = compare(db, {"current": in_force, "lower": lower}, in_force, "selected")
    estimate, ledger = said["estimate"], said["ledgers"]["lower"]
    own = estimate["configs"]["lower"]
    assert estimate["label"] == own["label"] == "model estimate"
    assert own["newly_shown"] == ledger["newly_shown"] > 200
    assert own["interval"][0] < own["helpful"] < own["interval"][1]
    added = own["adds_to_net_help"]
    assert added["all_bad"] == pytest.approx(-0.1 * ledger["newly_shown"] / ledger["prompts"])
    assert added["all_good"] == pytest.approx(ledger["newly_shown"] / ledger["prompts"])
    assert added["all_bad"] < added["interval"][0] < added["estimated"] < added["interval"][1] < added["all_good"]
    assert estimate["configs"]["current"]["newly_shown"] == 0


def test_misses_get_an_estimate_where_they_were_candidates(world: tuple[Database, Params, ShownPairs, float]) -> None:
    db, in_force, _, _ = world
    db.execute(
        "CREATE OR REPLACE TEMP TABLE misses AS SELECT query_id, node_uuid AS node, 'pi' AS client, true AS logged,"
        " NULL::DOUBLE AS estimate FROM wb.logged_candidates SEMI JOIN selected USING (query_id)"
        " WHERE NOT logged_shown AND NOT is_boot QUALIFY row_number() OVER (ORDER BY query_id, uri) <= 50"
        " UNION ALL SELECT 'elsewhere', 'nowhere', 'pi', true, NULL"
    )
    model = write_estimates(db, in_force, Evidence.standard(db))
    assert model.usable
    given = db.rows("SELECT node, estimate FROM misses")
    assert [node for node, estimate in given if estimate is None] == ["nowhere"]
    assert all(0 < estimate < 1 for node, estimate in given if node != "nowhere")


def made(rng: np.random.Generator, pairs: int, strength: float, by_client: float = 0.0) -> ShownPairs:
    """Shown pairs whose use follows the first feature, or the client."""
    values = rng.random((pairs, len(FEATURES)))
    who = np.where(rng.random(pairs) < 0.5, "codex", "pi")
    logits = -2.5 + strength * (values[:, 0] - 0.5) + by_client * (who == "pi")
    used = rng.random(pairs) < chances(logits)
    return ShownPairs(values, who, used, np.arange(pairs) // 4, rng.integers(1, 4, pairs))


def test_clients_that_differ_are_no_signal() -> None:
    """A rate by client predicts uses and says nothing of the memory."""
    model = fit_model(made(np.random.default_rng(1), 3000, 0.0, 2.5))
    assert isinstance(model, Model)
    assert model.calibration.constant.log_loss > model.calibration.model.log_loss
    assert not model.usable
    assert "place and client alone" in model.said()


def test_false_alarms_are_rare() -> None:
    rng = np.random.default_rng(5)
    models = [fit_model(made(rng, 400, 0.0)) for _ in range(24)]
    assert sum(model.usable for model in models) <= 1


def test_a_term_is_found_with_its_sign_and_its_interval() -> None:
    model = fit_model(made(np.random.default_rng(3), 4000, 4.0))
    assert isinstance(model, Model)
    assert model.usable
    terms = {one["term"]: one for one in model.terms()}
    first, second = terms["exact"], terms["dense"]
    assert _within(first["interval"], 4.0 * first["unit"])
    assert _within(second["interval"], 0.0)
    assert model.as_json()["calibration"]["better"]


def test_too_little_makes_no_model() -> None:
    found = fit_model(made(np.random.default_rng(1), 60, 4.0))
    assert isinstance(found, NoModel)
    newly = estimate_newly(found, Pairs(np.zeros((3, len(FEATURES))), np.array(["pi"] * 3)))
    assert (newly.helpful, newly.support, newly.count) == (None, None, 3)
    assert "least" in found.said()


def test_the_place_is_a_nuisance() -> None:
    """Uses that fall with the place alone do not make low memories unhelpful: all stand at the same place."""
    rng = np.random.default_rng(2)
    shown = made(rng, 4000, 3.0)
    used = shown.used & (rng.random(4000) < 1 / shown.places)
    model = fit_model(replace(shown, used=used))
    assert isinstance(model, Model)
    predicted = model.predict(shown)
    by_place = [predicted[shown.places == place].mean() for place in (1, 3)]
    assert by_place[0] == pytest.approx(by_place[1], rel=0.1)
    assert used[shown.places == 1].mean() > 1.8 * used[shown.places == 3].mean()


def test_the_fit_is_where_the_slope_vanishes() -> None:
    rng = np.random.default_rng(4)
    x, penalty = np.column_stack([np.ones(200), rng.standard_normal((200, 3))]), np.array([0.0, 2.0, 2.0, 2.0])
    y = (rng.random(200) < 0.2).astype(float)
    weights = rng.integers(0, 3, 200).astype(float)
    found = fit(x, y, penalty, weights=weights)
    assert np.abs(x.T @ (weights * (y - chances(x @ found))) - penalty * found).max() < 1e-4


def test_the_hull_of_a_square_and_of_many_points() -> None:
    square = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    points = np.array([[0.2, 0.2], [0.5, 0.5], [0.6, 0.6], [1.0, 0.0], [-0.1, 0.2]])
    assert inside_hull(points, square).tolist() == [True, True, False, True, False]
    assert within_ranges(points, square).tolist() == [True, True, True, True, False]
    rng = np.random.default_rng(1)
    seen = rng.random((300, 8))
    weights = rng.dirichlet(np.ones(300) * 0.02, 100)
    mixed = weights @ seen
    assert inside_hull(mixed, seen).all()
    farther = seen.mean(0) + 3 * (mixed - seen.mean(0))
    plane = (farther - seen.mean(0)) @ (seen - seen.mean(0)).T
    beyond = np.einsum("ij,ij->i", farther - seen.mean(0), farther - seen.mean(0)) > plane.max(1)
    assert beyond.sum() > 20
    assert not inside_hull(farther[beyond], seen).any()


def _within(interval: list[float] | None, value: float) -> bool:
    return interval is not None and interval[0] <= value <= interval[1]
