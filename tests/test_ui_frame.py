"""The frame: the filter bar, values that outlive a page, the language, errors in one sentence."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from memory_store import Memories
from missed_log import logged
from small_log import derive
from ui_app import opened, sound, visit, widget, word
from worlds import world_store

from workbench.metrics.report import report
from workbench.replay.selection import SELECTED, Selection, log_span
from workbench.store import reading, writing


@pytest.fixture(scope="module")
def store() -> Path:
    return world_store(900, 0.4, 3)


@pytest.fixture(autouse=True)
def _page(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_DB", str(store))


def test_case_44_the_filter_survives_pages_and_stands_in_the_address() -> None:
    app = opened()
    sound(widget(app, "multiselect", "Traffic").set_value(["prompt", "console"]).run())
    sound(widget(app, "multiselect", "Client").set_value(["pi"]).run())
    sound(widget(app, "selectbox", "Time").set_value("28d").run())
    sound(widget(app, "text_input", "Prompt contains").set_value("the").run())
    before = app.metric[0].value
    visit(visit(app, "prompt"), "overview")
    assert app.metric[0].value == before
    address = dict(app.query_params)
    assert address == {"traffic": ["prompt", "console"], "client": "pi", "time": "28d", "text": "the"}
    assert opened(**address).metric[0].value == before


def test_an_address_with_nonsense_is_the_default() -> None:
    app = opened(traffic="none such", client="nobody", time="never", zone="Mars/North", lang="xx")
    assert app.metric[0].value == "900"
    assert dict(app.query_params) == {}


def test_nothing_chosen_is_everything(store: Path) -> None:
    with reading(store) as db:
        everything = Selection(traffic=None).materialise(db)
    app = opened(traffic="")
    assert app.metric[0].value == f"{everything:,}"
    assert widget(app, "multiselect", "Traffic").value == []


def test_the_language_follows_the_browser_and_its_switch_keeps_the_filter() -> None:
    app = opened(text="the", time="7d")
    english = [one.value for one in app.metric]
    app.segmented_control[0].set_value("zh").run()
    sound(app)
    assert app.title[0].value == word("overview.title", "zh")
    assert [one.value for one in app.metric] == english
    assert widget(app, "text_input", word("bar.text", "zh")).value == "the"
    assert widget(app, "selectbox", word("bar.time", "zh")).value == "7d"
    visit(app, "prompt")
    assert app.title[0].value == word("prompt.title", "zh")
    assert app.query_params["lang"] == "zh"
    assert opened(lang="zh").title[0].value == word("overview.title", "zh")


def test_case_07_a_calendar_day_is_another_choice_than_24_hours(store: Path) -> None:
    with reading(store) as db:
        last = log_span(db)[1]
        assert last is not None
        day = Selection(since=datetime(last.year, last.month, last.day, tzinfo=UTC)).materialise(db)
        hours = Selection(since=last - timedelta(hours=24)).materialise(db)
    assert day != hours
    assert opened(time="day").metric[0].value == f"{day:,}"
    app = opened(time="24h")
    assert app.metric[0].value == f"{hours:,}"
    assert {"last calendar day", "last 24 hours"} <= set(widget(app, "selectbox", "Time").options)


def test_case_07_days_from_and_until_are_those_of_the_zone(store: Path) -> None:
    zones = ("UTC", "America/Los_Angeles")
    parts = {}
    for zone in zones:
        with reading(store) as db:
            Selection().materialise(db)
            parts[zone] = {part.part: part.prompts for part in report(db, SELECTED, "day", zone).parts}
    day = next(day for day in parts["UTC"] if day and parts["UTC"][day] != parts["America/Los_Angeles"].get(day))
    for zone in zones:
        app = opened(time="between", **{"from": day, "until": day}, zone=zone)
        assert app.metric[0].value == f"{parts[zone][day]:,}"
        assert widget(app, "date_input", "First day").value == date.fromisoformat(day)


def test_days_in_the_wrong_order_are_said() -> None:
    app = opened(time="between", **{"from": "2026-01-02", "until": "2026-01-03"})
    widget(app, "date_input", "First day").set_value(date(2026, 1, 5)).run()
    assert not app.exception
    assert "comes before" in app.error[0].value


def test_case_06_queries_without_a_client_can_be_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "store.duckdb"
    with writing(target, "test") as db:
        Memories(db).add("core://a")
        logged(db, "q1", text="100% sure")
        logged(db, "q2", text="100 sure", client=None)
        derive(db)
    monkeypatch.setenv("WORKBENCH_DB", str(target))
    app = opened(client="none")
    assert app.metric[0].value == "1"
    assert widget(app, "multiselect", "Client").value == ["none"]
    assert opened(text="0%").metric[0].value == "1"
