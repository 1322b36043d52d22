"""Explanation of one prompt: the query, its searched part, its tokens, its text."""

from __future__ import annotations

from dataclasses import replace

import pytest
from explained import DEFAULT, NO_FLAGS, URI, about, exact_row
from memory_store import NOW
from small_log import Candidate, Row, add_query, append, derive

from workbench.cli.explain import explain_text
from workbench.params import Params
from workbench.replay.asked import ASKED_OUTSIDE, logged_prompt, new_prompt
from workbench.replay.explain import explain
from workbench.replay.query import prepare
from workbench.store import Database
from workbench.textsearch import tokenizer

NOISE = "noise " * 900
QUESTION = "what is the rollback code of Zephyr?"
LIMIT_KEY = "recall.safety.max_query_chars"


def test_case_08_the_cut_is_that_of_the_log_of_the_settings_or_the_default(db: Database) -> None:
    add_query(db, "logged", [], text=NOISE + QUESTION, query_char_limit=400)
    add_query(db, "old", [], text="x" * 200, query_char_limit=None)
    add_query(db, "unknown", [], text=NOISE + QUESTION, query_char_limit=None)
    derive(db)
    in_force = Params({LIMIT_KEY: 300})

    def cut(query_id: str) -> tuple[int, str, bool]:
        asked = logged_prompt(db, in_force, query_id)
        return asked.query.chars, asked.limit_source, asked.query.truncated

    # An event without candidates holds no metadata: the limit of this one row is written down by hand.
    db.execute("UPDATE wb.logged_queries SET query_char_limit = 400 WHERE query_id = 'logged'")
    assert cut("logged") == (400, "logged", True)
    assert cut("old") == (200, "default", False)
    assert cut("unknown") == (200, "default", True)
    assert "200" in logged_prompt(db, in_force, "unknown").as_json()["limit_note"]
    setting = {"key": LIMIT_KEY, "value": "300", "updated_at": "2026-11-30T00:00:00Z"}
    append(db, "app_settings", [setting])
    assert cut("unknown") == (200, "default", True), "the setting is younger than the prompt"
    db.execute("UPDATE app_settings SET updated_at = '2026-01-01T00:00:00Z'")
    assert cut("unknown") == (300, "setting", True)


def test_case_08_a_question_behind_the_searched_part_is_classed_as_such(db: Database) -> None:
    add_query(db, "q1", [Candidate(URI, [Row("dense", 0.5, "gist")])], text=NOISE + QUESTION)
    derive(db)
    query = explain(db, DEFAULT, "q1").as_json()["query"]
    assert query["searched"] == (NOISE + QUESTION)[:200]
    assert query["searched"] + query["unsearched"] == query["text"] == NOISE + QUESTION
    assert query["class"] == ASKED_OUTSIDE
    assert (query["query_chars"], query["limit"], query["limit_source"]) == (200, 200, "logged")
    assert "truncation" in about(explain(db, DEFAULT, "q1").as_json())


@pytest.mark.parametrize(
    ("text", "outside"),
    [
        (NOISE + "密钥在哪里吗", True),
        (NOISE + "回滚代码是什么？", True),
        ("what is this? " + NOISE + QUESTION, False),
        (NOISE + "see https://host/page?id=7 please", False),
        (NOISE, False),
        (QUESTION, False),
    ],
    ids=["Chinese particle", "Chinese mark", "asked in front as well", "an address", "no question", "short"],
)
def test_case_08_the_hint_needs_a_question_behind_the_cut_alone(text: str, outside: bool) -> None:
    assert prepare(text).asked_outside is outside


def test_case_08_half_a_character_belongs_to_the_part_that_is_not_searched() -> None:
    query = prepare("x" + "😀" * 200)
    assert query.searched[:-1] + query.unsearched == query.text
    assert prepare("x" * 300).unsearched == "x" * 100


