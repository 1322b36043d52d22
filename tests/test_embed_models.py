"""Vectors of several models and lengths in one store: counted, explained, never in the way."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from embedders import Fake

from workbench.embed import fill
from workbench.embed.texts import row_texts
from workbench.importers import ImportOptions, load
from workbench.retrieve.corpus import load_corpus
from workbench.retrieve.models import imported_model, model_census
from workbench.store import Database
from workbench.textsearch import tokenizer

NAN = float("nan")


def views(
    db: Database, model: str | None, vectors: Sequence[Sequence[float | None] | None], declared: int | None = None
) -> None:
    """Views of one model with these vectors, behind those that are there."""
    first = db.row("SELECT count(*) FROM memory_views")[0]
    for number, vector in enumerate(vectors, first):
        db.execute(
            "INSERT INTO memory_views BY NAME SELECT $id AS id, 'core' AS domain, $id AS path, 'core://' || $id AS uri,"
            " 'gist' AS view_type, 'text ' || $id AS text_content, $model::VARCHAR AS embedding_model,"
            " $vector::FLOAT[] AS embedding_vector, $declared::INTEGER AS embedding_dim, 'active' AS status",
            {"id": f"m{number}", "model": model, "vector": vector, "declared": declared},
        )


def logged_query(db: Database, query_id: str, model: str) -> None:
    db.execute(
        "INSERT INTO wb.logged_queries BY NAME SELECT $id AS query_id, 'prompt' AS traffic, 1 AS query_tokens,"
        " true AS tokens_logged, true AS replayable, $model AS embedding_model",
        {"id": query_id, "model": model},
    )


def assert_engine_agrees(db: Database, model: str) -> None:
    """The engine compares exactly the rows that the census calls usable."""
    corpus = load_corpus(db, tokenizer("simple"), model)
    rows = [row for row in model_census(db).rows if row.usable]
    assert len(corpus.view_vectors.numbers) == sum(row.counts["views"] for row in rows)
    assert len(corpus.term_vectors.numbers) == sum(row.counts["glossary"] for row in rows)


def test_case_21_vectors_of_two_models_in_one_table(db: Database) -> None:
    logged_query(db, "q1", "m1")
    views(db, "m1", [[1, number, 2] for number in range(30)], 3)
    views(db, "m2", [[1, number, 2, 3] for number in range(10)], 4)
    views(db, "m1", [[1, 2, 3, 4], [4, 3, 2, 1]], 4)
    census = model_census(db)
    assert census.model == "m1"
    found = {(row.model, row.dimension): (row.counts["views"], row.usable, row.reason) for row in census.rows}
    assert found == {
        ("m1", 3): (30, True, None),
        ("m1", 4): (2, False, "of 4 numbers instead of 3"),
        ("m2", 4): (10, False, "of the model m2"),
    }
    assert [row.counts["queries"] for row in census.rows if row.usable] == [1]
    assert_engine_agrees(db, "m1")
    (advice,) = census.advice()
    assert advice.startswith("30 of 42 views compare with prompts; not those with other vectors (")
    assert "10 of the model m2" in advice
    assert "2 of 4 numbers instead of 3" in advice
    assert "workbench embed" in advice


def test_case_21_an_odd_row_is_counted_with_its_reason(db: Database) -> None:
    views(db, "m1", [[1, 2, 3]] * 5, 3)
    odd = [[1, 2], None, [], [1, None, 2], [1, NAN, 2], [1, float("-inf"), 2], [0, 0, 0], [None, None, None]]
    views(db, "m1", odd, 3)
    views(db, None, [[3, 2, 1]])
    reasons = {row.reason: row.counts["views"] for row in model_census(db).rows if not row.usable}
    assert reasons == {
        "of 2 numbers instead of 3 although 3 are declared": 1,
        "without a vector": 2,
        "whose vector holds null": 2,
        "whose vector holds a number that is not finite": 2,
        "whose vector is zero": 1,
        "without the name of a model": 1,
    }
    assert_engine_agrees(db, "m1")


def test_case_21_texts_of_rows_that_do_not_compare_are_embedded_anew(db: Database) -> None:
    views(db, "m1", [[1, 2, 3]] * 3 + [[1, NAN, 1], [1, 2, 3, 4]], 3)
    views(db, "m2", [[1, 2, 3]], 3)
    wanted = row_texts(db, "m1")["views"]
    assert (wanted.on_rows, list(wanted.wanted)) == (3, ["text m3", "text m4", "text m5"])
    assert row_texts(db, "other")["views"].on_rows == 0
    filled = fill(db, Fake(name="m1", dimension=3), wanted.wanted)
    assert (filled.embedded, filled.refused) == (3, [])
    assert row_texts(db, "m1")["views"].count(db, "m1") == {"texts": 6, "missing": 0}
    kept = [row for row in model_census(db).rows if row.counts["texts"]]
    assert [(row.model, row.dimension, row.counts["texts"]) for row in kept] == [("m1", 3, 3)]


def test_the_setting_names_the_model_before_the_rows_do(db: Database) -> None:
    assert imported_model(db) is None
    assert model_census(db).rows == ()
    logged_query(db, "q1", "logged")
    assert imported_model(db) == "logged"
    views(db, "m2", [[1, 2]] * 3)
    views(db, "m1", [None] * 9)
    assert imported_model(db) == "m2"
    for value in ("no json", '{"value": " "}', '{"value": null}', "null"):
        db.execute("DELETE FROM app_settings")
        db.execute("INSERT INTO app_settings VALUES ('embedding.model', $value, NULL)", {"value": value})
        assert imported_model(db) == "m2"
    for value in ('{"value": "m1"}', '"m1"'):
        db.execute("UPDATE app_settings SET value = $value", {"value": value})
        assert imported_model(db) == "m1"
    assert [row.reason for row in model_census(db).rows if row.model == "m2"] == ["of the model m2"]


def test_the_census_of_the_golden_server(db: Database, conformance: Path) -> None:
    load(db, str(conformance / "tables"), ImportOptions())
    census = model_census(db)
    assert census.model == "multilingual-e5-small-q4"
    counts = {(row.model, row.usable): (row.counts["views"], row.counts["glossary"]) for row in census.rows}
    assert counts == {
        ("multilingual-e5-small-q4", True): (198, 340),
        ("multilingual-e5-small-q4", False): (3, 2),
        ("text-embedding-3-small", False): (2, 3),
    }
    assert_engine_agrees(db, "multilingual-e5-small-q4")
    assert [line.split(" compare")[0] for line in census.advice()] == [
        "198 of 203 views", "340 of 345 keyword rows",
    ]  # fmt: skip


def test_the_vectors_of_rebuilt_views_are_those_of_their_texts(db: Database) -> None:
    views(db, "m1", [[1, 0]])
    for name in ("embedded", "not"):
        db.execute(
            "INSERT INTO memory_views BY NAME SELECT $id AS id, 'core' AS domain, $id AS path, 'core://' || $id AS uri,"
            " 'gist' AS view_type, $id AS text_content, 'active' AS status, 'rebuilt' AS source",
            {"id": name},
        )
    db.execute("INSERT INTO wb.embeddings BY NAME SELECT 'm1' AS model, 'embedded' AS text, [0, 1]::FLOAT[] AS vector")
    rows = [(row.model, row.dimension, row.usable, row.counts["views"]) for row in model_census(db).rows]
    assert rows == [("m1", 2, True, 2), (None, None, False, 1)]


def test_a_model_without_any_vector_is_named_once(db: Database) -> None:
    """As in a backup: its rows have lost their vectors, and the log names their model."""
    views(db, "m1", [None, None])
    logged_query(db, "q1", "m1")
    (row,) = model_census(db).rows
    assert (row.model, row.usable, row.reason) == ("m1", False, "without a vector")
    assert (row.counts["views"], row.counts["queries"]) == (2, 1)
