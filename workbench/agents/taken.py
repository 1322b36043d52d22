"""From the inbox into the store: the server's own rows of each recall, and what agents did."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from workbench.agents import records
from workbench.agents.marks import mark_uses
from workbench.replay.logged import materialise, settings_in_force
from workbench.store import TABLES, Database
from workbench.store.inbox import Handler
from workbench.store.tables import Kind

SERVICE = "service"
ARRIVED = "arrived_queries"
# Behind every id that a server has given, so that a later import replaces none of these rows.
_FIRST_ID = 10**18
_ARROW = {Kind.INTEGER: pa.int32(), Kind.REAL: pa.float32(), Kind.BOOLEAN: pa.bool_(), Kind.TIME: pa.string()}
_EXACT_FLAGS = {
    "path_exact_hit": 1,
    "glossary_exact_hit": 2,
    "glossary_text_hit": 4,
    "query_contains_glossary_hit": 8,
}
_LEXICAL_FLAGS = {"fts_hit": 1, "text_hit": 2, "uri_hit": 4}
_TOGETHER = 200


def settle(db: Database) -> None:
    """Once all entries are taken in: mark what was used of the queries that arrived or that something was opened for,
    and derive what a replay reads of them."""
    if not db.rows("SELECT 1 FROM duckdb_tables() WHERE table_name = $name", {"name": ARRIVED}):
        return
    mark_uses(db, ARRIVED)
    materialise(db, settings_in_force(db).params, f"SELECT query_id FROM {ARRIVED}")
    db.execute(f"DROP TABLE {ARRIVED}")


def take_recalls(db: Database, entries: Sequence[Mapping[str, Any]]) -> None:
    """Write the rows that the server would have written: query, candidates, events; and what the agent saw."""
    (next_id,) = db.row(
        "SELECT greatest($first, coalesce(max(try_cast(id AS HUGEINT)) + 1, 0))::BIGINT FROM recall_events"
        " WHERE try_cast(id AS HUGEINT) >= $first",
        {"first": _FIRST_ID},
    )
    for start in range(0, len(entries), _TOGETHER):
        chunk = entries[start : start + _TOGETHER]
        _append(db, "recall_queries", map(_query, chunk))
        _append(db, "recall_query_candidates", (row for entry in chunk for row in _candidates(entry)))
        events = [row for entry in chunk for row in _events(entry)]
        for number, row in enumerate(events):
            row["id"] = str(next_id + number)
        next_id += len(events)
        _append(db, "recall_events", events)
    take_prompts(db, [{**entry, "session_id": entry["agent_session"]} for entry in entries if not entry["startup"]])
    _insert(db, "wb.agent_recalls", (_seen(entry) for entry in entries if _shown(entry)))
    _insert(db, "wb.recall_arms", (_arm(entry) for entry in entries if entry["arm"]))
    _arrived(db, [entry["query_id"] for entry in entries])


def take_prompts(db: Database, entries: Sequence[Mapping[str, Any]]) -> None:
    """Write the prompts that agents were given."""
    _insert(
        db,
        "wb.agent_prompts",
        (
            {
                **_who(entry),
                "prompt_id": entry["query_id"],
                "prompted_at": entry["at"],
                "query_text": entry["query_text"],
            }
            for entry in entries
        ),
    )


def take_searches(db: Database, entries: Sequence[Mapping[str, Any]]) -> None:
    """Write the searches on demand."""
    _insert(
        db,
        "wb.agent_searches",
        (
            {
                **_who(entry), "search_id": entry["search_id"], "searched_at": entry["at"],
                "query_text": entry["query_text"], "uris": entry["uris"],
            }
            for entry in entries
        ),
    )  # fmt: skip


def take_opens(db: Database, entries: Sequence[Mapping[str, Any]]) -> None:
    """Write the opens; what they are to their queries is settled when all entries are in."""
    _insert(
        db,
        "wb.agent_opens",
        (
            {
                **_who(entry), "open_id": entry["open_id"], "opened_at": entry["at"], "uri": entry["uri"],
                "given_session_id": entry["given_session_id"], "given_query_id": entry["given_query_id"],
                "found": entry["node_uuid"] is not None,
            }
            for entry in entries
        ),
    )  # fmt: skip
    _arrived(db, [entry["given_query_id"] for entry in entries if entry["given_query_id"]])


def take_usage(db: Database, entries: Sequence[Mapping[str, Any]]) -> None:
    """Write the reports that memories were used."""
    _insert(
        db,
        "wb.usage_reports",
        (
            {
                "report_id": entry["report_id"], "query_id": entry["query_id"], "uris": entry["uris"],
                "reported_by": entry["reported_by"], "session_id": entry["session_id"],
                "client_type": entry["client_type"], "preview": entry["preview"], "reported_at": entry["at"],
            }
            for entry in entries
        ),
    )  # fmt: skip
    _arrived(db, [entry["query_id"] for entry in entries])


# In the order in which a publication takes them in.
HANDLERS: dict[str, Handler] = {
    records.RECALL: take_recalls,
    records.PROMPT: take_prompts,
    records.SEARCH: take_searches,
    records.OPEN: take_opens,
    records.USAGE: take_usage,
}


def _arrived(db: Database, queries: Sequence[str]) -> None:
    db.execute(f"CREATE TEMP TABLE IF NOT EXISTS {ARRIVED} (query_id VARCHAR)")
    if queries:
        db.append(ARRIVED, pa.table({"query_id": pa.array([*queries], pa.string())}))


def _insert(db: Database, table: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """Insert rows whose columns may all be empty, by name."""
    found = list(rows)
    if not found:
        return
    columns = {name: pa.array([row[name] for row in found]) for name in found[0]}
    db.append(table, pa.table({name: c.cast(pa.string()) if c.type == pa.null() else c for name, c in columns.items()}))


def _append(db: Database, table: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """Insert rows into one of Lore's tables; what a row does not name is NULL."""
    found = list(rows)
    if found:
        kinds = {column.name: column.kind for column in TABLES[table].columns}
        arrays = {
            name: pa.array([row[name] for row in found], _ARROW.get(kinds[name], pa.string())) for name in found[0]
        }
        db.append(table, pa.table(arrays))


