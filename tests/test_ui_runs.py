"""Tuning runs in their own processes: one a store, found again, stopped without losing trials."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
from studies import finished_study, wait
from worlds import world_store

from workbench.cli.filters import selection
from workbench.errors import BadInput, StoreLocked, WorkbenchError
from workbench.replay.selection import Selection
from workbench.tune import load_result, studies_folder
from workbench.tune.history import history, importance, kept_studies
from workbench.ui import runs
from workbench.ui.runs import Plan


@pytest.fixture
def store(tmp_path: Path) -> Path:
    target = tmp_path / "store.duckdb"
    shutil.copy(world_store(900, 0.4, 3), target)
    return target


def over(store: Path) -> bool:
    return not runs.is_running(store)


def test_case_43_a_run_goes_on_by_itself_and_two_clicks_make_one(store: Path) -> None:
    assert runs.newest(store) is None
    assert not runs.is_running(store)

    def click(_: int) -> str:
        try:
            return str(runs.start(store, Plan("study", trials=30)).pid)
        except WorkbenchError as error:
            return str(error)

    with ThreadPoolExecutor(2) as both:
        said = list(both.map(click, range(2)))
    assert sum(one.isdecimal() for one in said) == 1, said
    assert runs.is_running(store)
    with pytest.raises(StoreLocked, match="goes on"):
        runs.start(store, Plan("other"))
    run = runs.newest(store)
    assert run is not None
    assert (run.plan.study, run.plan.trials, str(run.pid) in said) == ("study", 30, True)
    wait(lambda: over(store))
    assert runs.complaint(store, "study") is None
    folder = studies_folder(store)
    assert load_result(folder, "study")["trials"] == {"completed": 30, "failed": 0}
    assert [(one.name, one.trials) for one in kept_studies(folder)] == [("study", 30)]
    assert kept_studies(folder)[0].verdict == load_result(folder, "study")["verdict"]
    with pytest.raises(BadInput, match="a study study already"):
        runs.start(store, Plan("study"))
    assert runs.free_name(store) == "study-2"


def test_case_43_stopping_keeps_the_trials_and_a_resumed_run_takes_them_up(store: Path) -> None:
    folder = studies_folder(store)
    plan = Plan("long", trials=2000, noise_cost=0.2, freeze=("recall.weights.w_exact",))
    runs.start(store, plan)
    wait(lambda: len(history(folder, "long").points) >= 3)
    runs.stop(store)
    assert not runs.is_running(store)
    kept = history(folder, "long", 2000)
    assert len(kept.points) >= 3
    assert 0 < kept.share < 1
    assert [(one.name, one.verdict) for one in kept_studies(folder)] == [("long", None)]
    run = runs.planned(store, "long")
    assert run is not None
    assert (run.plan, run.stopped) == (plan, True)
    few = Plan(**{**vars(plan), "trials": len(kept.points)})
    runs.start(store, few, resume=True)
    wait(lambda: over(store))
    result = load_result(folder, "long")
    assert result["trials"]["completed"] == len(kept.points)
    assert "recall.weights.w_exact" not in result["keys"]
    assert [point.number for point in history(folder, "long").points][:3] == [0, 1, 2]
    runs.stop(store)  # nothing goes on: nothing happens
    again = runs.planned(store, "long")
    assert again is not None
    assert not again.stopped


def test_a_run_that_cannot_begin_says_why(store: Path) -> None:
    runs.start(store, Plan("study", filter=("--text=no prompt says this",)))
    wait(lambda: over(store))
    said = runs.complaint(store, "study")
    assert said is not None
    assert "widen the filter" in said


def test_history_of_nothing_is_empty_and_never_makes_a_file(tmp_path: Path) -> None:
    assert history(tmp_path, "none").points == []
    assert history(tmp_path, "none").best is None
    assert importance(tmp_path, "none") == {}
    assert kept_studies(tmp_path / "nowhere") == []
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "bad.journal").write_text("no\n{}\n", encoding="utf-8")
    with pytest.raises(BadInput, match="damaged"):
        history(tmp_path, "bad")
    assert [(one.verdict, one.trials) for one in kept_studies(tmp_path)] == [(None, 0)]


def test_history_tells_the_best_within_the_limits_so_far() -> None:
    folder = studies_folder(finished_study())
    found = history(folder, "study")
    best: float | None = None
    for point in found.points:
        if point.feasible:
            best = point.gain if best is None else max(best, point.gain)
        assert point.best == best
    assert found.best == best
    told = load_result(folder, "study")["best_found"]
    (chosen,) = (point for point in found.points if point.number == told["trial"])
    assert told["train_gain"] == pytest.approx(chosen.gain, rel=0.011)
    assert found.points[0].changed == {}
    shares = list(importance(folder, "study").values())
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(1)


@pytest.mark.parametrize(
    "chosen",
    [
        Selection(),
        Selection(traffic=None, clients=("", "codex"), text="-x = $y"),
        Selection(since=datetime(2026, 1, 2, tzinfo=UTC), until=datetime(2026, 3, 1, 5, tzinfo=UTC), once=True),
        Selection(traffic=("prompt", "search")),
    ],
)
def test_a_filter_survives_the_way_to_the_command_line(chosen: Selection) -> None:
    named: dict[str, list[str]] = {}
    for option in runs.filter_options(chosen):
        name, _, value = option.removeprefix("--").partition("=")
        named.setdefault(name, []).append(value)
    single = {name: values[0] for name, values in named.items() if name not in ("traffic", "client")}
    assert selection(named.get("traffic"), named.get("client"), **single) == chosen
