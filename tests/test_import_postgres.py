"""Import from a real PostgreSQL with pgvector: the same tables, one snapshot, nothing written, no password said."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pg_server import SCHEMA, ask_for_a_password, in_database, run_sql, server

from workbench.errors import BadInput
from workbench.importers import ImportOptions, load
from workbench.importers.address import mask_address
from workbench.importers.postgres import with_timeout
from workbench.importers.staging import Staging
from workbench.store import TABLES, Database, in_memory

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.filterwarnings("ignore::platformdirs.unix.RuntimeDirWarning"),
]


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    with server() as address:
        run_sql(address, "CREATE DATABASE lore;")
        run_sql(address, SCHEMA, "lore")
        yield address


def contents(db: Database) -> dict[str, Any]:
    """Row count and a fingerprint of every table."""
    return {name: db.row(f"SELECT count(*), sum(hash(t)) FROM (SELECT * FROM {name}) AS t") for name in TABLES}


def test_an_older_server_is_read_with_its_types(postgres: str) -> None:
    with in_memory() as db:
        report = load(db, in_database(postgres, "lore"))
        assert report.kind == "postgresql"
        assert list(report.rejected) == []
        assert db.row("SELECT id, content FROM memories") == ("9007199254740993", "two\nlines")
        assert db.row("SELECT created_at FROM nodes") == (datetime(2025, 12, 31, 16, tzinfo=UTC),)
        assert db.row("SELECT embedding_vector, weight, metadata, fts FROM memory_views") == (
            [0.5, 1.0, -2.0], pytest.approx(0.96), '{"a":1}', "'a':1 'b':2",
        )  # fmt: skip
        assert db.rows("SELECT query_id, duration_ms FROM recall_queries ORDER BY 1") == [
            ("q1", None),
            ("q2", None),
            ("q3", None),
        ]
        assert db.rows("SELECT key FROM app_settings") == [("recall.display.max_display_items",)]
        assert any("embedding.api_key" in warning for warning in report.warnings)
        assert "geheim" not in str(report.as_json())
        again = load(db, in_database(postgres, "lore"))
        assert not any(counts.changed for counts in again.tables.values())


def test_old_rows_stay_on_the_server_when_asked(postgres: str) -> None:
    with in_memory() as db:
        load(db, in_database(postgres, "lore"), ImportOptions(since=datetime(2026, 1, 15, tzinfo=UTC)))
        assert db.rows("SELECT query_id FROM recall_queries ORDER BY 1") == [("q2",), ("q3",)]
        assert db.row("SELECT count(*) FROM memories") == (1,)


def test_one_snapshot_serves_all_tables(postgres: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run_sql(postgres, "CREATE DATABASE moving;")
    run_sql(postgres, SCHEMA, "moving")
    staged = Staging.add_batches

    def add_and_write(self: Staging, *arguments: Any, **named: Any) -> None:
        staged(self, *arguments, **named)
        run_sql(
            postgres,
            "INSERT INTO nodes VALUES ('late', now()); INSERT INTO paths VALUES ('x', 'late', 7, now());",
            "moving",
        )

    monkeypatch.setattr(Staging, "add_batches", add_and_write)
    with in_memory() as db:
        load(db, in_database(postgres, "moving"))
        assert db.rows("SELECT path FROM paths") == [("pay",)]
        assert db.rows("SELECT uuid FROM nodes") == [("n1",)]


def test_the_connection_cannot_write(postgres: str) -> None:
    from adbc_driver_postgresql import dbapi

    with dbapi.connect(in_database(postgres, "lore")) as connection, connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        with pytest.raises(dbapi.Error, match="read-only transaction"):
            cursor.execute("INSERT INTO nodes VALUES ('x', now())")


def test_what_cannot_be_read_is_said_without_the_password(postgres: str) -> None:
    for address, said in (
        ("postgresql://me:geheim@127.0.0.1:1/lore", "refused"),
        ("postgresql://me:geheim@no-such-host.invalid/lore", "no-such-host"),
        (in_database(postgres, "nothing"), "does not exist"),
        (in_database(postgres, "postgres"), "no tables of Lore"),
    ):
        with in_memory() as db, pytest.raises(BadInput) as told:
            load(db, address)
        message = str(told.value)
        assert said in message
        assert "geheim" not in message
        assert "\n" not in message


def test_a_wrong_password_is_said_without_it(postgres: str) -> None:
    run_sql(postgres, "CREATE ROLE reader LOGIN PASSWORD 'right';")
    ask_for_a_password(postgres, "reader")
    wrong = in_database(postgres, "lore").replace("postgres:@", "reader:geheim@")
    for _ in range(2):
        with in_memory() as db, pytest.raises(BadInput, match="password authentication failed") as told:
            load(db, wrong)
        assert "geheim" not in str(told.value)
        wrong = in_database(postgres, "lore").replace("postgres:@", "reader@") + "&password=geheim"


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("postgresql://me:secret@host/db", "postgresql://me:***@host/db"),
        ("postgresql://me:p@ss@host/db", "postgresql://me:***@host/db"),
        ("postgresql://host/db?user=me&password=secret", "postgresql://host/db?user=me&password=***"),
        ("host=h password='a b' dbname=d", "host=h password=*** dbname=d"),
        ("postgresql://me@host/db", "postgresql://me@host/db"),
    ],
)
def test_passwords_in_addresses_are_masked(text: str, masked: str) -> None:
    assert mask_address(text) == masked


def test_connecting_has_a_time_limit() -> None:
    assert with_timeout("postgresql://h/d") == "postgresql://h/d?connect_timeout=10"
    assert with_timeout("postgresql://h/d?a=b") == "postgresql://h/d?a=b&connect_timeout=10"
    assert with_timeout("postgresql://h/d?connect_timeout=3") == "postgresql://h/d?connect_timeout=3"


@pytest.mark.conformance
def test_dump_database_and_tables_give_the_same_rows(postgres: str, conformance: Path) -> None:
    sql = gzip.decompress((conformance / "lore_dump.sql.gz").read_bytes()).decode()
    sql = re.sub(r"(?m)^\\(un)?restrict.*$", "", sql).replace("OWNER TO lore", "OWNER TO postgres")
    run_sql(postgres, "CREATE DATABASE golden;")
    run_sql(postgres, sql, "golden")
    found = []
    for source in (in_database(postgres, "golden"), str(conformance / "lore_dump.sql.gz"), str(conformance / "tables")):
        with in_memory() as db:
            assert list(load(db, source).rejected) == []
            found.append(contents(db))
    without_events = [{name: rows for name, rows in one.items() if name != "recall_events"} for one in found]
    assert without_events[0] == without_events[1] == without_events[2]
    assert found[0]["recall_events"][0] == 0
    assert found[2]["recall_events"][0] == 84_666
