"""The page What-if: every key has a widget, values are kept, the ledger is that of a replay, drafts are files."""

from __future__ import annotations

from pathlib import Path

import pytest
from studies import finished_study, labelled, press, said
from ui_app import opened, sound, visit, widget, word

from workbench.charts.whatif import (
    curve_figure,
    curve_info,
    spread_figure,
    spread_info,
    sweep_figure,
    sweep_info,
)
from workbench.judge import Evidence, ledger
from workbench.params import KEYS, THRESHOLD, Params
from workbench.params.drafts import draft_names, read_draft, save_draft
from workbench.params.toml import read_toml
from workbench.replay.logged import settings_in_force
from workbench.replay.run import Settings
from workbench.replay.selection import SELECTED, Selection
from workbench.store import reading
from workbench.tune import load_result, studies_folder
from workbench.ui import findings
from workbench.whatif import Desk, sweep_columns, sweep_rows, thresholds_around


def counted(store: Path, changes: dict[str, float], chosen: Selection | None = None) -> dict[str, int]:
    """The ledger that a replay gives."""
    with reading(store) as db:
        (chosen or Selection()).for_replay().materialise(db)
        in_force = settings_in_force(db).params
        settings = Settings(in_force.replace(changes), in_force)
        return ledger(db, settings, SELECTED, Evidence.standard(db)).as_json()


@pytest.mark.usefixtures("store")
def test_every_key_has_a_widget_with_its_range_step_and_decimals() -> None:
    app = opened("whatif")
    sliders = {one.label.replace("\\", ""): one for one in app.slider}
    for name, key in KEYS.items():
        label = name.removeprefix("recall.")
        if key.kind is bool:
            assert labelled(app.toggle, label.replace("_", "\\_")).value is key.default
            continue
        slider = sliders[label]
        assert (slider.min, slider.max, slider.step) == (key.low, key.high, key.step)
        assert slider.disabled is not key.replayable
        if key.kind is float:
            assert slider.proto.format == f"%.{findings.decimals(name)}f"


def test_the_ledger_follows_the_sliders_and_the_filter(store: Path) -> None:
    app = opened("whatif", client="codex")
    sound(widget(app, "slider", "display.min\\_display\\_score").set_value(0.64).run())
    expected = counted(store, {THRESHOLD: 0.64}, Selection(clients=("codex",)))
    parts = ("used_kept", "unused_kept", "newly_shown", "silent_prompts")
    assert [one.value for one in app.metric] == [f"{expected[part]:,}" for part in parts]
    present = counted(store, {}, Selection(clients=("codex",)))
    assert [one.delta for one in app.metric] == [f"{expected[part] - present[part]}" for part in parts]
    table = app.dataframe[0].value.set_index("count")
    for part in parts:
        assert table["draft"][word(f"ledger.{part}")] == expected[part]
        assert table["current"][word(f"ledger.{part}")] == present[part]


@pytest.mark.usefixtures("store")
def test_case_44_values_survive_pages_and_stand_in_the_address() -> None:
    app = opened("whatif")
    assert "These are the values of **present settings**" in said(app)
    sound(widget(app, "slider", "bonus.priority\\_step").set_value(0.013).run())
    sound(widget(app, "slider", "display.max\\_display\\_items").set_value(5).run())
    before = [one.value for one in app.metric]
    assert "in 2 keys" in said(app)
    assert "bonus.priority_step = 0.013" in said(app)
    address = {"priority_step": "0.013", "max_display_items": "5"}
    app.query_params.clear()  # as a browser does where a link is followed
    assert dict(visit(app, "overview").query_params) == address
    visit(app, "whatif")
    assert widget(app, "slider", "bonus.priority\\_step").value == 0.013
    assert [one.value for one in app.metric] == before
    assert dict(app.query_params) == address
    assert [one.value for one in visit(opened("overview", **address), "whatif").metric] == before
    assert [one.value for one in opened("whatif", priority_step="0.013", max_display_items="5").metric] == before
    nonsense = opened("whatif", priority_step="7", max_display_items="x", w_dense="nan")
    assert "These are the values of **present settings**" in said(nonsense)


def test_case_44_loading_moves_every_widget_and_a_draft_that_differs_says_so(store: Path) -> None:
    wanted = Params({"recall.weights.w_dense": 0.41, "recall.bonus.multi_view_step": 0.0155, THRESHOLD: 0.5,
                     "recall.recency.enabled": False, "recall.display.max_display_items": 7})  # fmt: skip
    save_draft(store, "mine", wanted)
    app = opened("whatif", w_exact="0.9")
    sound(widget(app, "selectbox", word("whatif.source")).set_value("draft mine").run())
    press(app, word("whatif.load"))
    values = {one.label.replace("\\", ""): one.value for one in [*app.slider, *app.toggle]}
    assert values == {name.removeprefix("recall."): value for name, value in wanted.items()}
    assert "These are the values of **draft “mine”**" in said(app)
    assert labelled(app.slider, "bonus.multi\\_view\\_step").proto.format == "%.4f"
    sound(widget(app, "slider", "weights.w\\_dense").set_value(0.42).run())
    differs = "Differs from **draft “mine”** in 1 key: weights.w_dense = 0.42"
    assert differs in said(app)
    address = dict(visit(app, "overview").query_params)
    assert differs in said(opened("whatif", **address)), "a reload forgets what the draft was loaded from"
    assert "These are the values of **present settings**" in said(opened("whatif", draft_of="draft gone"))


