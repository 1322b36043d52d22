"""Explanation of one prompt by the engine, and what it promises, done to the memories and computed again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from explained import DEFAULT, TARGET, about, changes, settings
from memory_store import MODEL, NOW, Memories, memories
from small_log import Candidate, Row, add_query, derive

from workbench.params import Params
from workbench.replay.asked import Asked, new_prompt
from workbench.replay.engine import CANDIDATES, EngineReplay, Progress, engine_replay, retrieve_candidates
from workbench.replay.explain import ENGINE_ROWS, Explanation, explain, explain_prompt
from workbench.retrieve.clock import Clock
from workbench.retrieve.corpus import load_corpus
from workbench.retrieve.embeddings import add
from workbench.retrieve.engine import Depth, Prompt
from workbench.textsearch import tokenizer


def test_the_engine_explains_a_logged_prompt_and_flags_wildcards() -> None:
    with memories() as store:
        store.add("ops://cost", keywords=["re%ds"], views={"gist": "what refunds cost"}, vector=[1.0, 0.0])
        store.add("ops://rest", keywords=["rest"], views={"gist": "other"}, vector=[0.0, 1.0])
        add_query(store.db, "q1", [Candidate("ops://rest", [Row("dense", 0.5, "gist")])], text="about refunds")
        derive(store.db)

        def engine(selected: str) -> Any:
            return engine_replay(store.db, DEFAULT, selected, tokenizer("simple"), None, Clock("today", NOW))

        said = explain(store.db, DEFAULT, "q1", engine=engine).as_json()
        logged = explain(store.db, DEFAULT, "q1").as_json()
    exact = {row["uri"]: row for row in said["signal_rows"] if row["signal"] == "exact"}
    assert exact["ops://cost"]["wildcard_only"] is True
    assert exact["ops://cost"]["reason"] == "the prompt contains a keyword"
    assert about(said)["wildcards"] == ["ops://cost"]
    assert said["query"]["tokens"] == ["about", "refunds"]
    assert said["engine"]["tokenizer"] == "simple"
    assert "engine" not in logged
    assert [one["uri"] for one in logged["candidates"]] == ["ops://rest"]


def test_another_query_length_is_searched_anew_by_the_engine() -> None:
    longer = settings(recall__safety__max_query_chars=400)
    with memories() as store:
        store.add("ops://cost", keywords=["zephyr"], views={"gist": "costs"})
        add_query(store.db, "q1", [], text="x " * 120 + "zephyr")
        derive(store.db)

        def engine(selected: str) -> Any:
            return engine_replay(store.db, longer, selected, tokenizer("simple"), None, Clock("today", NOW))

        said = explain(store.db, longer, "q1", "ops://cost", engine).as_json()
        short = explain(store.db, longer, "q1").as_json()
    assert (said["query"]["limit"], said["query"]["limit_source"]) == (400, "configuration")
    assert [one["exact"] for one in said["candidates"]] == [0.84]
    assert (short["query"]["limit"], short["candidates"]) == (200, [])


def test_a_prompt_that_nobody_logged_is_explained_by_the_engine() -> None:
    with memories() as store:
        store.add("ops://cost", keywords=["refund"], views={"gist": "refund costs"}, vector=[1.0, 0.0])
        asked: Asked = new_prompt(store.db, Params.default(), "refund", NOW, MODEL)
        corpus = load_corpus(store.db, tokenizer("simple"), MODEL, Clock("today", NOW))
        nothing: Progress = lambda done, total, what: None  # noqa: E731
        prompt = Prompt(asked.query_id, asked.query.searched, NOW, None)
        retrieve_candidates(corpus, [prompt], None, Depth(), progress=nothing)
        found = explain_prompt(store.db, replace(DEFAULT, candidates=CANDIDATES), asked, ENGINE_ROWS, "ops://cost")
    assert found.candidates[0]["exact"] == 0.98
    assert found.as_json()["query"]["now"] == "2026-12-01 12:00:00+00:00"
    assert found.memory is not None
    assert found.memory.lacks == ["It has one view, the gist: no bonus for several views."]


# What an explanation promises, done to the memories and computed by the engine.


def crowd(store: Memories) -> None:
    """A memory one priority behind four others that match like it: it misses the three places."""
    store.add(TARGET, priority=4, keywords=["quorum"], views={"gist": "refund ledger"}, vector=[0.6, 0.8])
    for number in range(4):
        store.add(
            f"core://r{number}", priority=3, keywords=["quorum"], views={"gist": "refund desk"}, vector=[0.6, 0.8],
        )  # fmt: skip


def engine_on(store: Memories, uri: str | None = None) -> Explanation:
    """The prompt `refund` explained by the engine over the memories as they stand."""
    using = settings(recall__display__min_display_score=0.3)
    if not store.db.rows("SELECT 1 FROM recall_queries"):
        add_query(store.db, "q1", [], text="refund", now=NOW.isoformat())
        derive(store.db)
        add(store.db, MODEL, ["refund"], np.array([[1.0, 0.0]], np.float32))

    def engine(selected: str) -> EngineReplay:
        return engine_replay(store.db, using, selected, tokenizer("simple"), MODEL, Clock("today", NOW))

    return explain(store.db, using, "q1", uri, engine)


def score_of(found: Explanation) -> tuple[float, bool]:
    (one,) = [one for one in found.candidates if one["uri"] == TARGET]
    return one["score"], one["shown"]


EDITS = {
    "priority": "UPDATE edges SET priority = {value}; UPDATE memory_views SET priority = {value};"
    "UPDATE glossary_term_embeddings SET priority = {value}",
    "keyword_in_prompt": "UPDATE glossary_keywords SET keyword = 'efun'",
    "keyword_is_prompt": "UPDATE glossary_keywords SET keyword = 'REFUND'",
    "keyword_is_prompt_embedded": "UPDATE glossary_keywords SET keyword = 'refund';"
    "UPDATE glossary_term_embeddings SET keyword = 'refund', embedding_vector = [1.0, 0.0], updated_at = $now",
    "edited_now": "UPDATE memory_views SET updated_at = $now",
}


@pytest.mark.parametrize("change", EDITS)
def test_a_change_does_what_the_explanation_promised(change: str) -> None:
    with memories() as store:
        crowd(store)
        before = engine_on(store, TARGET)
        assert not score_of(before)[1]
        promised = changes(before)[change]
        for statement in EDITS[change].format(value=promised["value"]).split(";"):
            table = statement.split()[1]
            owner = "child_uuid" if table == "edges" else "node_uuid"
            where = f" WHERE {owner} = 'n-{TARGET}'"
            store.db.execute(statement + where, {"now": NOW})
        score, shown = score_of(engine_on(store))
    assert shown
    assert score == pytest.approx(promised["score"], abs=1e-6)