def test_case_08_two_megabytes_are_explained(db: Database) -> None:
    add_query(db, "big", [Candidate(URI, [Row("dense", 0.5, "gist")])], text="字" * 2_000_000 + "?")
    derive(db)
    query = explain(db, DEFAULT, "big").as_json()["query"]
    assert (len(query["searched"]), len(query["unsearched"])) == (200, 1_999_801)
    assert query["class"] == ASKED_OUTSIDE


def test_tokens_are_named_and_held_against_the_log(db: Database) -> None:
    add_query(db, "q1", [Candidate(URI, [Row("dense", 0.5, "gist")])], text="ADR-016 user_id", tokens=4)
    add_query(db, "q2", [Candidate(URI, [Row("dense", 0.5, "gist")])], text="one two", tokens=7)
    derive(db)
    query = explain(db, DEFAULT, "q1").as_json()["query"]
    assert query["tokenizer"] in ("simple", "jieba")
    first, second = logged_prompt(db, Params.default(), "q1"), logged_prompt(db, Params.default(), "q2")
    assert first.as_json()["tokens"] == list(tokenizer(str(first.tokenizer)).query("ADR-016 user_id"))
    assert second.as_json()["tokens_agree"] is False
    assert "(the log counts 7)" in explain_text(explain(db, DEFAULT, "q2").as_json())
    db.execute("UPDATE wb.logged_queries SET tokens_logged = false")
    assert logged_prompt(db, Params.default(), "q2").as_json()["tokens_agree"] is None
    assert "the log counts" not in explain_text(explain(db, DEFAULT, "q2").as_json())


def test_an_envelope_is_told(db: Database) -> None:
    block = "Sender (untrusted metadata):\n```\nx\n```\n"
    asked = new_prompt(db, Params.default(), block + "refund", NOW, None)
    assert (asked.envelope, asked.query.text, asked.limit_source) == (block.rstrip("\n"), "refund", "configuration")


def test_a_memory_that_the_log_did_not_show_is_not_said_to_have_been_shown(db: Database) -> None:
    row = [Row("exact", 1.0)]
    add_query(
        db, "q1", [Candidate(URI, row, {"exact": 0.3}, 0.3), Candidate("ops://b", row, {"exact": 0.3}, 0.3, True)]
    )
    derive(db)
    low = Params.default().replace({"recall.display.min_display_score": 0.1})
    chosen = replace(DEFAULT, params=low)
    own = explain_text(explain(db, chosen, "q1", URI).as_json(), URI)
    assert "Shown at place" in own
    assert "The log did not show it (score 0.3): others were in force then." in own
    assert "The log" not in explain_text(explain(db, chosen, "q1", "ops://b").as_json(), "ops://b")
    whole = explain_text(explain(db, chosen, "q1").as_json())
    assert "in the log" in whole
    assert "in the log" not in explain_text(explain(db, chosen, "q1").as_json(), logged=False)


def test_the_text_of_a_command_tells_each_stage(db: Database) -> None:
    strange = Candidate(
        "ops://a\nb\u202e", [Row("exact", 0.90)], meta=exact_row({**NO_FLAGS, "glossary_text_hit": True})
    )
    add_query(db, "q1", [strange], text=NOISE + QUESTION)
    derive(db)
    whole = explain_text(explain(db, DEFAULT, "q1").as_json())
    lines = whole.splitlines()
    assert f"Only the first 200 of {len(NOISE + QUESTION):,} characters were searched (limit 200, logged)." in lines
    assert any(line.startswith("Hint: asked outside the searched part") for line in lines)
    assert "Signal rows: exact 1" in lines
    assert any("ops://a⏎b‹202E›" in line for line in lines)
    assert any(line.startswith("A match by exact 1.00 + words in both views alone is never shown") for line in lines)
    said = explain(db, DEFAULT, "q1", "ops://a\nb\u202e").as_json()
    own = explain_text(said, "ops://a\nb\u202e")
    assert said["candidates"][0]["why"] in own
    assert "the keywords contain the prompt" in own
    for one in said["memory_changes"]:
        assert one["words"] in own
    assert "min_display_score 0.6 →" in own
