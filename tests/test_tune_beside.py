"""What stands beside the verdict of a tuning run: the model's estimate, ledgers by client, what would settle it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tune_logs import planted, tuned_log

from workbench.cli.tuning import tune_text
from workbench.judge import Evidence, judge_log
from workbench.judge.outcomes import ledgers_by
from workbench.metrics.arms import half_width, spread_of
from workbench.params import THRESHOLD, Params
from workbench.replay.logged import settings_in_force
from workbench.replay.run import Settings
from workbench.replay.selection import Selection
from workbench.simulate import PLANTED_NEEDS, World, planted_log
from workbench.store import Database
from workbench.tune import TuneRequest, tune
from workbench.tune.beside import client_ledgers
from workbench.tune.estimated import estimate_of, newly_shown, with_model
from workbench.tune.evaluate import make_part
from workbench.tune.goal import Goal
from workbench.tune.higher import Higher
from workbench.tune.probe import Traffic, answers, canary, more_days, near_threshold
from workbench.tune.search import Trials
from workbench.tune.settle import settle
from workbench.tune.space import make_space
from workbench.tune.split import HOLDOUT, TRAIN, split


@pytest.fixture(scope="module")
def db() -> Iterator[Database]:
    with tuned_log(planted) as database:
        yield database


@pytest.fixture(scope="module")
def tuned(db: Database, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("studies")
    return tune(db, settings_in_force(db).params, folder, TuneRequest(trials=40))


@pytest.fixture(scope="module")
def planted_world() -> Iterator[tuple[Goal, Goal, Params]]:
    """Both parts of a planted world whose weights are wrong, and the right ones."""
    with planted_log(World(prompts=900, needs=PLANTED_NEEDS), "skewed-weights", 300, 2) as (database, found):
        Selection().for_replay().materialise(database)
        evidence = Evidence.standard(database)
        judge_log(database, "selected", evidence)
        split(database, 0.7)
        parts = [make_part(database, found.in_force, side, evidence, f"{side}_parts") for side in (TRAIN, HOLDOUT)]
        train, holdout = (Goal(part, part.kept(found.in_force), 0.1, 1.0, 0.1) for part in parts)
        yield train, holdout, found.rules[0].params


@pytest.fixture(scope="module")
def goals(planted_world: tuple[Goal, Goal, Params]) -> tuple[Goal, Goal]:
    return planted_world[:2]


def test_the_estimate_stands_apart_with_bounds_and_support(tuned: dict[str, Any]) -> None:
    json.dumps(tuned)
    estimate, known = tuned["estimate"], tuned["holdout"]
    assert estimate["label"] == "model estimate"
    change = estimate["judged"]["net_help_gain"]
    assert change["known"] == pytest.approx(known["net_help_gain"])
    assert change["all_bad"] == pytest.approx(known["if_new_unhelpful"]["net_help_gain"])
    assert change["all_good"] == pytest.approx(known["if_new_helpful"]["net_help_gain"])
    assert estimate["model"]["said"] in tune_text(tuned)


def test_ledgers_by_client_add_up_and_are_those_of_the_judge(db: Database, tuned: dict[str, Any]) -> None:
    for name, ledgers in tuned["holdout"]["ledgers_by_client"].items():
        for part in ("shown", "used_kept", "used_lost", "removed", "newly_shown"):
            assert sum(one[part] for one in ledgers) == tuned["holdout"][name][part], (name, part)
    in_force = settings_in_force(db).params
    judge_log(db, "selected")
    split(db, 0.7)
    held_out = make_part(db, in_force, HOLDOUT, Evidence.standard(db), "held_out_here")
    lower = in_force.replace({THRESHOLD: 0.3})
    expected = ledgers_by(db, Settings(lower, in_force), HOLDOUT)
    for one in client_ledgers(held_out, lower):
        own = expected[one.pop("client")].as_json()
        assert one == {name: own[name] for name in one}


def test_newly_shown_pairs_are_those_of_the_ledger(goals: tuple[Goal, Goal]) -> None:
    part = goals[1].part
    lower = part.in_force.replace({THRESHOLD: 0.3})
    assert len(newly_shown(part, lower)) == part.ledger(lower).newly_shown > 100
    assert len(newly_shown(part, part.in_force)) == 0


def test_the_model_names_a_change_that_is_at_most_worth_a_trial(planted_world: tuple[Goal, Goal, Params]) -> None:
    """The log follows wrong weights; what better ones would show was never shown, so only a model speaks for them."""
    train, holdout, right = planted_world
    goals = (train, holdout)
    space = make_space(train.part.in_force, (), (), train.part.fingerprint)
    trials = Trials(space, train)
    near = [space.near(space.current, np.random.default_rng(n)) for n in range(40)]
    tried = trials.several({n: space.current.replace(moved) for n, moved in enumerate(near)} | {40: right})
    traffic = Traffic.of([goal.part.labelled.sessions for goal in goals], "2026-10-12", "2026-11-22")
    made = with_model(train, holdout, traffic, TuneRequest())
    _, estimate = estimate_of(made, tried, train.part.in_force)
    assert estimate["model"]["usable"]
    check = estimate["holdout_check"]
    assert check["model"]["log_loss"] < check["constant"]["log_loss"]
    assert check["expected"] == pytest.approx(check["used"], rel=0.35)
    alone = estimate["by_model_alone"]
    assert alone is not None
    assert alone["verdict"] == "worth a trial"
    assert alone["net_help_gain"]["interval"][0] > 0
    assert alone["net_help_gain"]["all_bad"] < alone["net_help_gain"]["estimated"] < alone["net_help_gain"]["all_good"]
    assert alone["probe"]["labels"]["pairs"]
    assert "days" in alone["probe"]["canary"]


def test_near_threshold_pairs_are_new_and_nearest_first(goals: tuple[Goal, Goal]) -> None:
    part = goals[1].part
    lower = part.in_force.replace({THRESHOLD: float(part.in_force[THRESHOLD]) - 0.05})
    pairs = near_threshold(part.db, lower, part.in_force, HOLDOUT)
    assert len(pairs) == 10
    above = [pair["above"] for pair in pairs]
    assert above == sorted(above)
    assert 0 <= above[0] < 0.01
    for pair in pairs:
        asked = "SELECT bool_or(logged_shown) FROM wb.logged_candidates WHERE query_id = $query_id AND uri = $uri"
        assert part.db.row(asked, {name: pair[name] for name in ("query_id", "uri")}) == (False,)


def sessions(count: int, prompts: int = 4, used_in: int = 5) -> Traffic:
    """`count` sessions over ten days, one used memory in every `used_in`-th."""
    used = [int(number % used_in == 0) for number in range(count)]
    columns = {"prompts": [prompts] * count, "used": used, "shown_unused": [prompts] * count}
    return Traffic.of([pa.table(columns)], "2026-10-01", "2026-10-10")


def test_a_canary_is_as_long_as_its_interval_needs() -> None:
    traffic = sessions(1000)
    found = canary(traffic, 0.2)
    assert found["used_per_prompt"] == pytest.approx(0.05)
    assert found["smallest_difference_that_matters"] == pytest.approx(0.01)
    spread = spread_of(traffic.sums("used"), traffic.sums("prompts"), 0.5)
    assert half_width(spread, found["sessions"]) < 0.01 <= half_width(spread, found["sessions"] - 1)
    assert found["prompts"] == 4 * found["sessions"]
    assert found["days"] == -(-found["sessions"] // 100)
    assert f"{found['days']:,} days with {found['prompts']:,} prompts" in found["said"]
    smaller = canary(traffic, 0.02)
    assert smaller["days"] > 50 * found["days"]
    assert "too long" in smaller["said"]


def test_the_spread_is_that_of_the_arms() -> None:
    """What a plan expects of a trial is what arm_difference then finds."""
    from workbench.metrics.arms import arm_difference

    rng = np.random.default_rng(1)
    prompts = rng.integers(1, 9, 40_000).astype(float)
    used = rng.binomial(prompts.astype(int), 0.1).astype(float)
    found = arm_difference("used_per_prompt", used, prompts, rng.random(40_000) < 0.3, 0.3)
    assert (found.high - found.low) / 2 == pytest.approx(half_width(spread_of(used, prompts, 0.3), 40_000), rel=0.03)


def test_answers_are_as_many_as_the_question_needs() -> None:
    clear, close = answers(400, 200.0, 0.1, "new.toml"), answers(400, 44.0, 0.1, "new.toml")
    assert clear["count"] == 10 < close["count"] <= 400
    assert clear["break_even_share"] == pytest.approx(1 / 11)
    assert answers(0, 0.0, 0.1, "study")["said"].startswith("Nothing")
    assert answers(7, 0.5, 0.1, "study")["count"] == 7


@pytest.mark.parametrize(
    ("verdict", "changes", "words"),
    [
        ("not enough evidence", {}, "until each side has 10 used memories (one has 4)"),
        ("keep current", {}, "stands out from luck"),
        ("worth a trial", {}, "leaves zero out"),
        ("safe to try", {}, "`workbench check`"),
    ],
)
def test_each_verdict_says_what_would_settle_it(verdict: str, changes: dict[str, Any], words: str) -> None:
    traffic = sessions(300)
    result = {
        "verdict": verdict,
        "split": {"train_used": 30, "holdout_used": 4},
        "luck": {"bar": 0.02},
        "train": {"net_help_gain": 0.01},
        "holdout": {"net_help_gain": 0.01, "interval": [-0.01, 0.03]},
    }
    probe = {"labels": answers(50, 5.0, 0.1, "study"), "canary": canary(traffic, 0.1)}
    higher = Higher(0.63, 40, 2, 200, 0.21).as_json(0.3)
    found = settle(result, probe, traffic, lambda: higher)
    assert words in " ".join(found["said"])
    assert (higher["said"] in found["said"]) is (verdict == "keep current")
    asked = [found[name] is not None for name in ("canary", "labels")]
    assert asked == [verdict in {"worth a trial", "safe to try"}] * 2
    if verdict != "safe to try":
        assert found["days_of_log"] == {"not enough evidence": 15, "keep current": 30, "worth a trial": 30}[verdict]
    assert more_days(traffic, 1e6) is None
