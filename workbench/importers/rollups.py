"""Queries and candidates derived from recall events, where no source held them."""

from __future__ import annotations

from workbench.importers.upsert import Counts
from workbench.store import Database, compose

_TO_DERIVE = """
CREATE OR REPLACE TEMP TABLE to_derive AS
SELECT DISTINCT a.query_id
FROM attributed AS a
SEMI JOIN changed_events AS c ON c.id = a.id
WHERE a.query_id NOT IN (SELECT query_id FROM recall_queries)
    OR a.query_id IN (SELECT query_id FROM wb.derived_queries)
"""


def derive_rollups(db: Database, changed_events: str, counts: dict[str, Counts]) -> int:
    """Derive the rollups of queries with events in the table `changed_events` (id) that only events speak of.

    Adds what was derived to `counts` and returns how many event rows name no query. Leaves the temporary table
    attributed (attributed.sql).
    """
    db.execute(f"CREATE OR REPLACE TEMP TABLE changed_events AS SELECT id FROM {changed_events}")
    db.execute(f"CREATE OR REPLACE TEMP TABLE attributed AS {compose(('import/attributed',))}")
    _forget_what_a_source_now_holds(db)
    db.execute(_TO_DERIVE)
    for table, stage in (
        ("recall_query_candidates", "import/derived_candidates"),
        ("recall_queries", "import/derived_queries"),
    ):
        known = _count(db, table)
        db.execute(f"DELETE FROM {table} WHERE query_id IN (SELECT query_id FROM to_derive)")
        db.execute(f"INSERT INTO {table} BY NAME {compose((stage,))}")
        counts.setdefault(table, Counts()).derived += _count(db, table) - known
    db.execute("DELETE FROM wb.derived_queries WHERE query_id IN (SELECT query_id FROM to_derive)")
    db.execute("INSERT INTO wb.derived_queries SELECT query_id FROM to_derive")
    return _count(db, "recall_events") - _count(db, "attributed")


def _forget_what_a_source_now_holds(db: Database) -> None:
    """A query that a source has delivered since is no longer a derived one."""
    db.execute(
        "DELETE FROM wb.derived_queries"
        " WHERE query_id IN (SELECT query_id FROM recall_query_candidates WHERE id IS NOT NULL)"
    )


def _count(db: Database, table: str) -> int:
    count: int = db.row(f"SELECT count(*) FROM {table}")[0]
    return count
