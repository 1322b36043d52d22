"""The list of prompts: the same filter as every page, narrowed further, in pages that add up."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from memory_store import NOW, Memories
from missed_log import at_score, logged
from small_log import derive
from ui_app import opened, sound, widget, word

from workbench.metrics.report import OUTCOMES, page
from workbench.replay.selection import Selection
from workbench.store import Database, reading, writing

TEXTS = ["50% done", "_x_ $5 :smile:", "half done", "<b>50%</b>"]


def hundred(db: Database) -> None:
    """100 prompts: 60 codex, 25 pi, 15 without client type; each shows one memory or none, and uses every fifth."""
    memories = Memories(db)
    memories.add("core://a")
    memories.add("project://b")
    for number in range(100):
        shown = at_score(("core://a", "project://b")[number % 2], 0.7, shown=number % 3 > 0, used=number % 15 == 1)
        client = "codex" if number < 60 else "pi" if number < 85 else None
        logged(db, f"q{number:02}", [shown], TEXTS[number % 4], _at(number), client=client, session=f"s{number}")
    derive(db)


def _at(number: int) -> datetime:
    return NOW - timedelta(minutes=number)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("prompts") / "store.duckdb"
    with writing(target, "test") as db:
        hundred(db)
    return target


@pytest.fixture(autouse=True)
def _page(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_DB", str(store))


def rows(app: Any) -> list[str]:
    return list(app.dataframe[0].value["query_id"])


def test_case_06_pages_do_not_lie() -> None:
    first = opened("prompts")
    assert first.caption[-1].value.replace("\\", "").startswith("1 to 50 of 100")
    second = opened("prompts", page="2")
    assert rows(first) + rows(second) == [f"q{number:02}" for number in range(100)]
    assert rows(opened("prompts", page="3")) == rows(first)


def test_case_06_a_page_that_is_full_is_the_last(store: Path) -> None:
    app = opened("prompts", client=["codex"], text="done")
    assert app.caption[-1].value.startswith("1 to 30 of 30")
    with reading(store) as db:
        Selection().materialise(db)
        assert not page(db, offset=80, size=20).has_more
        assert page(db, offset=79, size=20).has_more
        assert page(db, size=100).total == 100


def test_case_06_panels_of_all_pages_agree() -> None:
    for address in ({"text": "50%"}, {"client": "none"}, {"client": ["pi", "none"], "text": "_"}, {"text": "$5"}):
        listed = opened("prompts", **address)
        assert len(rows(listed)) == int(opened(**address).metric[0].value)


def test_outcomes_divide_the_list() -> None:
    app, listed = opened("prompts"), {}
    for outcome in OUTCOMES:
        sound(widget(app, "selectbox", "Outcome").set_value(outcome).run())
        listed[outcome] = app.caption[-1].value.rpartition(" of ")[2].partition(" ")[0] if not app.info else "0"
    assert listed == {"used": "7", "unused": "59", "silent": "34", "late": "0"}
    assert [one.value for one in app.info] == [word("frame.nothing_passes")]


def test_a_domain_keeps_the_prompts_that_showed_it() -> None:
    app = opened("prompts", domain="project")
    assert all(int(one[1:]) % 2 == 1 and int(one[1:]) % 3 for one in rows(app))
    assert widget(app, "selectbox", "Domain shown").options == ["all", "core", "project"]


def test_case_23_texts_are_listed_as_they_are() -> None:
    app = opened("prompts")
    assert list(app.dataframe[0].value["query_text"][:4]) == TEXTS
