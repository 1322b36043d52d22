"""The page of missed memories: what was lost where, what to change, a change tried and taken along."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from memory_store import NOW, Memories
from missed_log import TARGET, answered, at_score, logged
from small_log import derive
from streamlit.testing.v1 import AppTest
from ui_app import opened, sound, visit, widget, word

from workbench import jobs
from workbench.replay.reach import MOST_PRIORITY
from workbench.store import Database, reading, writing
from workbench.ui.misses import effect_words, memory_rows

ADVICE = ("focus", "path", "disclosure", "glossary", "priority", "index", "delivery")
TEXTS = ["how does the $5 retry queue work", "the retry queue :smile: <b>x</b>", "where is the retry queue 🧠"]


def missing(db: Database) -> None:
    """Three prompts of the retry queue miss the memory of it; a fourth was shown it."""
    store = Memories(db)
    store.add(TARGET, keywords=["dunning"], views={"gist": "dunning runs at night"}, priority=4)
    store.add("project://rival", keywords=["queue"], views={"gist": "a queue holds messages"})
    for number, text in enumerate(TEXTS):
        asked = f"q{number}"
        logged(db, asked, [at_score("project://rival", 0.7, shown=True)], text, NOW + timedelta(days=5 * number))
        answered(db, asked, TARGET)
    logged(db, "q9", [at_score(TARGET, 0.8, shown=True, used=True)], "dunning", NOW)
    derive(db)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("missed") / "store.duckdb"
    with writing(target, "test") as db:
        missing(db)
        jobs.follow_memories(db)
    return target


@pytest.fixture(autouse=True)
def _page(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_DB", str(store))


def one(**address: str) -> AppTest:
    """The page with the missed memory chosen."""
    return opened("missed", uri=TARGET, **address)


def test_the_table_says_how_often_where_and_by_what() -> None:
    app = opened("missed")
    stages, memories = app.dataframe[0].value, app.dataframe[1].value
    assert stages["misses"].sum() == 3
    assert memories["uri"].tolist() == [TARGET]
    row = memories.iloc[0]
    assert (row["missed"], row["needed"], row["hand"]) == (3, 4, 3)
    assert list(row["weeks"]) == [2, 1]
    assert not app.subheader


def test_the_weeks_of_all_memories_are_the_same_ones() -> None:
    outline: dict[str, Any] = {"miss_rate_shrunk": None, "miss_rate_interval": None, "missed": 1, "helped": 0}
    more: dict[str, Any] = {"stages": {}, "evidence": {}, "clients": []}
    counts = {"core://a": {"2026-03-02": 2, "2026-03-09": 1}, "core://b": {"2026-03-09": 3, "2026-03-16": 4}}
    found = [
        {**outline, **more, "uri": uri, "weeks": [{"week": week, "missed": count} for week, count in weeks.items()]}
        for uri, weeks in counts.items()
    ]
    assert [row["weeks"] for row in memory_rows({"memories": found})] == [[2, 1, 0], [0, 3, 4]]


def test_one_memory_shows_its_prompts_and_the_advice_in_order() -> None:
    app = one()
    prompts = app.dataframe[2].value
    assert sorted(prompts["prompt"]) == sorted(TEXTS)
    assert prompts["evidence"].unique().tolist() == [word("missed.hand")]
    numbered = [line.value for line in app.markdown if line.value[:2] in ("1.", "2.", "3.", "4.")]
    kinds = [line.partition("**")[2].partition("**")[0] for line in numbered]
    order = [word(f"missed.advice_{kind}") for kind in ADVICE]
    assert kinds == [kind for kind in order if kind in kinds]
    assert len(kinds) > 1


def test_a_typed_term_is_tried_on_the_prompts_and_collected(store: Path) -> None:
    app = one()
    term = widget(app, "text_input", word("changes.value"))
    sound(term.set_value("$5 retry [queue](x)").run())
    sound(widget(app, "button", word("missed.collect")).click().run())
    sound(widget(app, "text_input", word("changes.value")).set_value("retry queue").run())
    sound(widget(app, "button", word("missed.try")).click().run())
    lines = [line.value.replace("\\", "") for line in app.markdown]
    assert [line for line in lines if line.startswith("It would be shown in ")], lines
    sound(widget(app, "button", word("missed.collect")).click().run())
    visit(visit(app, "overview"), "missed")
    assert app.code[0].value.splitlines() == [
        f"{TARGET}: {word('changes.glossary')}: $5 retry [queue](x)",
        f"{TARGET}: {word('changes.glossary')}: retry queue",
    ]
    (collected,) = [frame.value for frame in app.dataframe if "effect" in frame.value]
    assert collected["effect"].tolist()[0] == ""
    assert collected["effect"].tolist()[1].startswith("It would be shown in ")
    sound(widget(app, "button", word("changes.clear")).click().run())
    assert not app.code
    with reading(store) as db:
        assert db.row("SELECT count(*) FROM glossary_keywords WHERE keyword = 'retry queue'") == (0,)


def test_a_priority_can_be_tried() -> None:
    app = one(kind="priority")
    number = widget(app, "number_input", word("changes.value"))
    assert (number.min, number.max) == (0, MOST_PRIORITY)
    sound(number.set_value(1).run())
    sound(widget(app, "button", word("missed.try")).click().run())
    assert any(line.value.startswith("It would be shown in ") for line in app.markdown)


def test_an_empty_change_can_neither_be_tried_nor_collected() -> None:
    app = one()
    sound(widget(app, "text_input", word("changes.value")).set_value("  ").run())
    assert widget(app, "button", word("missed.try")).disabled
    assert widget(app, "button", word("missed.collect")).disabled


def test_case_23_prompts_and_terms_are_literal() -> None:
    app = one()
    assert "$5" in "".join(app.dataframe[2].value["prompt"])
    assert all("$5" not in line.value.replace("\\$5", "") for line in app.markdown)


def test_the_page_speaks_the_language() -> None:
    app = one(lang="zh")
    assert app.title[0].value == word("missed.title", "zh")
    assert app.dataframe[2].value["evidence"].unique().tolist() == [word("missed.hand", "zh")]


def test_thin_data_say_what_was_looked_at() -> None:
    app = opened("missed", text="nobody asked this")
    assert app.markdown[0].value
    assert not any("uri" in frame.value and frame.value["uri"].tolist() == [TARGET] for frame in app.dataframe)


def test_the_effect_of_a_change_is_said_with_its_counts() -> None:
    counts = {"prompts": 9, "missed": 3, "shown_before": 0, "shown_after": 2, "newly_shown": 1, "no_longer_shown": 0,
              "others_gone": 2, "used_gone": 1, "others_come": 0, "left_out": None}  # fmt: skip
    assert effect_words(counts) == (
        "It would be shown in 2 of 3 prompts that missed it (0 without the change). It would be newly shown in 1 other."
        " 2 shows of other memories would go, 1 of them used. Tried on 9 prompts, with the memories as they are today."
    )
