"""The page Tune: set up, start, watch, stop, resume, and read the result."""

from __future__ import annotations

import json
from pathlib import Path

import optuna
import pytest
from studies import finished_study, labelled, page, press, ran, said, wait
from ui_app import word

from workbench.charts.tuning import (
    front_figure,
    front_info,
    gains_figure,
    gains_info,
    importance_figure,
    importance_info,
    paths_figure,
    paths_info,
    search_figure,
    search_info,
    sides_figure,
    sides_info,
)
from workbench.params import KEYS
from workbench.replay.logged import settings_in_force
from workbench.store import reading, writing
from workbench.tune import TuneRequest, load_result, studies_folder, tune
from workbench.tune.history import History, Point, history, importance, kept_studies
from workbench.ui import findings, runs
from workbench.ui.tune_setup import cost_line, progress_line


def test_case_43_start_reload_second_tab_stop_and_resume(store: Path) -> None:
    app = page("tune")
    assert "No study yet" in app.info[0].value
    assert "used memories would train" in said(app)
    labelled(app.number_input, "Trials").set_value(3000).run()
    other = page("tune")
    press(app, "Start")
    assert runs.is_running(store)
    press(other, "Start")
    assert not other.error
    wait(lambda: len(history(studies_folder(store), "study").points) > 2)
    assert not app.error
    tab = page("tune")
    assert "**study** goes on in a process of its own" in said(tab)
    assert labelled(tab.button, "Start").disabled
    press(tab, "Stop")
    wait(lambda: not runs.is_running(store))
    app = page("tune")
    done = len(history(studies_folder(store), "study").points)
    assert done > 2
    assert f"study was stopped after {done} of 3,000 trials. They are kept." in said(app)
    press(app, "Judge the finished trials now")
    wait(lambda: not runs.is_running(store))
    result = load_result(studies_folder(store), "study")
    assert result["trials"]["completed"] == done
    assert [one.name for one in kept_studies(studies_folder(store))] == ["study"]
    assert result["reasons"][0] in said(page("tune"))


def test_a_result_is_shown_as_it_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    finished = finished_study()
    monkeypatch.setenv("WORKBENCH_DB", str(finished))
    app = page("tune")
    result = load_result(studies_folder(finished), "study")
    words = said(app)
    assert result["verdict"].capitalize() in words
    assert all(reason in words for reason in result["reasons"])
    assert app.metric[0].value == "40"
    ledger = app.dataframe[0].value
    for part in findings.LEDGER:
        rows = ledger[ledger["count"] == word(f"ledger.{part}")]
        if len(rows):
            assert rows["current"].tolist() == [result["holdout"]["current"][part]]
            assert rows["proposed"].tolist() == [result["holdout"]["proposed"][part]]
    settings = app.dataframe[1].value.set_index("key")
    assert set(settings.index) == {name for name, key in KEYS.items() if key.replayable}
    assert {name for name in settings.index if settings["note"][name] == word("ledger.dead")} == set(result["dead"])
    moved = {name for name in settings.index if settings["best_found"][name] != settings["present"][name]}
    assert moved == set(result["best_found"]["changed"])


def test_names_and_costs_that_no_study_can_have_are_refused_at_once(store: Path) -> None:
    app = page("tune")
    labelled(app.text_input, "Name of the study").set_value("../x").run()
    assert "A study cannot be called '../x'" in said(app)
    assert labelled(app.button, "Start").disabled
    assert not studies_folder(store).exists()


