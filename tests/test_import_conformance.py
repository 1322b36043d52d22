"""The real backup, dump and tables: no row is rejected, all say the same, a second import changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from import_sources import Imported, empty_store

from workbench.store import TABLES, Kind

pytestmark = [pytest.mark.conformance, pytest.mark.slow]

SOURCES = {
    "backup": "lore_backup.json.xz",
    "core": "lore_backup_core.json",
    "tables": "tables",
    "dump": "lore_dump.sql.gz",
}
ROLLUP_COUNTS = """
SELECT (SELECT count(*) FROM recall_queries), (SELECT count(*) FROM recall_query_candidates),
    (SELECT count(*) FROM recall_query_candidates WHERE selected), (SELECT sum(shown_count) FROM recall_queries),
    (SELECT count(*) FROM recall_query_candidates WHERE used_in_answer), (SELECT sum(used_count) FROM recall_queries)
"""


@pytest.fixture(scope="module")
def stores(conformance: Path) -> Iterator[dict[str, tuple[Imported, dict[str, Any]]]]:
    """For each source a store that took it, and the report."""
    with ExitStack() as stack:
        made = {}
        for name, file in SOURCES.items():
            store = stack.enter_context(empty_store())
            made[name] = (store, store.take(conformance / file))
        yield made


Stores = dict[str, tuple[Imported, dict[str, Any]]]


@pytest.mark.parametrize("name", SOURCES)
def test_no_row_is_rejected_and_no_secret_kept(stores: Stores, name: str) -> None:
    store, report = stores[name]
    assert report["rejected"] == []
    assert "Secrets were left out: embedding.api_key." in report["warnings"]
    assert "embedding.api_key" not in store.column("app_settings", "key")


def test_backup_and_tables_give_the_same_queries_candidates_shown_and_used(stores: Stores) -> None:
    backup, tables = stores["backup"][0].db, stores["tables"][0].db
    assert backup.row(ROLLUP_COUNTS) == (396, 34_612, 662, 662, 238, 238)
    assert tables.row(ROLLUP_COUNTS) == (399, 34_612, 662, 662, 238, 238)
    # The three queries more are those without a single candidate: no event speaks of them.
    assert tables.row(
        "SELECT count(*), sum(merged_count) FROM recall_queries"
        " WHERE query_id NOT IN (SELECT query_id FROM recall_events)"
    ) == (3, 0)


def test_derived_rollups_equal_those_of_the_server(stores: Stores) -> None:
    """All but the duration, the candidates' own ids and the scores that are only as fine as REAL."""
    backup, tables = stores["backup"][0].db, stores["tables"][0].db
    queries = """
        SELECT query_id, query_text, session_id, client_type, merged_count, shown_count, used_count
        FROM recall_queries WHERE merged_count > 0 ORDER BY query_id
    """
    candidates = """
        SELECT query_id, node_uri, client_type, final_rank_score, selected, used_in_answer, ranked_position,
            displayed_position
        FROM recall_query_candidates ORDER BY query_id, node_uri
    """
    assert backup.rows(queries) == tables.rows(queries)
    assert backup.rows(candidates) == tables.rows(candidates)


@pytest.mark.parametrize("name", ["backup", "core", "dump"])
def test_every_source_holds_the_same_rows(stores: Stores, name: str) -> None:
    (store, report), (other, _) = stores[name], stores["tables"]
    for table in TABLES.values():
        if report["tables"].get(table.name, {"added": 0})["added"]:
            shared = [column.name for column in table.columns if name == "dump" or column.kind is not Kind.VECTOR]
            select = ", ".join(f"date_trunc('ms', {c})" if c.endswith("_at") else c for c in shared)
            rows = f"SELECT {select} FROM {table.name} ORDER BY {', '.join(table.key)}"
            assert store.db.rows(rows) == other.db.rows(rows), table.name


def test_importing_again_and_from_every_other_source_changes_nothing(conformance: Path) -> None:
    with empty_store() as store:
        for name in ("tables", "backup", "dump", "core", "tables"):
            report = store.take(conformance / SOURCES[name])
            changed = {
                table: counts
                for table, counts in report["tables"].items()
                if counts["added"] or counts["updated"] or counts.get("derived")
            }
            first = store.db.row("SELECT count(*) FROM wb.imports") == (1,)
            assert bool(changed) == first
            assert (store.db.row("SELECT count(*) FROM touched_queries")[0] == 399) == first


def test_a_backup_is_completed_by_the_tables(conformance: Path) -> None:
    with empty_store() as store:
        store.take(conformance / SOURCES["backup"])
        store.take(conformance / SOURCES["tables"])
        assert store.db.row(ROLLUP_COUNTS) == (399, 34_612, 662, 662, 238, 238)
        assert store.db.row("SELECT count(*) FROM wb.derived_queries") == (0,)
        assert store.db.row("SELECT count(duration_ms), count(*) FROM recall_queries")[0] > 0
        assert store.db.row("SELECT count(embedding_vector) FROM glossary_term_embeddings") == (344,)
        store.take(conformance / SOURCES["backup"])
        assert store.db.row("SELECT count(embedding_vector) FROM glossary_term_embeddings") == (344,)
