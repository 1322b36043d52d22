"""A fix that is tried shows what an import of the changed memory would show; advice in its order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from embedders import vector_of
from memory_store import MODEL, NOW, Memories, memories
from missed_log import TARGET
from small_log import add_query

from workbench import jobs
from workbench.judge import Evidence
from workbench.params import Params
from workbench.replay.engine import engine_replay
from workbench.replay.run import Settings, replay_shown
from workbench.replay.selection import SELECTED, Selection
from workbench.retrieve.clock import Clock
from workbench.retrieve.embeddings import Floats, add, distinct
from workbench.retrieve.rebuild import rebuild
from workbench.retrieve.view_texts import match_text
from workbench.review.edits import Fix, Kind, with_disclosure
from workbench.review.evidence import write_evidence, write_missed
from workbench.review.fixes import AFTER, BEFORE, Simulator
from workbench.review.vectors import Embed
from workbench.store import Database, reading, writing
from workbench.text import counted
from workbench.textsearch import tokenizer

PROMPTS = {
    "q1": "how does the retry queue treat refunds",
    "q2": "the retry queue is full again",
    "q3": "where do webhooks go",
    "q4": "who owns the retry queue of billing",
    "q5": "nothing of the kind",
}
MISSED = ("q1", "q2")
LOW = Params.default().replace({"recall.display.min_display_score": 0.1, "recall.display.max_display_items": 2})
SETTINGS = Settings(LOW, LOW)
TODAY = Clock("today", NOW + timedelta(days=1))
TABLES = (
    "nodes", "memories", "edges", "paths", "glossary_keywords", "memory_views", "glossary_term_embeddings",
    "recall_queries",
)  # fmt: skip
INDEX = ("memory_views", "glossary_term_embeddings")
VALUES: dict[Kind, str | int] = {
    "glossary": "retry queue",
    "priority": 0,
    "disclosure": "When the retry queue treats refunds",
}


def embed(texts: Sequence[str]) -> Floats:
    return np.stack([vector_of(text) for text in texts])


def filled(store: Memories) -> None:
    """A memory that the prompts of the retry queue miss, three rivals, and the log."""
    for uri, keywords, text, priority in (
        (TARGET, ["dunning"], "dunning runs at night", 4),
        ("project://rival", ["queue"], "a queue holds messages and the retry queue too", 2),
        ("project://webhooks", ["webhooks"], "webhooks go to the hub", 2),
        ("project://owners", ["billing"], "billing is owned by the blue team", 3),
    ):
        store.add(uri, keywords=keywords, priority=priority, views={"gist": text, "question": f"what of {text}?"})
        store.db.execute(
            "UPDATE memories SET content = $text WHERE node_uuid = $node", {"text": text, "node": f"n-{uri}"}
        )
    for table, column in (("memory_views", "text_content"), ("glossary_term_embeddings", "keyword")):
        for number, text in store.db.rows(f"SELECT id, {column} FROM {table}"):
            store.db.execute(
                f"UPDATE {table} SET embedding_vector = $vector::FLOAT[] WHERE id = $id",
                {"id": number, "vector": vector_of(text).tolist()},
            )
    for hour, (query_id, text) in enumerate(PROMPTS.items()):
        add_query(store.db, query_id, [], text=text, now=(NOW + timedelta(hours=hour)).isoformat())


def edit(db: Database, kind: Kind) -> None:
    """Change the source rows as the operator, and the server after him, would."""
    bound: dict[str, Any] = {"uri": TARGET, "value": VALUES[kind], "at": TODAY.at, "node": f"n-{TARGET}"}
    if kind == "glossary":
        db.execute("INSERT INTO glossary_keywords BY NAME SELECT 'new' AS id, $value AS keyword, $node AS node_uuid,"
                   " $at AS created_at", bound)  # fmt: skip
        db.execute(
            "INSERT INTO glossary_term_embeddings BY NAME SELECT * REPLACE ('new' AS id, $value AS keyword,"
            " $text AS match_text, $at AS created_at, $at AS updated_at, $vector::FLOAT[] AS embedding_vector)"
            " FROM glossary_term_embeddings WHERE uri = $uri",
            bound | {"text": match_text("retry queue"), "vector": vector_of("retry queue").tolist()},
        )
    elif kind == "priority":
        db.execute("UPDATE edges SET priority = $value WHERE child_uuid = $node", bound)
        for table in ("memory_views", "glossary_term_embeddings"):
            db.execute(f"UPDATE {table} SET priority = $value WHERE uri = $uri", bound)
    else:
        db.execute("UPDATE edges SET disclosure = $value WHERE child_uuid = $node", bound)
        text = f"dunning runs at night\n{VALUES[kind]}"
        db.execute(
            "UPDATE memory_views SET text_content = $text, disclosure = $value, embedding_vector = $vector::FLOAT[]"
            " WHERE uri = $uri AND view_type = 'gist'",
            bound | {"text": text, "vector": vector_of(" ".join(text.split())).tolist()},
        )


def imported(folder: Path, kind: Kind | None, *, served: bool) -> Path:
    """A store filled by the import of the tables, with the memory changed where `kind` says so; not `served`: without
    any index rows: they are rebuilt, and embedded here."""
    (folder / "tables").mkdir(parents=True)
    with memories() as store:
        filled(store)
        if kind:
            edit(store.db, kind)
        for table in TABLES if served else (name for name in TABLES if name not in INDEX):
            store.db.copy_to(f"SELECT * FROM {table}", folder / "tables" / f"{table}.parquet")
    path = folder / "store.duckdb"
    jobs.import_log(path, str(folder / "tables"))
    with writing(path, "test") as db:
        texts = list(PROMPTS.values())
        if not served:
            rebuild(db, LOW)
            texts += [text for (text,) in db.rows("SELECT text_content FROM memory_views")]
            texts += [text for (text,) in db.rows("SELECT match_text FROM glossary_term_embeddings")]
        add(db, MODEL, distinct(texts), embed(distinct(texts)))
    return path


@contextmanager
def simulator(path: Path, how: Embed | None = embed, model: str | None = MODEL) -> Iterator[tuple[Database, Simulator]]:
    with reading(path) as db:
        write_evidence(db, Evidence())
        write_missed(db, Selection(), tokenizer("simple"))
        for query_id in MISSED:
            db.execute(
                "INSERT INTO misses BY NAME SELECT $id AS query_id, $node AS node, $uri AS uri, true AS logged",
                {"id": query_id, "node": f"n-{TARGET}", "uri": TARGET},
            )
        yield db, Simulator(db, SETTINGS, tokenizer("simple"), model, how, SELECTED, TODAY)


def shown(db: Database, table: str) -> set[tuple[str, str, float]]:
    """What is shown, with its score."""
    return set(db.rows(f"SELECT query_id, uri, score FROM {table}"))


def of_target(rows: set[tuple[str, str, float]]) -> set[str]:
    return {query_id for query_id, uri, _ in rows if uri == TARGET}


@pytest.mark.parametrize("served", [True, False], ids=["index of the server", "rebuilt index"])
@pytest.mark.parametrize("kind", VALUES)
def test_a_fix_shows_what_an_import_of_the_fixed_memory_shows(tmp_path: Path, kind: Kind, served: bool) -> None:
    with simulator(imported(tmp_path / "a", None, served=served)) as (db, tried):
        before = shown(db, BEFORE)
        effect = tried.effect(Fix(kind, TARGET, VALUES[kind]), f"n-{TARGET}")
        after = shown(db, AFTER)
    with reading(imported(tmp_path / "b", kind, served=served)) as db:
        Selection().materialise(db)
        replayed = engine_replay(db, SETTINGS, SELECTED, tokenizer("simple"), MODEL, TODAY)
        replay_shown(db, replayed.settings, None)
        assert after == shown(db, "shown")
    assert before
    assert after != before
    assert effect.shown_before == len(of_target(before) & {*MISSED})
    assert effect.shown_after == len(of_target(after) & {*MISSED})
    assert effect.newly_shown == len(of_target(after) - {*MISSED} - of_target(before))


def test_the_effect_counts_both_directions_and_says_it(tmp_path: Path) -> None:
    with simulator(imported(tmp_path, None, served=True)) as (db, tried):
        before = shown(db, BEFORE)
        effect = tried.effect(Fix("glossary", TARGET, "the retry queue"), f"n-{TARGET}")
        after = shown(db, AFTER)
        others = {(query_id, uri) for query_id, uri, _ in before if uri != TARGET}
        kept = {(query_id, uri) for query_id, uri, _ in after if uri != TARGET}
    assert (effect.prompts, effect.missed) == (5, 2)
    assert (effect.others_gone, effect.others_come) == (len(others - kept), len(kept - others))
    assert f"shown in {effect.shown_after} of 2 prompts that missed it" in effect.words
    assert f"newly shown in {counted(effect.newly_shown, 'other')}" in effect.words
    assert effect.as_json()["words"] == effect.words


def test_the_source_tables_stand_as_they_were_after_a_fix(tmp_path: Path) -> None:
    with simulator(imported(tmp_path, None, served=True)) as (db, tried):
        before = shown(db, BEFORE)
        tried.effect(Fix("glossary", TARGET, "retry queue"), f"n-{TARGET}")
        assert db.row("SELECT count(*) FROM glossary_keywords") == (4,)
        tried.effect(Fix("priority", TARGET, 4), f"n-{TARGET}")
        assert shown(db, AFTER) == before, "the priority that it has already"


def test_without_an_embedder_the_meaning_of_new_text_is_left_out_and_said(tmp_path: Path) -> None:
    path = imported(tmp_path, None, served=True)
    with simulator(path, None) as (_, tried):
        assert "no embedder" in str(tried.effect(Fix("glossary", TARGET, "retry queue"), f"n-{TARGET}").left_out)
        assert tried.effect(Fix("priority", TARGET, 0), f"n-{TARGET}").left_out is None
    with simulator(path, None, None) as (_, tried):
        assert "workbench embed" in str(tried.effect(Fix("priority", TARGET, 0), f"n-{TARGET}").left_out)


@pytest.mark.parametrize(
    ("gist", "former", "expected"),
    [
        ("text", "", "text\nnew"),
        ("text\nold", "old", "text\nnew"),
        ("text\nmore", "old", "text\nmore\nnew"),
        ("old", "old", "new"),
        ("", "", "new"),
    ],
)
def test_a_disclosure_is_the_last_line_of_a_gist(gist: str, former: str, expected: str) -> None:
    assert with_disclosure(gist, former, "new") == expected