def test_the_sampler_and_the_helpful_share_are_those_of_the_command(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_STORAGE", "sqlite:////nowhere/at/all.sqlite")
    app = page("tune")
    labelled(app.selectbox, word("tune.sampler")).set_value("nsgaii")
    labelled(app.number_input, word("tune.helpful_share")).set_value(0.5)
    labelled(app.number_input, "Trials").set_value(4)
    press(app, "Start")
    wait(lambda: not runs.is_running(store))
    plan = runs.planned(store, "study")
    assert plan is not None
    assert (plan.plan.sampler, plan.plan.helpful_share) == ("nsgaii", 0.5)
    result = load_result(studies_folder(store), "study")
    assert result["trials"]["completed"] == 4
    assert "50 % of what was shown may have helped" in result["objective"]
    assert len(history(studies_folder(store), "study").points) == 4, "a run of the app is kept beside the store"


def test_studies_of_a_shared_database_are_listed(store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "WORKBENCH_STORAGE" in said(page("tune"))
    storage = f"sqlite:///{tmp_path / 'shared.sqlite'}"
    optuna.create_study(storage=storage, study_name="begun")
    with reading(store) as db:
        request = TuneRequest(study="elsewhere", trials=4, storage=storage)
        tune(db, settings_in_force(db).params, studies_folder(store), request)
    monkeypatch.setenv("WORKBENCH_STORAGE", storage)
    app = page("tune")
    assert labelled(app.selectbox, word("tune.shown")).options == ["elsewhere"]
    assert word("tune.elsewhere") in said(app)
    listed = app.dataframe[-1].value.set_index("study")
    assert listed["trials"].to_dict() == {"begun": 0, "elsewhere": 4}
    assert listed.loc["begun", "verdict"] == word("tune.pending")
    monkeypatch.setenv("WORKBENCH_STORAGE", "postgresql://ann:secret@localhost:1/none")
    app = page("tune")
    assert "Cannot use the storage postgresql" in app.error[0].value
    assert "secret" not in said(app)


def test_a_failed_start_is_explained(store: Path) -> None:
    app = page("tune")
    labelled(app.text_input, "Prompt contains").set_value("no prompt says this").run()
    press(app, "Start")
    wait(lambda: not runs.is_running(store))
    ran(app)
    assert "widen the filter" in said(app)


def test_locked_parity_names_the_causes_and_can_be_opened(store: Path) -> None:
    with writing(store, "test") as db:
        db.execute("DELETE FROM app_settings WHERE key = 'recall.weights.w_exact'")
        db.execute("INSERT INTO app_settings (key, value) VALUES ('recall.weights.w_exact', '{\"value\": 0.5}')")
    app = page("tune")
    assert "Tuning is locked" in said(app)
    cause = app.checkbox[0]
    assert "configuration change" in cause.label
    press(app, "Start")
    wait(lambda: not runs.is_running(store))
    ran(app)
    assert "Tuning is locked" in app.error[0].value
    for one in app.checkbox:
        one.check()
    ran(app)
    labelled(app.number_input, "Trials").set_value(2)
    press(app, "Start")
    wait(lambda: not runs.is_running(store))
    plan = runs.newest(store)
    assert plan is not None
    assert "configuration change (signal weights)" in plan.plan.accept
    assert plan.plan.trials == 2, "what was typed just before the click is lost"


def test_a_store_without_recalls_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    empty = tmp_path / "empty.duckdb"
    with writing(empty, "test"):
        pass
    monkeypatch.setenv("WORKBENCH_DB", str(empty))
    app = page("tune")
    assert app.info[0].value == word("frame.empty_log")
    monkeypatch.setenv("WORKBENCH_DB", str(tmp_path / "none.duckdb"))
    assert "There is no store at" in said(page("tune"))


def test_the_pictures_hold_what_was_found() -> None:
    folder = studies_folder(finished_study())
    result, found = load_result(folder, "study"), history(folder, "study")
    search = search_info(found)
    assert len(search.numbers) + len(search.over_numbers) == 40
    assert search.best[-1] == max(search.gains)
    assert len(search_figure(search).data) == 3
    gains = gains_info(result)
    assert gains is not None
    assert gains.gains[1] == result["holdout"]["net_help_gain"]
    assert gains.luck[0] <= result["luck"]["median_gain"] <= gains.bar <= gains.luck[-1]
    assert len(gains.luck) == 21
    assert len(gains_figure(gains).data) == 2
    weights = importance(folder, "study")
    assert list(importance_figure(importance_info(weights)).data[0].x) == list(weights.values())
    paths = paths_info(found, result["current"], list(weights))
    assert len(paths.axes) == min(8, len(weights))
    assert all(len(values) == len(paths.gains) for _, _, values in paths.axes.values())
    assert len(paths_figure(paths).data[0].dimensions) == len(paths.axes)
    front = front_info(result)
    assert list(front_figure(front).data[0].y) == [point["removed"] for point in result["pareto"]]
    sides = sides_info({"current": result["holdout"]["current"], "<b>": result["holdout"]["proposed"]})
    bars = {bar.name: bar for bar in sides_figure(sides).data}
    assert list(bars["used, shown"].x) == [result["holdout"][name]["used_kept"] for name in ("current", "proposed")]
    assert list(bars["unused, removed"].x) == [-result["holdout"][n]["removed"] for n in ("current", "proposed")]
    assert bars["newly shown, unknown"].marker.pattern.shape == "/"
    assert bars["used, shown"].y[1] == "&lt;b&gt;"


def test_an_old_or_infeasible_result_is_shown_too() -> None:
    result = load_result(studies_folder(finished_study()), "study")
    old = json.loads(json.dumps(result))
    del old["luck"]["spread"]
    gains = gains_info(old)
    assert gains is not None
    assert gains.luck[-1] == result["luck"]["bar"]
    nothing = {**result, "holdout": None, "luck": None, "plateau": None, "feasible": False, "pareto": []}
    del nothing["best_found"]
    assert gains_info(nothing) is None
    assert front_info(nothing).chosen is None
    assert [name for name, _, _ in findings.result_metrics(nothing)] == ["Trials", "Looks at the hold-out"]
    assert all(row["best_found"] == row["present"] for row in findings.setting_rows(nothing))


def test_case_44_a_value_has_as_many_decimals_as_its_step_and_more_where_it_needs_them() -> None:
    assert findings.number("recall.bonus.priority_step", 0.001) == "0.001"
    assert findings.number("recall.bonus.multi_view_step", 0.015) == "0.015"
    assert findings.number("recall.bonus.multi_view_step", 0.0155) == "0.0155"
    assert findings.number("recall.weights.w_exact", 0.42) == "0.42"
    assert findings.number("recall.weights.w_exact", 0.3) == "0.30"
    assert findings.number("recall.recency.half_life_days", 180.0) == "180"
    assert findings.number("recall.display.max_display_items", 3) == "3"
    assert findings.number("recall.recency.enabled", True) == "on"


def test_progress_and_cost_in_words() -> None:
    points = [Point(0, 0.0, True, 0.0, {}), Point(1, 0.02, True, 0.02, {})]
    assert progress_line(History("s", points, 0, 10)) == "2 of 10 trials, best gain so far +0.0200 a prompt"
    assert progress_line(History("s", [], 0, 10)).startswith("Reading the log")
    assert progress_line(History("s", points, 0, 2)).startswith("2 trials done; looking at luck")
    assert cost_line(0.1) == "10 unhelpful memories outweigh one helpful one."
    assert cost_line(2) == "One unhelpful memory outweighs 2 helpful ones."
    assert "costs nothing" in cost_line(0)
