"""Tuning: the split, the space, studies on disk, luck, and verdicts on worlds with known truth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from worlds import with_random_uses, world_store

from workbench.errors import BadInput, NotEnoughEvidence, StoreLocked, WorkbenchError
from workbench.export import export_to, proposal_of
from workbench.judge import Evidence, Ledger, judge_log
from workbench.metrics.bootstrap import Interval
from workbench.params import KEYS, Params
from workbench.replay.logged import settings_in_force
from workbench.replay.selection import Selection
from workbench.store import Database, reading
from workbench.tune import TuneRequest, Verdict, load_result, tune
from workbench.tune.evaluate import Goal, Part, make_part
from workbench.tune.luck import Luck, luck
from workbench.tune.space import make_space
from workbench.tune.split import HOLDOUT, TRAIN, split
from workbench.tune.study import opened_study
from workbench.tune.verdict import Finding, judge

SETUP = {"data": 1}


@pytest.fixture(scope="module")
def db() -> Iterator[Database]:
    """A world with many uses."""
    with reading(world_store(900, 0.4, 3)) as database:
        yield database


@pytest.fixture(scope="module")
def part(db: Database) -> Part:
    """All of its prompts."""
    Selection().materialise(db)
    return make_part(db, settings_in_force(db).params, "selected", Evidence.standard(db), "all_candidates")


def run(db: Database, folder: Path, **request: Any) -> dict[str, Any]:
    return tune(db, settings_in_force(db).params, folder, TuneRequest(**{"trials": 60, **request}))


def changes(result: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in result["config"].items() if value != result["current"][name]}


def test_case_30_no_session_and_no_text_stands_on_both_sides(db: Database) -> None:
    Selection().materialise(db)
    judge_log(db)
    counts = split(db, 0.7)
    total = db.row("SELECT count(*) FROM selected")[0]
    assert counts.train + counts.holdout + counts.repeats == total
    assert abs(counts.train / total - 0.7) < 0.05
    shared = db.row(f"SELECT count(*) FROM {TRAIN} AS a JOIN {HOLDOUT} AS b ON b.session_key = a.session_key")[0]
    texts = db.row(
        f"SELECT count(*) FROM (SELECT lower(query_text) FROM recall_queries SEMI JOIN {TRAIN} USING (query_id)"
        f" INTERSECT SELECT lower(query_text) FROM recall_queries SEMI JOIN {HOLDOUT} USING (query_id))"
    )[0]
    assert (shared, texts) == (0, 0)
    starts = "SELECT min(now) AS s FROM judged_prompts SEMI JOIN {} USING (query_id) GROUP BY session_key"
    newest = db.row(f"SELECT max(s) FROM ({starts.format(TRAIN)})")
    assert newest <= db.row(f"SELECT min(s) FROM ({starts.format(HOLDOUT)})")


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_case_30_random_uses_never_make_a_change_safe(tmp_path: Path, seed: int) -> None:
    store = with_random_uses(world_store(900, 0.4, 3), tmp_path / "random.duckdb", 90, seed)
    with reading(store) as random:
        result = run(random, tmp_path / "studies", seed=seed)
    assert result["verdict"] != Verdict.SAFE.value
    assert result["verdict"] in {verdict.value for verdict in Verdict}
    if result["verdict"] in (Verdict.KEEP.value, Verdict.THIN.value):
        assert changes(result) == {}


def test_case_33_trials_are_a_total_and_left_over_ones_are_closed(db: Database, tmp_path: Path) -> None:
    run(db, tmp_path, trials=5)
    journal = tmp_path / "study.journal"
    lines = journal.read_text(encoding="utf-8")
    result = run(db, tmp_path, trials=5, resume=True)
    assert result["trials"] == {"completed": 5, "failed": 0}
    assert result["looks"] == 2
    assert journal.read_text(encoding="utf-8").startswith(lines)
    with opened_study(tmp_path, "other", SETUP, 1, resume=False) as study:
        study.ask()
    with opened_study(tmp_path, "other", SETUP, 1, resume=True) as study:
        assert [trial.state.name for trial in study.get_trials()] == ["FAIL"]
    assert run(db, tmp_path, trials=8, resume=True)["trials"] == {"completed": 8, "failed": 0}


def test_a_study_is_not_mixed_with_other_data_or_started_twice(db: Database, tmp_path: Path) -> None:
    run(db, tmp_path, trials=3)
    with pytest.raises(BadInput, match="--resume"):
        run(db, tmp_path, trials=3)
    with pytest.raises(BadInput, match=r"other data, settings or options \(options\)"):
        run(db, tmp_path, trials=3, resume=True, noise_cost=0.2)
    with (
        opened_study(tmp_path, "held", SETUP, 1, resume=False),
        pytest.raises(StoreLocked, match="running in another process"),
        opened_study(tmp_path, "held", SETUP, 1, resume=True),
    ):
        pass


def test_case_34_nothing_used_is_refused_before_the_first_trial(db: Database, tmp_path: Path) -> None:
    nobody = Selection(clients=("nobody",))
    with pytest.raises(NotEnoughEvidence, match=r"clients = \['nobody'\]"):
        run(db, tmp_path, selection=nobody)
    assert list(tmp_path.glob("*.journal")) == []


def test_case_34_without_a_feasible_trial_nothing_is_exported(db: Database, tmp_path: Path) -> None:
    result = run(db, tmp_path, trials=3)
    with pytest.raises(BadInput, match="nothing is exported"):
        export_to(proposal_of({**result, "feasible": False}), tmp_path / "out.toml", changed_only=False)
    assert not (tmp_path / "out.toml").exists()


def test_case_34_the_result_is_the_same_in_every_place(db: Database, tmp_path: Path) -> None:
    result = run(db, tmp_path, trials=80)
    kept = load_result(tmp_path, "study")
    assert kept["config"] == result["config"]
    assert dict(proposal_of(kept).params) == result["config"]
    assert result["best_found"]["trial"] == kept["best_found"]["trial"]


def test_case_35_one_seed_gives_one_result(db: Database, tmp_path: Path) -> None:
    first = run(db, tmp_path / "a", trials=70)
    second = run(db, tmp_path / "b", trials=70)
    assert first == second


def test_case_35_keys_without_effect_are_left_alone(part: Part) -> None:
    current = part.in_force
    assert list(make_space(current, (), (), part.fingerprint).dead) == ["recall.bonus.multi_view_cap"]
    off = current.replace({"recall.recency.enabled": False})
    without = make_space(off, (), (), part.fingerprint).dead
    assert set(without) == {
        "recall.bonus.multi_view_cap",
        "recall.recency.half_life_days",
        "recall.recency.max_bonus",
        "recall.recency.priority_exempt",
    }


def test_the_space_stays_inside_the_ranges_and_on_the_steps(part: Part) -> None:
    space = make_space(part.in_force, (), (), part.fingerprint)
    for params in (part.in_force.replace(start) for start in space.starts()):
        for name, value in params.changed_from(part.in_force).items():
            key = KEYS[name]
            assert key.low <= value <= key.high
            assert name not in space.dead
    only = make_space(part.in_force, ("recall.weights.w_exact",), (), part.fingerprint)
    assert [key.name for key in only.keys] == ["recall.weights.w_exact"]
    with pytest.raises(BadInput, match="No key is left"):
        make_space(part.in_force, ("recall.weights.w_exact",), ("recall.weights.w_exact",), part.fingerprint)


def test_what_a_part_keeps_is_what_the_ledger_counts(part: Part) -> None:
    for changed in ({"recall.weights.w_exact": 0.05}, {"recall.display.min_display_score": 0.4}, {}):
        params = part.in_force.replace(changed)
        kept, ledger = part.kept(params), part.ledger(params)
        assert int((part.used & kept.judged).sum()) == ledger.used_kept
        assert int((~part.used & kept.judged).sum()) == ledger.unused_kept
        assert (kept.newly_shown, kept.set_aside, kept.shown) == (
            ledger.newly_shown,
            ledger.unjudged_kept,
            ledger.shown,
        )


def test_gain_and_limits_by_hand(part: Part) -> None:
    present = part.kept(part.in_force)
    goal = Goal(part, present, 0.1, 0.1, 0.05)
    assert goal.gain(present) == 0
    assert goal.violations(present)["used_lost"] <= 0
    nothing = replace(present, judged=np.zeros_like(present.judged), set_aside=0)
    used = int(part.used.sum())
    assert goal.gain(nothing) == pytest.approx((0.1 * (len(part.used) - used) - used) / part.prompts)
    assert goal.violations(nothing)["used_lost"] == pytest.approx(used * 0.95)


def test_luck_of_one_configuration_that_removes_half_by_chance(part: Part) -> None:
    present = part.kept(part.in_force)
    goal = Goal(part, present, 0.1, 0.1, 1.0)
    half = replace(present, judged=present.judged & (np.arange(len(part.used)) % 2 == 0))
    found = luck(goal, [half], seed=4)
    removed = int((~half.judged).sum())
    expected = (0.1 * removed - 1.1 * int(part.used.sum()) * removed / len(part.used)) / part.prompts
    assert found.median == pytest.approx(max(expected, 0), abs=0.01)
    assert found.bar >= found.median


def test_a_planted_fault_is_found_and_the_truth_agrees(tmp_path: Path) -> None:
    store = world_store(3000, 0.35, 1)
    with reading(store) as db:
        result = run(db, tmp_path, trials=150)
    assert result["verdict"] == Verdict.SAFE.value
    held = result["holdout"]
    assert held["interval"][0] > 0
    assert held["proposed"]["used_lost"] <= 0.1 * held["current"]["used_kept"]
    assert changes(result)


LEDGER = Ledger(500, 500, 40, 0, 460, 0, 0, 100)
FINDING = Finding(
    0.02, Luck(500, 0.0, 0.005), 100, LEDGER, replace(LEDGER, shown=400, unused_kept=360, removed=100),
    0.02, Interval(0.01, 0.03), {"codex": (0, 20)},
)  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "verdict"),
    [
        ({}, Verdict.SAFE),
        ({"train_gain": 0.0}, Verdict.KEEP),
        ({"luck": Luck(500, 0.0, 0.02)}, Verdict.KEEP),
        ({"gain": -0.001}, Verdict.KEEP),
        ({"interval": Interval(-0.001, 0.03)}, Verdict.TRIAL),
        ({"interval": None}, Verdict.TRIAL),
        ({"client_losses": {"codex": (5, 20)}}, Verdict.KEEP),
        ({"client_losses": {"codex": (2, 4)}}, Verdict.SAFE),
        ({"proposed": replace(LEDGER, used_kept=35, used_lost=5)}, Verdict.KEEP),
        ({"proposed": replace(LEDGER, newly_shown=60)}, Verdict.TRIAL),
        ({"present": replace(LEDGER, used_kept=9)}, Verdict.THIN),
        (
            {"present": replace(LEDGER, used_kept=9), "proposed": replace(LEDGER, used_kept=7, used_lost=2)},
            Verdict.THIN,
        ),
    ],
)
def test_the_verdict_follows_its_rules(changed: dict[str, Any], verdict: Verdict) -> None:
    said, reasons = judge(replace(FINDING, **changed), TuneRequest())
    assert said is verdict
    assert reasons


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ({"study": "../x"}, "cannot be called"),
        ({"trials": 0}, "at least 1"),
        ({"objective": "magic"}, "Unknown objective"),
        ({"only": ("recall.weights.w_exakt",)}, "nearest known key is recall.weights.w_exact"),
    ],
)
def test_a_request_that_makes_no_sense_is_refused(request_: dict[str, Any], said: str) -> None:
    with pytest.raises(WorkbenchError, match=said):
        TuneRequest(**request_)


def test_an_unknown_study_is_named_with_the_known_ones(db: Database, tmp_path: Path) -> None:
    run(db, tmp_path, trials=1, study="mine")
    with pytest.raises(BadInput, match="no finished study yours; finished studies: mine"):
        load_result(tmp_path, "yours")


def test_current_params_are_trial_zero(db: Database, tmp_path: Path) -> None:
    result = run(db, tmp_path, trials=1)
    assert result["best_found"]["trial"] == 0
    assert Params(result["config"]) == settings_in_force(db).params
    assert result["verdict"] == Verdict.KEEP.value