def _who(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {"source": SERVICE, "client_type": entry["client_type"], "session_id": entry["session_id"]}


def _shown(entry: Mapping[str, Any]) -> list[str]:
    """The addresses in the block, in their order."""
    shown = [row for row in entry["candidates"] if row["shown"]]
    return [row["uri"] for row in sorted(shown, key=lambda row: row["displayed_position"])]


def _seen(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "recall_id": entry["query_id"],
        "source": SERVICE,
        "client_type": entry["client_type"],
        "session_id": entry["agent_session"],
        "prompt_id": None if entry["startup"] else entry["query_id"],
        "query_id": entry["query_id"],
        "seen_at": entry["at"],
        "uris": _shown(entry),
    }


def _arm(entry: Mapping[str, Any]) -> dict[str, Any]:
    arm = entry["arm"]
    return {
        "query_id": entry["query_id"], "session_id": entry["agent_session"], "arm": arm["name"], "seed": arm["seed"],
        "share": arm["share"], "config": json.dumps(arm["config"]),
    }  # fmt: skip


def _query(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "query_id": entry["query_id"],
        "query_text": entry["query_text"],
        "session_id": entry["session_id"],
        "client_type": entry["client_type"],
        "merged_count": len(entry["candidates"]),
        "shown_count": len(_shown(entry)),
        "used_count": 0,
        "duration_ms": entry["duration_ms"],
        "created_at": entry["at"],
    }


def _candidates(entry: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "query_id": entry["query_id"],
            "node_uri": row["uri"],
            "client_type": entry["client_type"],
            "final_rank_score": row["score"],
            "selected": row["shown"],
            "used_in_answer": False,
            "ranked_position": row["ranked_position"],
            "displayed_position": row["displayed_position"],
            "created_at": entry["at"],
        }
        for row in entry["candidates"]
    ]


def _events(entry: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One row a signal row, with the server's metadata; what rows have in common is written once."""
    shared = {name: entry[name] for name in ("query_id", "session_id", "client_type")}
    of_query = _members({**shared, "retrieval_meta": entry["meta"]})
    candidates = {row["uri"]: (row, of_query + ", " + _members(_of_candidate(row))) for row in entry["candidates"]}
    common = {"id": "", "query_text": entry["query_text"], "used_in_answer": False, "created_at": entry["at"], **shared}
    return [common | _event(*candidates[row[0]], row) for row in entry["rows"] if row[0] in candidates]


def _of_candidate(candidate: Mapping[str, Any]) -> dict[str, Any]:
    places = {name: candidate[name] for name in ("ranked_position", "displayed_position")}
    return {**places, "matched_on": candidate["matched_on"], "score_breakdown": candidate["breakdown"]}


def _event(candidate: Mapping[str, Any], said: str, row: Sequence[Any]) -> dict[str, Any]:
    uri, signal, view_type, raw, weight, cues, flags = row
    own = {"raw_score": raw, "source_weight": weight, "cue_terms": cues, **_particulars(signal, cues, flags)}
    return {
        "node_uri": uri,
        "retrieval_path": signal,
        "view_type": "exact" if signal == "exact" else view_type,
        "pre_rank_score": None if raw is None else raw * (weight or 1),
        "final_rank_score": candidate["score"],
        "selected": candidate["shown"],
        "metadata": f"{{{said}, {_members(own)}}}",
        "ranked_position": candidate["ranked_position"],
        "displayed_position": candidate["displayed_position"],
    }


def _members(part: Mapping[str, Any]) -> str:
    """The members of a JSON object, without its braces."""
    return json.dumps(part, ensure_ascii=False)[1:-1]


def _particulars(signal: str, cues: Sequence[str], flags: int) -> dict[str, Any]:
    """What only the rows of one signal say."""
    if signal == "exact":
        return {
            "glossary_terms": cues,
            "exact_flags": {name: bool(flags & bit) for name, bit in _EXACT_FLAGS.items()},
        }
    if signal == "glossary_semantic":
        return {"glossary_terms": cues}
    lexical = {"lexical_flags": {name: bool(flags & bit) for name, bit in _LEXICAL_FLAGS.items()}}
    return {"llm_refined": False, **(lexical if signal == "lexical" else {})}
