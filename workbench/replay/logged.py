"""The logged recalls in the shape that a replay reads: derived once for each import, kept in schema wb."""

from __future__ import annotations

from workbench.params import Params
from workbench.params.settings import ImportedSettings, from_app_settings
from workbench.retrieve.versions import build_versions
from workbench.store import Database, compose, sql_text

_CANDIDATES = (
    "boot_uris",
    "logged/memory_now",
    "logged/signal_rows",
    "merge",
    "logged/logged_facts",
    "logged/candidates",
    "score",
    "logged/logged_candidates",
)

_WITHOUT_SIGNALS = ("boot_uris", "logged/memory_now", "logged/unlogged_candidates")


def settings_in_force(db: Database) -> ImportedSettings:
    """The configuration that the imported server ran with; defaults where the store holds no settings."""
    return from_app_settings(db.rows("SELECT key, value FROM app_settings ORDER BY key"))


def materialise(db: Database, in_force: Params, queries: str = "SELECT query_id FROM recall_queries") -> int:
    """Derive wb.logged_queries and wb.logged_candidates anew for the queries that the statement `queries` names.

    Runs inside a publication. Returns the number of candidates written.
    """
    build_versions(db)
    db.execute(f"CREATE OR REPLACE TEMP TABLE touched AS SELECT DISTINCT query_id FROM ({queries})")
    db.execute(f"CREATE OR REPLACE TEMP TABLE logged_events AS {sql_text('logged/logged_events')}")
    db.execute(f"CREATE OR REPLACE TEMP TABLE unlogged AS {sql_text('logged/unlogged')}")
    db.execute(f"CREATE OR REPLACE TEMP TABLE queries AS {sql_text('logged/queries')}")
    for table in ("wb.logged_queries", "wb.logged_candidates"):
        db.execute(f"DELETE FROM {table} WHERE query_id IN (SELECT query_id FROM touched)")
    db.execute("INSERT INTO wb.logged_queries BY NAME SELECT * FROM queries ORDER BY now, query_id")
    select = "SELECT * FROM {last} ORDER BY query_id, priority, uri_order"
    before = _count(db)
    bound = in_force.bindings() | {"gist_weight": None, "question_weight": None, "recency_enabled": False}
    db.execute(f"INSERT INTO wb.logged_candidates BY NAME {compose(_CANDIDATES, select)}", bound)
    db.execute(f"INSERT INTO wb.logged_candidates BY NAME {compose(_WITHOUT_SIGNALS)}")
    for table in ("touched", "logged_events", "unlogged", "queries"):
        db.execute(f"DROP TABLE {table}")
    return _count(db) - before


def _count(db: Database) -> int:
    count: int = db.row("SELECT count(*) FROM wb.logged_candidates")[0]
    return count
