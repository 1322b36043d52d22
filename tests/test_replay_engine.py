"""Replay through the engine: what is searched, which vectors are compared, and parity with the log by cause."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from memory_store import MODEL, NOW, Memories, memories
from small_log import Candidate, Row, add_query, derive

from workbench.errors import BadInput
from workbench.params import Params
from workbench.replay.engine import EngineReplay, engine_model, engine_replay, prompts_of
from workbench.replay.parity import Parity, engine_parity
from workbench.replay.run import Settings, candidates_of, full_chain
from workbench.replay.selection import Selection
from workbench.replay.tokenizers import choose, remember
from workbench.retrieve.clock import Clock
from workbench.retrieve.embeddings import add
from workbench.store import Database, compose
from workbench.textsearch import tokenizer

DEFAULT = Params.default()
IN_FORCE = Settings(DEFAULT, DEFAULT)
AT = "2026-12-01T12:00:00Z"
URI = "project://refunds"
# Priority 2, written 275.5 days before: 0.05 - 2 * 0.01, and 0.04 * 2 ** (-275.5 / 180).
BONUS = {"priority": 0.03, "recency": 0.013846, "view": 0.0, "multi_view": 0.0}


@contextmanager
def logged(text: str = "when is a refund due", tokens: int = 5, **changed: Any) -> Iterator[Memories]:
    """One memory with a keyword, and a logged prompt that found it in the exact signal alone."""
    terms = {"exact": 0.252, "glossary_semantic": 0.0, "semantic": 0.0, "lexical": 0.0, **BONUS, **changed}
    score = round(sum(terms.values()), 6)
    with memories() as store:
        store.add(URI, keywords=["refund"])
        add_query(
            store.db, "q1", [Candidate(URI, [Row("exact", 0.84)], terms, score)], text=text, now=AT, tokens=tokens
        )
        derive(store.db)
        yield store


def replayed(db: Database, model: str | None = None, as_of: str = "logged") -> EngineReplay:
    Selection(traffic=None).materialise(db)
    return engine_replay(db, IN_FORCE, "selected", tokenizer("simple"), model, Clock.parse(as_of, engine=True))


def parity_of(db: Database, **options: Any) -> Parity:
    return engine_parity(db, replayed(db, **options), "selected")


def test_the_engine_reproduces_the_log() -> None:
    with logged() as store:
        found = parity_of(store.db)
    assert (found.rows, found.rows_equal, found.flips, dict(found.causes)) == (1, 1, 0, {})
    assert found.passes()


@pytest.mark.parametrize(
    ("changed", "cause"),
    [
        ({"tokens": 4, "lexical": 0.005}, "tokenizer"),
        ({"recency": 0.02}, "clock"),
        ({"priority": 0.04}, "configuration change (bonuses)"),
        ({"exact": 0.27}, "unexplained"),
    ],
)
def test_a_difference_has_its_cause(changed: dict[str, Any], cause: str) -> None:
    with logged(**changed) as store:
        found = parity_of(store.db)
    assert (found.rows_equal, dict(found.causes)) == (0, {cause: 1})
    assert not found.passes()
    assert found.passes(frozenset({cause}))


def test_a_memory_that_is_gone_is_a_cause_of_its_own() -> None:
    with logged() as store:
        store.db.execute("DELETE FROM paths; DELETE FROM glossary_term_embeddings")
        found = parity_of(store.db, as_of="today")
    assert dict(found.causes) == {"deleted or moved memory": 1}


def test_a_memory_that_only_the_engine_finds_is_unexplained() -> None:
    with logged() as store:
        store.add("project://other", keywords=["due"])
        found = parity_of(store.db)
    assert (found.rows, found.rows_equal, dict(found.causes)) == (2, 1, {"unexplained": 1})


def test_an_edit_after_the_prompt_is_a_cause_of_its_own() -> None:
    with logged() as store:
        store.add("project://new", keywords=["refund"], written=NOW + timedelta(days=1))
        found = parity_of(store.db, as_of=AT)
        assert dict(found.causes) == {}
        found = parity_of(store.db, as_of="today")
    assert "memory edited or indexed since" in found.causes


def test_case_08_the_prompt_is_cut_where_the_server_cut_it() -> None:
    noise = "noise " * 900 + "what is the rollback code of Zephyr?"
    with memories() as store:
        for name, limit in (("q200", 200), ("q400", 400), ("unknown", None)):
            add_query(
                store.db, name, [Candidate(URI, [Row("exact", 0.84)])], text=noise, now=AT, query_char_limit=limit
            )
        derive(store.db)
        Selection(traffic=None).materialise(store.db)
        clock = Clock("as-of")
        found = {one.query_id: len(one.searched) for one in prompts_of(store.db, IN_FORCE, "selected", clock)}
        longer = Settings(DEFAULT.replace({"recall.safety.max_query_chars": 800}), DEFAULT)
        changed = {one.query_id: len(one.searched) for one in prompts_of(store.db, longer, "selected", clock)}
    assert found == {"q200": 200, "q400": 400, "unknown": 200}
    assert set(changed.values()) == {800}


def test_vectors_embedded_here_serve_where_the_source_brought_none() -> None:
    texts = ["when is a refund due", "refund", "rules of refunds"]
    with logged() as store:
        store.add("project://rules", views={"gist": "rules of refunds"})
        add(store.db, "own", texts, np.array([[1, 0], [1, 0.1], [1, 0.2]], np.float32))
        without = replayed(store.db)
        signals = dense_and_glossary(store.db)
        with_own = replayed(store.db, model=engine_model(store.db))
        assert signals == (None, None)
        assert dense_and_glossary(store.db) == pytest.approx((0.9806, 0.9950), abs=1e-4)
    assert (without.model, without.without_vector) == (None, 1)
    assert (with_own.model, with_own.without_vector) == ("own", 0)
    assert "run `workbench embed`" in " ".join(without.notes())


def dense_and_glossary(db: Database) -> Any:
    return db.row("SELECT max(dense_gist), max(glossary_semantic) FROM engine_candidates")


def test_vectors_of_the_source_are_not_completed_by_others() -> None:
    with logged() as store:
        store.add("project://rules", views={"gist": "rules of refunds"}, vector=[1, 0])
        store.add("project://bare", views={"gist": "rules of refunds"})
        add(store.db, MODEL, ["when is a refund due", "rules of refunds"], np.array([[1, 0], [1, 0]], np.float32))
        found = replayed(store.db, model=engine_model(store.db))
        dense = store.db.rows("SELECT uri FROM engine_candidates WHERE dense_gist IS NOT NULL")
    assert dense == [("project://rules",)]
    assert found.unusable["views"] == 1


def test_a_model_that_nothing_was_embedded_with_is_refused() -> None:
    with logged() as store, pytest.raises(BadInput, match="No prompt has a vector of m9: it holds no embedded text"):
        engine_model(store.db, "m9")


def test_the_same_replay_later_is_the_same() -> None:
    with logged() as store:
        first = replayed(store.db)
        rows = scored(store.db, first.settings)
        again = replayed(store.db)
        assert scored(store.db, again.settings) == rows != []


def scored(db: Database, settings: Settings) -> list[tuple[Any, ...]]:
    select = "SELECT query_id, uri, score, shown FROM {last} ORDER BY ALL"
    return db.rows(compose(full_chain(candidates_of(None, settings.candidates)), select), settings.bindings())


def test_the_tokenizer_is_the_one_that_the_token_counts_speak_for() -> None:
    chinese = "微信读书 书架 阅读偏好"
    with memories() as store:
        for number in range(3):
            counts = len(tokenizer("jieba").query(chinese))
            add_query(store.db, f"q{number}", [Candidate(URI, [Row("exact", 0.84)])], text=chinese, tokens=counts)
        derive(store.db)
        found = choose(store.db)
        assert (found.name, found.prompts, found.jieba_equal, found.simple_equal) == ("jieba", 3, 3, 0)
        assert found.share == 1.0
        assert remember(store.db, "simple").name == "simple"
        kept = remember(store.db)
    assert (kept.name, kept.chosen_by, kept.share) == ("simple", "operator", 0.0)


def test_without_logged_counts_the_choice_says_that_nothing_confirms_it() -> None:
    with memories() as store:
        found = choose(store.db)
    assert (found.name, found.share) == ("simple", None)
    assert "nothing confirms it" in found.sentence()
