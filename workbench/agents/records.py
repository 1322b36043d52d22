"""What is kept of a recall, a search, an open and a report of use, as entries of the inbox.

A recall's entry holds every signal row and every ranked candidate once; workbench.agents.taken makes the server's rows
of them. Times are ISO 8601 in UTC with milliseconds, the precision that ages are computed with.
"""

from __future__ import annotations

import math
import uuid
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from workbench.agents.requests import Caller
from workbench.replay.live import Asked, Recall
from workbench.text import trimmed

STARTUP_SESSION = "boot"
RECALL, PROMPT, SEARCH, OPEN, USAGE = "recall", "prompt", "search", "open", "usage"
TERMS = ("exact", "glossary_semantic", "semantic", "lexical", "lexical_damp", "view", "priority", "multi_view")


def new_id() -> str:
    """An identifier that nothing else has."""
    return str(uuid.uuid4())


def now() -> datetime:
    """The present instant, to the millisecond."""
    at = datetime.now(UTC)
    return at.replace(microsecond=at.microsecond // 1000 * 1000)


def stamp(at: datetime) -> str:
    """`at` as it is kept."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def recall_entry(
    asked: Asked, found: Recall, caller: Caller, duration_ms: int, *, startup: bool, arm: Mapping[str, Any] | None
) -> dict[str, Any]:
    """The entry of a recall whose answer is given. `asked` carries the identifiers of the block, `caller` the session
    that the agent is in."""
    return {
        "query_id": asked.query_id,
        "query_text": found.query.text,
        # What a session starts with is no prompt of it, whatever its block says.
        "session_id": STARTUP_SESSION if startup else asked.session_id,
        "agent_session": caller.session_id,
        "client_type": caller.client,
        "at": stamp(asked.now),
        "duration_ms": duration_ms,
        "startup": startup,
        "arm": dict(arm) if arm else None,
        "meta": found.meta,
        "candidates": [_candidate(row) for row in found.candidates],
        "rows": [_row(row) for row in found.signal_rows],
    }


def _candidate(row: Mapping[str, Any]) -> dict[str, Any]:
    kept = {
        name: row[name] for name in ("uri", "score", "shown", "ranked_position", "displayed_position", "matched_on")
    }
    breakdown = {name: row[name] for name in TERMS}
    if row["recency"] is not None:
        breakdown["recency"] = row["recency"]
    return {**kept, "breakdown": breakdown}


def _row(row: Mapping[str, Any]) -> list[Any]:
    raw = row["raw_score"]
    return [
        row["uri"], row["signal"], row["view_type"], raw if math.isfinite(raw) else None, row["weight"],
        row["cue_terms"] or [], row["flags"] or 0,
    ]  # fmt: skip


def prompt_entry(asked: Asked, text: str, caller: Caller) -> dict[str, Any]:
    """The entry of a prompt that no recall was given for: it took too long."""
    return {
        "query_id": asked.query_id,
        "query_text": text,
        "session_id": caller.session_id,
        "client_type": caller.client,
        "at": stamp(asked.now),
    }


def search_entry(query: str, uris: Sequence[str], caller: Caller, at: datetime) -> dict[str, Any]:
    """The entry of a search on demand with the addresses that it returned."""
    return {
        "search_id": new_id(),
        "query_text": query,
        "uris": [*uris],
        "session_id": caller.session_id,
        "client_type": caller.client,
        "at": stamp(at),
    }


def open_entry(
    uri: str, node: str | None, caller: Caller, at: datetime, given: tuple[str | None, str | None]
) -> dict[str, Any]:
    """The entry of a call that opened a memory; `node` is None where there was none, `given` are the session_id and
    query_id that were handed over, which are kept trimmed, as the server looks them up."""
    return {
        "open_id": new_id(),
        "uri": uri,
        "node_uuid": node,
        "session_id": caller.session_id,
        "client_type": caller.client,
        "given_session_id": trimmed(given[0] or "") or None,
        "given_query_id": trimmed(given[1] or "") or None,
        "at": stamp(at),
    }


def usage_entry(
    query_id: str, uris: Sequence[str], reported_by: str, caller: Caller, at: datetime, preview: str | None
) -> dict[str, Any]:
    """The entry of a report that memories were used; without addresses it speaks of all that were shown."""
    return {
        "report_id": new_id(),
        "query_id": query_id,
        "uris": [*uris],
        "reported_by": reported_by,
        "session_id": caller.session_id,
        "client_type": caller.client,
        "preview": preview,
        "at": stamp(at),
    }
