"""The versions of the real server's tables: now they are those tables, and the corpus's oddities are seen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from histories import MEMORY_SIDE, as_of

from workbench.retrieve.clock import Clock
from workbench.retrieve.versions import build_versions, history
from workbench.store import TABLES, Database, in_memory

pytestmark = pytest.mark.conformance
NOON = "2026-12-01T12:00:00Z"


@pytest.fixture(scope="module")
def db(conformance: Path) -> Iterator[Database]:
    with in_memory() as store:
        for name in (*MEMORY_SIDE, "recall_queries", "recall_query_candidates"):
            file = conformance / "tables" / f"{name}.parquet"
            held = {column for (column,) in store.rows(f"SELECT column_name FROM (DESCRIBE FROM '{file}')")}
            wanted = ", ".join(column.name for column in TABLES[name].columns if column.name in held)
            store.execute(f"INSERT INTO {name} BY NAME SELECT {wanted} FROM '{file}'")
        build_versions(store)
        yield store


def test_at_the_time_of_the_scoring_runs_the_versions_are_the_tables(db: Database) -> None:
    found = as_of(db, NOON)
    addresses = db.rows(
        "SELECT p.domain || '://' || p.path, e.child_uuid, e.priority, e.disclosure"
        " FROM paths AS p JOIN edges AS e ON e.id = p.edge_id"
    )
    assert found.addresses == {uri: tuple(said) for uri, *said in addresses}
    assert len(addresses) == 104
    assert found.contents == dict(db.rows("SELECT node_uuid, content FROM memories WHERE NOT deprecated"))
    keywords = set(db.rows("SELECT node_uuid, keyword FROM glossary_keywords"))
    assert {(node, keyword) for node, words in found.keywords.items() for keyword in words} == keywords


def test_they_are_the_documents_that_the_server_searched(db: Database, conformance: Path) -> None:
    found = as_of(db, NOON)
    documents = db.rows(
        f"SELECT uri, node_uuid, priority, disclosure, latest_content, glossary_keywords"
        f" FROM '{conformance}/tables/normalized_documents.parquet'"
    )
    stood = {
        uri: (*said, found.contents[said[0]], found.keywords.get(said[0], frozenset()))
        for uri, said in found.addresses.items()
        if said[0] in found.contents
    }
    assert stood == {uri: (*said, frozenset(words)) for uri, *said, words in documents}


def test_the_odd_ones_of_the_archive(db: Database) -> None:
    retired = (
        "SELECT c.valid_to IS NULL, c.certainty FROM content_versions AS c JOIN address_versions AS a USING (node_uuid)"
    )
    for uri in ("archive://retired_service", "archive://old_crm"):
        assert db.rows(f"{retired} WHERE uri = $uri", {"uri": uri}) == [(False, "assumed")], (
            "deprecated without an event"
        )
        assert uri in as_of(db, NOON).addresses
    assert db.rows("SELECT valid_from::VARCHAR, valid_to::VARCHAR, certainty FROM address_versions"
                   " WHERE uri = 'archive://to_delete'") == [
        ("2026-11-16 12:00:00+00", "2026-11-17 12:00:00+00", "assumed")
    ], "its creation is dated after its deletion"  # fmt: skip


def test_what_the_edits_changed_is_seen_before_and_after(db: Database) -> None:
    edited = "knowledge://ml/embeddings"
    before, after = as_of(db, "2026-11-26T20:00:00Z"), as_of(db, NOON)
    (node, priority, disclosure), now = before.addresses[edited], after.addresses[edited]
    assert (priority, now[1]) == (3, 2)
    assert (disclosure, now[2]) == ("When choosing an embedding model", "When choosing or replacing an embedding model")
    assert before.keywords[node] - after.keywords[node] == {"语义检索"}
    assert after.keywords[node] - before.keywords[node] == {"e5"}
    shared = "project://shared/webhook_rules"
    texts = db.rows(
        "SELECT right(c.content, 14) FROM content_versions AS c JOIN address_versions AS a USING (node_uuid)"
        " WHERE a.uri = $uri ORDER BY c.valid_from",
        {"uri": shared},
    )
    assert texts == [("y-dlq ID=...`.",), ("(HMAC-SHA256).",)], "an edit through one address is one of the memory"


def test_an_edge_that_no_event_explains_is_assumed(db: Database) -> None:
    said = db.rows("SELECT priority, certainty FROM address_versions WHERE uri = 'ops://cost'")
    assert said == [(6, "assumed")], "its only event says 5"
    assert history(db).certainty["address_versions"] == {"known": 104, "assumed": 2}


def test_no_rebuild_and_a_today_before_the_dates_ahead(db: Database) -> None:
    assert db.rows("SELECT * FROM rebuilds") == []
    assert history(db).gaps["views dated in the future"] == 2
    at = Clock.parse("today").resolved(db).at
    assert at is not None
    assert at.isoformat() == "2026-12-01T09:54:16.494000+00:00"