def test_a_draft_is_kept_as_a_file_that_commands_read(store: Path) -> None:
    app = opened("whatif", w_dense="0.37")
    sound(widget(app, "text_input", word("whatif.name")).set_value("try-1").run())
    press(app, word("whatif.keep"))
    (file,) = store.with_name("store.duckdb.drafts").glob("*.toml")
    assert read_toml(file)["recall.weights.w_dense"] == 0.37
    assert draft_names(store) == ["try-1"]
    assert read_draft(store, "try-1")["recall.weights.w_dense"] == 0.37
    assert "These are the values of **draft “try-1”**" in said(app)
    widget(app, "text_input", word("whatif.name")).set_value("../x").run()
    press(app, word("whatif.keep"))
    assert "cannot be called" in said(app)
    assert draft_names(store) == ["try-1"]


@pytest.mark.usefixtures("store")
def test_two_visitors_with_other_filters_do_not_mix() -> None:
    one, other = opened("whatif", client="codex"), opened("whatif", client="pi", min_display_score="0.5")
    first, second = ([metric.value for metric in app.metric] for app in (one, other))
    assert first != second
    sound(one.run())
    sound(other.run())
    assert [metric.value for metric in one.metric] == first
    assert [metric.value for metric in other.metric] == second


def test_a_study_is_tried_with_what_it_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_DB", str(finished_study()))
    result = load_result(studies_folder(finished_study()), "study")
    app = opened("tune")
    press(app, word("tune.load"))
    assert app.title[0].value == word("whatif.title")
    changed = result["best_found"]["changed"]
    values = {one.label.replace("\\", ""): one.value for one in app.slider}
    assert {name: values[name.removeprefix("recall.")] for name in changed} == changed


@pytest.mark.parametrize("look", ["spread", "sweep", "reach"])
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.usefixtures("store")
def test_each_further_look_is_drawn(look: str, language: str) -> None:
    app = opened("whatif", look=look, lang=language)
    assert len(app.get("plotly_chart")) == 3


@pytest.mark.usefixtures("store")
def test_a_filter_that_lets_nothing_pass_says_what_to_do() -> None:
    assert [one.value for one in opened("whatif", text="nobody says this").info] == [word("frame.nothing_passes")]


def test_the_grid_keeps_to_the_steps_and_the_range() -> None:
    around = thresholds_around(0.6)
    assert (around[0], around[-1], len(around)) == (0.45, 0.85, 41)
    assert thresholds_around(0.05)[0] == 0.0
    assert 0.123456 in thresholds_around(0.123456)
    assert len(sweep_columns(0.6)) == 11
    assert sweep_rows("recall.weights.w_dense", 0.3) == [0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45]
    assert sweep_rows("recall.display.max_display_items", 1) == [1, 2, 3, 4]
    assert sweep_rows("recall.recency.enabled", True) == [False, True]


def test_the_pictures_hold_what_was_counted(store: Path) -> None:
    with reading(store) as db:
        desk = Desk.over(db, Selection())
        curve = [(at, one.as_json()) for at, one in desk.curve(desk.in_force, [0.5, 0.6, 0.7])]
        swept = [
            (value, [(at, one.as_json()) for at, one in found])
            for value, found in desk.sweep(desk.in_force, "recall.weights.w_exact", [0.2, 0.3], [0.5, 0.6])
        ]
        rows = desk.terms(desk.in_force)
    info = curve_info(curve, 0.6)
    assert list(info.shown) == [one["shown"] for _, one in curve]
    assert list(info.unknown) == [one["newly_shown"] + one["unjudged_kept"] for _, one in curve]
    assert [a + b for a, b in zip(info.used, info.noise, strict=True)] == list(info.known)
    bands = {trace.name: trace for trace in curve_figure(info).data}
    assert bands["unknown"].fillpattern.shape == "/"
    assert bands["unknown"].fill == "tonexty"
    sweep = sweep_info(swept, "recall.weights.w_exact", "shown")
    assert sweep.counts == [[one["shown"] for _, one in found] for _, found in swept]
    assert list(sweep_figure(sweep).data[0].y) == ["0.2", "0.3"]
    spread = spread_info(rows)
    assert spread.terms[-1] == "score"
    assert len(spread_figure(spread).data) == len(spread.counts) == 3
    assert sum(spread.counts.values()) == sum(row["candidates"] for row in rows if row["term"] == "score")
