"""The app: pages over a store, the filter that is kept, text shown literally, nothing fetched from outside."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from app_in_browser import browsed, served
from streamlit.testing.v1 import AppTest
from ui_app import opened, sound, visit, widget, word
from worlds import world_store

from workbench.charts import (
    activity_figure,
    activity_info,
    cut_figure,
    cut_info,
    distance_figure,
    distance_info,
    rates_figure,
    rates_info,
    reach_figure,
    reach_info,
    terms_figure,
    terms_info,
)
from workbench.judge import judge_log
from workbench.metrics.report import report
from workbench.params import Params
from workbench.replay.explain import explain
from workbench.replay.logged import settings_in_force
from workbench.replay.reach import reachability
from workbench.replay.run import Settings
from workbench.replay.selection import SELECTED, Selection
from workbench.store import in_memory, reading, writing
from workbench.ui import app as entry
from workbench.ui import prompt_parts
from workbench.ui.literal import literal

STRANGE = "cost $5 :smile: [x](y) <b>hi</b> *bold* \u202eabc\nsecond line"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A simulated store whose newest prompt is full of marks."""
    target = tmp_path_factory.mktemp("ui") / "store.duckdb"
    shutil.copy(world_store(900, 0.4, 3), target)
    with writing(target, "test") as db:
        db.execute(
            "UPDATE recall_queries SET query_text = $text WHERE query_id = (SELECT arg_max(query_id, (now, query_id))"
            " FROM wb.logged_queries WHERE traffic = 'prompt')",
            {"text": STRANGE},
        )
    return target


def _key(app: AppTest, label: str) -> str:
    return str(widget(app, "selectbox", label).key)


