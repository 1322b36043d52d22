"""What agents did beyond the log: their prompts linked to logged queries, and what they opened by themselves."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from workbench.judge.marks import Log, Reason, judged_open, normalised_address
from workbench.store import Database, compose, sql_text
from workbench.text import trimmed

LINKED_PROMPTS = "linked_prompts"
PLACED_OPENS = "placed_opens"
MISS_EVIDENCE = "miss_evidence"
_JUDGED = "judged_opens"
_COUNTED = (Reason.COUNTED, Reason.AGAIN)
_COLUMNS = {"open_id": pa.string(), "address": pa.string(), "reason": pa.string(), "counted": pa.bool_()}

_STEPS = (
    ("agent_sessions", ("judge/agent_sessions",)),
    (LINKED_PROMPTS, ("logged/traffic", "judge/linked_prompts")),
    ("turns", ("logged/traffic", "judge/turns")),
    ("address_nodes", ("logged/memory_now", "judge/address_nodes")),
    (PLACED_OPENS, ("judge/placed_opens",)),
    (MISS_EVIDENCE, ("boot_uris", "judge/miss_evidence")),
)


@dataclass(frozen=True)
class Misses:
    """How many logged queries an agent was seen to ask, by the way they were linked, and how many (query, node) pairs
    an agent opened that the server does not count: after a search or without valid identifiers; `of_these_shown` were
    shown all the same."""

    linked_by_query_id: int
    linked_by_time: int
    opened_after_search: int
    opened_unlinked: int
    of_these_shown: int


def write_misses(db: Database) -> Misses:
    """Write the temporary tables linked_prompts, placed_opens and miss_evidence (see the files of the same name in
    sql/judge) from what agents did; all are empty where no transcript was imported."""
    _judge_opens(db)
    for name, stages in _STEPS:
        db.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS {compose(stages)}")
    return Misses(*db.row(sql_text("judge/miss_counts")))


def log_of(db: Database, queries: str = "SELECT query_id FROM wb.logged_queries") -> Log:
    """What opens are held against, from the store: the logged queries that the statement `queries` names, with the
    addresses that each showed, and every address of now or of the log with its node."""
    named = f"SELECT query_id FROM wb.logged_queries WHERE query_id IN ({queries})"
    shown: dict[str, set[str]] = {query: set() for (query,) in db.rows(named)}
    for query, uri in db.rows(
        f"SELECT query_id, uri FROM wb.logged_candidates WHERE logged_shown AND query_id IN ({queries})"
    ):
        if query in shown:
            shown[query].add(uri)
    select = "SELECT uri, coalesce(node_uuid, uri) FROM {last}"
    nodes = db.rows(compose(("logged/memory_now", "judge/address_nodes"), select))
    return Log(shown, dict(nodes))


def _judge_opens(db: Database) -> None:
    """Write judged_opens: what the server makes of each open, in the order of time."""
    used, rows = set[tuple[str, str]](), []
    opens = db.rows(sql_text("judge/told_opens"))
    log = log_of(db, "SELECT trim(given_query_id) FROM wb.agent_opens") if opens else Log({}, {})
    for open_id, uri, query_id, found in opens:
        reason = judged_open(log, uri, query_id, used)
        if found is False and reason in (*_COUNTED, Reason.ALIAS, Reason.NOT_SHOWN):
            reason = Reason.NO_MEMORY
        if reason is Reason.COUNTED:
            used.add((trimmed(query_id), normalised_address(uri)))
        address = normalised_address(uri)
        rows.append({"open_id": open_id, "address": address, "reason": reason.value, "counted": reason in _COUNTED})
    db.register("judged_rows", pa.Table.from_pylist(rows, pa.schema([*_COLUMNS.items()])))
    db.execute(f"CREATE OR REPLACE TEMP TABLE {_JUDGED} AS SELECT * FROM judged_rows")
    db.unregister("judged_rows")
