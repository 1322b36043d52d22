"""Tuning from request to verdict, on small logs and on simulated worlds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tune_logs import meaningless, planted, tuned_log
from worlds import with_random_uses, world_store

from workbench.errors import BadInput, NotEnoughEvidence, WorkbenchError
from workbench.export import export_to, proposal_of
from workbench.judge import judge_log, ledger
from workbench.params import KEYS, Params, snap
from workbench.replay.logged import settings_in_force
from workbench.replay.run import Settings
from workbench.replay.selection import Selection
from workbench.store import Database, reading
from workbench.tune import TuneRequest, Verdict, load_result, tune
from workbench.tune.split import HOLDOUT, TRAIN, split

WORDS = {verdict.value for verdict in Verdict}
RECOMMENDED = {Verdict.SAFE.value, Verdict.TRIAL.value}


@pytest.fixture(scope="module")
def db() -> Iterator[Database]:
    """A log with a fault that can be found."""
    with tuned_log(planted, prompts=600) as database:
        yield database


@pytest.fixture(scope="module")
def tuned(db: Database, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Path]:
    """What 60 trials on that log find, and the folder of the study."""
    folder = tmp_path_factory.mktemp("studies")
    return run(db, folder, trials=60), folder


def run(db: Database, folder: Path, **request: Any) -> dict[str, Any]:
    return tune(db, settings_in_force(db).params, folder, TuneRequest(**{"trials": 30, **request}))


def changes(result: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in result["config"].items() if value != result["current"][name]}


def test_case_30_no_session_and_no_text_stands_on_both_sides() -> None:
    with reading(world_store(900, 0.4, 3)) as db:
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


def test_case_30_random_uses_of_a_simulated_log_never_make_a_change_safe(tmp_path: Path) -> None:
    store = with_random_uses(world_store(900, 0.4, 3), tmp_path / "random.duckdb", 90, 1)
    with reading(store) as random:
        result = run(random, tmp_path / "studies", trials=80)
    assert result["verdict"] in WORDS - {Verdict.SAFE.value}


@pytest.mark.parametrize("seed", range(1, 6))
def test_case_30_uses_that_mean_nothing_never_make_a_change_safe(tmp_path: Path, seed: int) -> None:
    with tuned_log(meaningless, seed=seed) as db:
        result = run(db, tmp_path, seed=seed, trials=60)
    assert result["verdict"] in WORDS - {Verdict.SAFE.value}
    if result["verdict"] not in RECOMMENDED:
        assert changes(result) == {}
    held = result["holdout"]
    if held["interval"] is not None:
        half = (held["interval"][1] - held["interval"][0]) / 2
        assert held["interval"][0] - half <= 0


def test_a_planted_fault_is_found_and_mended_with_a_reason(tuned: tuple[dict[str, Any], Path]) -> None:
    result, _ = tuned
    assert result["verdict"] == Verdict.SAFE.value
    held = result["holdout"]
    assert held["interval"][0] > 0
    assert held["proposed"]["removed"] > 50
    assert held["proposed"]["used_lost"] <= 0.1 * held["current"]["used_kept"]
    assert (
        f"{held['proposed']['used_lost']} of {held['current']['used_kept']} used memories lost" in result["reasons"][0]
    )
    assert changes(result) == result["best_found"]["changed"]
    assert all(value == snap(KEYS[name], value) for name, value in changes(result).items())


def test_the_numbers_of_a_result_are_those_of_a_replay(db: Database, tuned: tuple[dict[str, Any], Path]) -> None:
    result, _ = tuned
    proposed, current = Params(result["config"]), Params(result["current"])
    Selection().for_replay().materialise(db)
    judge_log(db)
    split(db, 0.7)
    for side, name in ((TRAIN, "train"), (HOLDOUT, "holdout")):
        for params, which in ((proposed, "proposed"), (current, "current")):
            assert ledger(db, Settings(params, current), side).as_json() == result[name][which]
    held = result["holdout"]
    gain = 0.1 * (held["proposed"]["removed"] - held["current"]["removed"])
    gain -= held["proposed"]["used_lost"] - held["current"]["used_lost"]
    assert held["net_help_gain"] == pytest.approx(gain / held["current"]["prompts"])


def test_a_result_names_its_data_and_what_could_be_seen(db: Database, tmp_path: Path) -> None:
    said: list[str] = []
    request = TuneRequest(trials=3)
    result = tune(db, Params(), tmp_path, request, lambda done, total, what: said.append(what))
    assert said[0].startswith(f"With {result['split']['holdout_used']} used memories held out, a configuration that")
    assert result["data"] == {"first_day": "2026-03-01", "last_day": "2026-03-08"}
    assert 0 < result["minimum_detectable_loss"] < 0.3
    seen = result["detectable_loss"]
    assert (seen["used"], seen["once"]) == (result["split"]["holdout_used"], result["minimum_detectable_loss"])
    assert seen["once"] <= seen["once_alike"]
    assert result["split"]["repeats_weigh"] == "as often as they were sent"
    assert result["trials"] == {"completed": 3, "failed": 0}
    assert json.loads(json.dumps(result)) == load_result(tmp_path, "study")


def test_trial_zero_is_the_configuration_in_force(db: Database, tmp_path: Path) -> None:
    result = run(db, tmp_path, trials=1)
    assert result["best_found"] == {"trial": 0, "train_gain": 0.0, "changed": {}}
    assert (result["verdict"], changes(result)) == (Verdict.KEEP.value, {})


def test_few_used_memories_are_not_enough_evidence(tmp_path: Path) -> None:
    with tuned_log(planted, prompts=120, use=0.1) as db:
        result = run(db, tmp_path, trials=40)
    assert result["best_found"]["train_gain"] > 0
    assert result["verdict"] == Verdict.THIN.value
    assert changes(result) == {}


def test_a_log_of_one_session_holds_nothing_out(tmp_path: Path) -> None:
    with tuned_log(planted, prompts=4, use=1.0) as db:
        result = run(db, tmp_path, trials=3)
    assert result["split"]["holdout_prompts"] == 0
    assert result["verdict"] == Verdict.THIN.value
    assert "No used memory is held out, so no loss could be seen." in result["reasons"]


def test_case_34_nothing_used_is_refused_before_the_first_trial(db: Database, tmp_path: Path) -> None:
    nobody = Selection(clients=("nobody",))
    with pytest.raises(NotEnoughEvidence, match=r"clients = \['nobody'\]"):
        run(db, tmp_path, selection=nobody)
    assert list(tmp_path.iterdir()) == []


def test_case_34_without_a_feasible_trial_nothing_is_exported(
    db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    over = {"used_lost": -1.0, "newly_shown": 0.0, "shown": 2.5}
    monkeypatch.setattr("workbench.tune.goal.Goal.violations", lambda self, kept: over)
    result = run(db, tmp_path, trials=3)
    assert result["reasons"] == ["No feasible trial: the nearest, trial 0, is over the limits by 2.5 memories shown."]
    assert (result["verdict"], result["feasible"], changes(result)) == (Verdict.KEEP.value, False, {})
    assert (result["holdout"], result["looks"]) == (None, 0)
    with pytest.raises(BadInput, match="nothing is exported"):
        export_to(proposal_of(load_result(tmp_path, "study")), tmp_path / "out.toml", changed_only=False)
    assert not (tmp_path / "out.toml").exists()


def test_case_34_the_best_feasible_trial_is_the_same_in_every_place(tuned: tuple[dict[str, Any], Path]) -> None:
    result, folder = tuned
    kept = load_result(folder, "study")
    assert kept["best_found"] == result["best_found"]
    assert dict(proposal_of(kept).params) == kept["config"] == result["config"]
    assert result["best_found"]["trial"] in {one["trial"] for one in result["pareto"]}


def test_case_35_one_seed_and_one_job_give_one_result(
    db: Database, tmp_path: Path, tuned: tuple[dict[str, Any], Path]
) -> None:
    first, _ = tuned
    assert first["reproducible"]
    assert run(db, tmp_path, trials=60) == first


@pytest.mark.parametrize("sampler", ["cmaes", "nsgaii"])
def test_other_samplers_find_the_fault_and_go_on_where_they_stopped(
    db: Database, tmp_path: Path, tuned: tuple[dict[str, Any], Path], sampler: str
) -> None:
    whole = run(db, tmp_path / "whole", trials=70, sampler=sampler)
    assert whole["trials"] == {"completed": 70, "failed": 0}
    assert whole["verdict"] == Verdict.SAFE.value
    assert whole["best_found"]["train_gain"] >= 0.9 * tuned[0]["best_found"]["train_gain"]
    run(db, tmp_path / "cut", trials=65, sampler=sampler)
    assert run(db, tmp_path / "cut", trials=70, sampler=sampler, resume=True)["config"] == whole["config"]
    with pytest.raises(BadInput, match="sampler"):
        run(db, tmp_path / "cut", trials=71, resume=True)


def test_case_35_with_several_jobs_the_run_says_that_it_is_not_reproducible(db: Database, tmp_path: Path) -> None:
    result = run(db, tmp_path, trials=14, jobs=4)
    assert result["trials"] == {"completed": 14, "failed": 0}
    assert not result["reproducible"]
    assert "another run may try other configurations" in result["reasons"][-1]
    again = run(db, tmp_path, trials=15, resume=True)
    assert not again["reproducible"]


def test_several_jobs_replay_what_one_job_replays(db: Database, tmp_path: Path) -> None:
    starts = 15  # the first trials are given, not proposed
    one, four = (run(db, tmp_path / str(jobs), trials=starts, jobs=jobs) for jobs in (1, 4))
    assert (one["best_found"], one["luck"], one["holdout"]) == (four["best_found"], four["luck"], four["holdout"])


def test_looks_at_the_held_out_prompts_are_counted_over_all_studies(db: Database, tmp_path: Path) -> None:
    assert run(db, tmp_path, trials=3, study="a")["looks"] == 1
    assert run(db, tmp_path, trials=3, study="a", resume=True)["looks"] == 1  # the same configuration again
    assert run(db, tmp_path, trials=30, study="a", resume=True)["looks"] == 2
    third = run(db, tmp_path, trials=3, study="b")
    assert (third["looks"], third["looks_of_other_studies"]) == (1, 2)
    assert any("looked at 1 times by this study and 2 times by other" in reason for reason in third["reasons"])
    other = run(db, tmp_path, trials=3, study="c", selection=Selection(clients=("codex", "pi")))
    assert other["looks_of_other_studies"] == 0


def test_frozen_keys_stay_and_only_named_ones_move(db: Database, tmp_path: Path) -> None:
    only = run(db, tmp_path / "a", trials=12, only=("recall.weights.w_exact", "recall.weights.w_dense"))
    assert set(only["best_found"]["changed"]) <= {"recall.weights.w_exact", "recall.weights.w_dense"}
    frozen = run(db, tmp_path / "b", trials=12, freeze=("recall.weights.w_exact",))
    assert "recall.weights.w_exact" not in frozen["keys"] + list(frozen["best_found"]["changed"])


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        ({"study": "../x"}, "cannot be called"),
        ({"study": ".."}, "cannot be called"),
        ({"trials": 0}, "at least 1"),
        ({"jobs": 0}, "--jobs must lie in 1 to 64"),
        ({"objective": "magic"}, "Unknown objective"),
        ({"noise_cost": float("nan")}, "noise cost must lie in 0 to 100, not nan"),
        ({"max_newly_shown_share": 1.5}, "share of newly shown memories must lie in 0 to 1, not 1.5"),
        ({"tolerated_loss": -0.1}, "tolerated loss must lie in 0 to 1"),
        ({"train_share": 1.0}, "share of prompts that trains must lie in 0.1 to 0.9"),
        ({"only": ("recall.weights.w_exakt",)}, "nearest known key is recall.weights.w_exact"),
    ],
)
def test_a_request_that_makes_no_sense_is_refused(request_: dict[str, Any], said: str) -> None:
    with pytest.raises(WorkbenchError, match=said):
        TuneRequest(**request_)