@pytest.fixture
def page(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_DB", str(store))


@pytest.mark.usefixtures("page")
def test_the_overview_shows_the_figures_of_the_report(store: Path) -> None:
    app = opened()
    with reading(store) as db:
        Selection().materialise(db)
        said = report(db, SELECTED).as_json()
    assert [metric.value for metric in app.metric] == [
        f"{said['prompts']:,}", f"{said['shown']:,}", f"{said['used']:,}", f"{100 * said['use_rate']:.1f} %",
        f"{said['silent_prompts']:,}",
    ]  # fmt: skip
    assert literal(said["sufficiency"]) in [one.value for one in app.markdown]
    weeks, clients = (one.value for one in app.dataframe)
    questions, steps, uses = (one.value for one in app.table)
    assert weeks["prompts"].sum() == clients["prompts"].sum() == said["prompts"]
    assert clients["use_rate_shrunk"].tolist() == [100 * part["use_rate_shrunk"] for part in said["parts"]]
    assert questions[word("overview.question")].tolist() == [literal(one["question"]) for one in said["questions"]]
    assert steps[word("overview.count")].tolist() == [f"{one['count']:,}" for one in said["denominators"]]
    assert len(uses) == 9
    assert app.success[0].value.startswith("Parity holds")


@pytest.mark.usefixtures("page")
def test_case_06_every_panel_obeys_the_filter(store: Path) -> None:
    app = opened()
    sound(widget(app, "multiselect", "Client").set_value(["codex"]).run())
    with reading(store) as db:
        Selection(clients=("codex",)).materialise(db)
        said = report(db, SELECTED).as_json()
    assert app.metric[0].value == f"{said['prompts']:,}"
    assert app.dataframe[1].value["part"].tolist() == ["codex"]
    sound(widget(app, "text_input", "Prompt contains").set_value("50%").run())
    assert [one.value for one in app.info] == [word("frame.nothing_passes")]
    assert not app.metric
    sound(widget(app, "button", "Clear the filter").click().run())
    assert app.metric[0].value == "900"


@pytest.mark.usefixtures("page")
def test_one_prompt_shows_its_stages_and_case_23_its_text_literally() -> None:
    app = opened("prompt")
    assert app.text[0].value == STRANGE
    candidates, signals = (one.value for one in app.dataframe[:2])
    assert candidates["replayed_score"].tolist() == sorted(candidates["replayed_score"], reverse=True)
    assert all(why.endswith(".") for why in candidates["why"])
    assert signals["signal"].tolist()
    first = app.selectbox(key=_key(app, "Prompt")).options
    sound(widget(app, "selectbox", "Prompt").select_index(1).run())
    assert app.text[0].value != STRANGE
    assert app.selectbox(key=_key(app, "Prompt")).options == first


@pytest.mark.usefixtures("page")
def test_an_address_opens_its_prompt_whatever_the_filter_is(store: Path) -> None:
    with reading(store) as db:
        (oldest, text) = db.row("SELECT query_id, query_text FROM recall_queries ORDER BY created_at LIMIT 1")
    app = opened("prompt", query_id=oldest, text=STRANGE)
    assert app.text[0].value == text[:200]
    assert len(widget(app, "selectbox", "Prompt").options) == 2


@pytest.mark.usefixtures("page")
def test_one_memory_shows_what_would_flip_it_and_the_choice_is_kept() -> None:
    app = opened("prompt")
    assert len(app.dataframe) == 2
    sound(widget(app, "selectbox", "Memory").select_index(1).run())
    assert app.dataframe[1].value.columns.tolist() == ["change", "then", "score"]
    chosen = widget(app, "selectbox", "Memory").value
    sound(widget(app, "selectbox", "Priority of the memory").select_index(3).run())
    visit(visit(app, "overview"), "prompt")
    assert widget(app, "selectbox", "Memory").value == chosen
    assert widget(app, "selectbox", "Priority of the memory").value == "3"


def test_case_08_the_page_marks_the_part_that_was_not_searched(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "long.duckdb"
    shutil.copy(store, copy)
    asked = "noise " * 400_000 + "what is the rollback code of <b>Zephyr</b>?"
    with writing(copy, "test") as db:
        db.execute("UPDATE recall_queries SET query_text = $text WHERE query_text = $old", {
            "text": asked, "old": STRANGE,
        })  # fmt: skip
    monkeypatch.setenv("WORKBENCH_DB", str(copy))
    app = opened("prompt")
    searched, unsearched = (text.value for text in app.text[:2])
    assert searched == asked[:200]
    assert len(unsearched) < 5000
    assert unsearched.endswith("<b>Zephyr</b>?")
    assert "characters …" in unsearched
    assert "asked outside the searched part" in app.warning[0].value


def test_a_long_text_is_folded_in_its_middle_alone() -> None:
    assert prompt_parts.folded("x" * 4000) == "x" * 4000
    folded = prompt_parts.folded("a" * 5000 + "b" * 5000)
    assert folded.startswith("a" * 2000 + "\n… 6,000 characters …\n")
    assert folded.endswith("\n" + "b" * 2000)


def test_the_map_of_reachability_changes_colour_at_the_threshold() -> None:
    default = Settings(Params.default(), Params.default())
    with in_memory() as db:
        table = reachability(db, default, 1)
    info = reach_info(table)
    assert info.columns == ["none", "0.72", "0.78", "0.84", "0.90", "0.98", "1.00"]
    assert info.scores[info.rows.index("words, both views")][-1] == 0.453928
    assert info.scores[info.rows.index("nothing else")][0] is None
    assert sum(score is not None for row in info.scores for score in row) == len(table.rows)
    scale = reach_figure(info).data[0].colorscale
    top = max(score for row in info.scores for score in row if score is not None)
    assert [at for at, _ in scale] == [0, pytest.approx(0.6 / top), pytest.approx(0.6 / top), 1]
    third = reach_info(table, 3)
    assert third.scores[info.rows.index("words, both views")][-1] == pytest.approx(0.453928 - 0.03)
    none_reach = reach_figure(replace(info, threshold=5.0)).data[0].colorscale
    assert [at for at, _ in none_reach] == [0, 1]


def test_cut_and_distance_draw_what_was_computed(store: Path) -> None:
    with reading(store) as db:
        in_force = settings_in_force(db).params
        query_id, uri = db.row("SELECT query_id, uri FROM wb.logged_candidates WHERE used ORDER BY query_id LIMIT 1")
        said = explain(db, Settings(in_force, in_force), query_id, uri).as_json()
    cut = cut_info(said)
    assert cut.searched + cut.unsearched == said["query"]["original_query_chars"]
    assert [bar.x for bar in cut_figure(cut).data] == [(cut.searched,), (cut.unsearched,)]
    distance = distance_info(said)
    assert distance.labels[:2] == ["as it is", "at its best"]
    assert list(distance_figure(distance).data[0].x) == list(distance.scores)
    assert distance.scores[1] == said["memory"]["best"]
    rows = prompt_parts.change_rows(said)
    assert len(rows) == len(said["single_changes"]) + len(said["memory_changes"])


def test_a_store_that_is_missing_is_said_on_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_DB", str(tmp_path / "none.duckdb"))
    app = AppTest.from_file(str(Path(entry.__file__)), default_timeout=30).run()
    assert not app.exception
    assert "There is no store at" in app.info[0].value
    assert not app.error


def test_markdown_of_users_is_escaped() -> None:
    assert literal("cost $5 :x: [a](b) <b>") == r"cost \$5 \:x\: \[a\]\(b\) \<b\>"


def test_a_figure_draws_what_was_computed(store: Path) -> None:
    with reading(store) as db:
        in_force = settings_in_force(db).params
        Selection().materialise(db)
        whole = report(db, SELECTED).as_json()
        activity = activity_info(db)
        rates = rates_info(whole)
        query_id = db.row("SELECT query_id FROM wb.logged_candidates WHERE used ORDER BY query_id LIMIT 1")[0]
        said = explain(db, Settings(in_force, in_force), query_id).as_json()
    assert sum(activity.prompts) == whole["prompts"] == 900
    assert (sum(activity.shown), sum(activity.used)) == (whole["shown"], whole["used"])
    assert len(activity_figure(activity).data) == 3
    assert len(rates_figure(rates).data[0].y) == len(rates.labels) == 4
    assert list(rates_figure(rates).data[1].x) == list(rates.shrunk)
    terms = terms_info(said)
    for number, score in enumerate(terms.scores):
        assert sum(parts[number] for parts in terms.parts.values()) == pytest.approx(score, abs=1e-6)
    assert len(terms_figure(terms).data) == len(terms.parts)


def test_case_07_days_belong_to_the_chosen_zone(store: Path) -> None:
    with reading(store) as db:
        Selection().materialise(db)
        judge_log(db, SELECTED)
        utc, west = activity_info(db), activity_info(db, "America/Los_Angeles")
    assert sum(utc.prompts) == sum(west.prompts)
    assert utc.prompts != west.prompts


@pytest.mark.browser
def test_both_pages_in_a_browser_without_a_request_to_the_outside(chromium: str, store: Path) -> None:
    from playwright.sync_api import expect

    with served(store) as address, browsed(chromium) as page:
        page.goto(address)
        expect(page.get_by_role("heading", name="Overview")).to_be_visible(timeout=30_000)
        expect(page.get_by_text("Use rate by client")).to_be_visible(timeout=30_000)
        page.get_by_role("link", name="One prompt").click()
        expect(page.get_by_role("heading", name="One prompt")).to_be_visible(timeout=30_000)
        expect(page.get_by_text("cost $5 :smile: [x](y) <b>hi</b> *bold*").first).to_be_visible(timeout=30_000)
