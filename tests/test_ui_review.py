"""The page of answers by hand: blind, one key an answer, undo, and how many more are worth giving."""

from __future__ import annotations

from pathlib import Path

from streamlit.testing.v1 import AppTest
from ui_app import opened, sound, visit, widget, word

from workbench.judge.hand import listing, reading_answers
from workbench.labelling import next_pairs, pending_decision
from workbench.replay.logged import settings_in_force
from workbench.replay.selection import Selection
from workbench.store import writing
from workbench.ui.review_queue import BATCH

SHORTCUTS = {"yes": "1", "no": "2", "unsure": "3", "back": "k", "on": "j", "undo": "u"}


def given(store: Path) -> list[tuple[str, str, str]]:
    """The answers that stand, oldest first."""
    with reading_answers(store) as db:
        return [(one["query_id"], one["uri"], one["grade"]) for one in reversed(listing(db))]


def press(app: AppTest, name: str) -> None:
    sound(widget(app, "button", word(f"review.{name}")).click().run())


def shown(app: AppTest) -> tuple[str, str]:
    """The prompt and the address on the page."""
    return app.text[0].value, app.text[1].value


def test_the_pairs_are_those_of_label_next_in_its_order(store: Path) -> None:
    with reading_answers(store) as db:
        decision = pending_decision(settings_in_force(db).params, store)
        pairs, progress = next_pairs(db, Selection(), decision, most=BATCH)
    app = opened("review")
    assert app.markdown[1].value.replace("\\", "") == progress.sentence()
    seen = []
    for _ in pairs:
        seen.append(shown(app))
        press(app, "on")
    assert seen == [(pair.prompt, pair.uri) for pair in pairs]
    assert word("review.batch_done") in [info.value for info in app.info]
    assert given(store) == []


def test_it_is_blind(store: Path) -> None:
    with reading_answers(store) as db:
        decision = pending_decision(settings_in_force(db).params, store)
        (pair,), _ = next_pairs(db, Selection(), decision)
        scores = db.rows("SELECT logged_score FROM wb.logged_candidates WHERE query_id = $id AND uri = $uri",
                         {"id": pair.query_id, "uri": pair.uri})  # fmt: skip
    app = opened("review")
    said = "\n".join(one.value for kind in (app.markdown, app.caption, app.text) for one in kind)
    assert f"{scores[0][0]:.3f}"[:4] not in said
    assert not app.dataframe


def test_an_answer_is_kept_at_once_and_undone(store: Path) -> None:
    app = opened("review")
    first = shown(app)
    press(app, "yes")
    second = shown(app)
    assert first != second
    press(app, "no")
    press(app, "undo")
    assert shown(app) == second
    assert [(uri, grade) for _, uri, grade in given(store)] == [(first[1], "yes")]
    press(app, "back")
    assert shown(app) == first
    press(app, "unsure")
    assert [grade for *_, grade in given(store)] == ["unsure"]
    press(app, "undo")
    assert [grade for *_, grade in given(store)] == ["yes"]
    press(app, "undo")
    assert given(store) == []
    assert widget(app, "button", word("review.undo")).disabled


def test_the_round_outlives_the_page_and_the_next_asks_anew(store: Path) -> None:
    app, answered = opened("review"), []
    for grade in ("yes", "no"):
        answered.append(shown(app))
        press(app, grade)
    here = shown(app)
    visit(visit(app, "overview"), "review")
    assert shown(app) == here
    while any(button.label == word("review.unsure") for button in app.button):
        press(app, "on")
    press(app, "next_batch")
    assert shown(app) not in answered
    assert len(given(store)) == 2
    assert app.markdown[1].value.startswith("2 pairs are answered")


def test_every_key_has_its_button(store: Path) -> None:
    assert store.exists()
    shortcuts = {button.label: button.proto.shortcut for button in opened("review").button}
    assert {name: shortcuts[word(f"review.{name}")].lower() for name in SHORTCUTS} == SHORTCUTS


def test_case_23_texts_are_literal(store: Path) -> None:
    strange = "cost $5 :smile: [x](y) <b>hi</b> 🧠"
    with writing(store, "test") as db:
        db.execute("UPDATE recall_queries SET query_text = $text", {"text": strange})
    assert opened("review").text[0].value == strange


def test_thin_data_say_what_to_do(store: Path) -> None:
    with writing(store, "test") as db:
        db.execute("UPDATE wb.logged_candidates SET exact = NULL, glossary_semantic = NULL, dense_gist = NULL,"
                   " dense_question = NULL, lexical_gist = NULL, lexical_question = NULL")  # fmt: skip
    app = opened("review")
    assert [info.value for info in app.info] == [word("review.nothing")]
