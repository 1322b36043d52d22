"""The page of one prompt: log, replay and candidate side by side, the block, answers by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest
from ui_app import opened, sound, visit, widget, word

from workbench.charts import waterfall_figure, waterfall_info
from workbench.compare.beside import beside
from workbench.judge.hand import listing, reading_answers
from workbench.replay.explain import explain
from workbench.replay.logged import settings_in_force
from workbench.replay.logged_block import logged_block
from workbench.replay.run import Settings
from workbench.store import reading, writing


def used_pair(store: Path) -> tuple[str, str]:
    with reading(store) as db:
        query_id, uri = db.row("SELECT query_id, uri FROM wb.logged_candidates WHERE used ORDER BY query_id LIMIT 1")
    return str(query_id), str(uri)


def at(app: AppTest, uri: str) -> AppTest:
    """The page with this memory chosen."""
    sound(widget(app, "selectbox", word("prompt.memory")).set_value(uri).run())
    return app


def test_log_replay_and_candidate_stand_side_by_side(store: Path) -> None:
    query_id, uri = used_pair(store)
    rows = opened("prompt", query_id=query_id).dataframe[0].value.set_index("uri")
    with reading_answers(store) as db:
        params = settings_in_force(db).params
        lower = params.replace({"recall.display.min_display_score": 0.55})
        laid = beside(db, Settings(params, params), Settings(lower, params), query_id)
        logged = dict(
            db.rows("SELECT uri, logged_score FROM wb.logged_candidates WHERE query_id = $id", {"id": query_id})
        )
        shown = {one["uri"] for one in explain(db, Settings(lower, params), query_id).candidates if one["shown"]}
    assert len(rows) == len(laid) == len(logged)
    assert rows["logged_score"].to_dict() == pytest.approx(logged)
    assert rows["replayed_score"].to_dict() == pytest.approx(logged, abs=1e-5)
    assert {one for one, said in rows["shown_in"].items() if word("prompt.stage_candidate") in said} == shown
    assert rows.loc[uri, "opened_how"] == "opened (mcp:lore_get_node)"


def test_the_block_is_what_the_agent_was_given(store: Path) -> None:
    query_id, uri = used_pair(store)
    with reading(store) as db:
        given = logged_block(db, query_id)
        silent = db.row(
            "SELECT query_id FROM wb.logged_candidates GROUP BY 1 HAVING NOT bool_or(logged_shown) ORDER BY 1 LIMIT 1"
        )[0]
    lines = given.splitlines()
    assert lines[0].startswith("<recall session_id=")
    assert f'query_id="{query_id}"' in lines[0]
    assert any(line.split(" | ")[1] == uri and " · " in line.split(" | ")[2] for line in lines[1:-1])
    assert opened("prompt", query_id=query_id).code[0].value == given
    empty = opened("prompt", query_id=silent)
    assert not empty.code
    assert word("prompt.no_block") in [line.value for line in empty.caption]


def test_an_answer_goes_to_the_inbox_and_can_be_taken_back(store: Path) -> None:
    query_id, uri = used_pair(store)
    app = at(opened("prompt", query_id=query_id), uri)
    before = store.stat().st_mtime_ns
    sound(widget(app, "button", word("review.no")).click().run())
    with reading_answers(store) as db:
        assert [(one["query_id"], one["uri"], one["grade"]) for one in listing(db)] == [(query_id, uri, "no")]
    assert store.stat().st_mtime_ns == before
    assert app.dataframe[0].value.set_index("uri").loc[uri, "answer"] == word("review.no")
    sound(widget(app, "button", word("review.yes")).click().run())
    sound(widget(app, "button", word("review.withdraw")).click().run())
    with reading_answers(store) as db:
        assert listing(db) == []
    assert word("review.withdraw") not in [button.label for button in app.button]


def test_the_memory_of_an_address_is_open_and_outlives_the_page(store: Path) -> None:
    query_id, uri = used_pair(store)
    app = opened("prompt", query_id=query_id, memory=uri)
    assert widget(app, "selectbox", word("prompt.memory")).value == uri
    visit(visit(app, "prompts"), "prompt")
    assert widget(app, "selectbox", word("prompt.memory")).value == uri


def test_a_waterfall_adds_up_to_the_score(store: Path) -> None:
    query_id, uri = used_pair(store)
    with reading(store) as db:
        params = settings_in_force(db).params
        said = explain(db, Settings(params, params), query_id).as_json()
    info = waterfall_info(said, uri)
    assert info is not None
    assert sum(info.parts) == pytest.approx(info.score, abs=1e-6)
    assert info.score == next(one["score"] for one in said["candidates"] if one["uri"] == uri)
    drawn = waterfall_figure(info).data[0]
    assert list(drawn.x) == [*info.parts, info.score]
    assert list(drawn.measure) == ["relative"] * 8 + ["total"]
    assert waterfall_info(said, "core://none") is None


def test_the_stages_and_answers_speak_chinese(store: Path) -> None:
    query_id, uri = used_pair(store)
    app = opened("prompt", query_id=query_id, memory=uri, lang="zh")
    assert word("review.yes", "zh") in [button.label for button in app.button]
    assert word("prompt.stage_logged", "zh") in app.dataframe[0].value["shown_in"].iloc[0]


def test_a_prompt_without_candidates_says_so(store: Path) -> None:
    with writing(store, "test") as db:
        (query_id,) = db.row("SELECT query_id FROM wb.logged_queries WHERE traffic = 'prompt' ORDER BY 1 LIMIT 1")
        db.execute("DELETE FROM wb.logged_candidates WHERE query_id = $id", {"id": query_id})
        db.execute("DELETE FROM recall_events WHERE query_id = $id", {"id": query_id})
    app = opened("prompt", query_id=query_id)
    assert word("table.empty") in [line.value for line in app.caption]
    assert word("prompt.choose") in [line.value for line in app.caption]
