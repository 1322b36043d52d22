"""A log in which memories are missed, and what says so."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from memory_store import NOW, Memories
from small_log import Candidate, Row, add_query, derive

from workbench.params import Params
from workbench.replay.run import Settings
from workbench.replay.selection import Selection
from workbench.review import Missed, Review, missed
from workbench.store import Database
from workbench.textsearch import tokenizer

TARGET = "project://target"
ASKED = NOW
SETTINGS = Settings(Params.default(), Params.default())


def opened(
    db: Database, uri: str, session: str = "s1", at: datetime = ASKED + timedelta(minutes=1), **given: Any
) -> None:
    """An agent opened a memory."""
    (number,) = db.row("SELECT count(*) FROM wb.agent_opens")
    row = {"open_id": f"o{number}", "source": "claudecode", "client_type": "claudecode", "session_id": session,
           "opened_at": at, "uri": uri, "given_session_id": None, "given_query_id": None, "found": True}  # fmt: skip
    db.append("wb.agent_opens", [row | given])


def searched(db: Database, *uris: str, session: str = "s1", at: datetime = ASKED + timedelta(seconds=30)) -> None:
    """An agent searched and was given these addresses."""
    row = {"search_id": "f1", "source": "claudecode", "client_type": "claudecode", "session_id": session,
           "searched_at": at, "query_text": "x", "uris": list(uris)}  # fmt: skip
    db.append("wb.agent_searches", [row])


def answered(db: Database, query_id: str, uri: str, grade: str = "yes") -> None:
    """An operator answered."""
    row = {"label_id": f"{query_id} {uri}", "query_id": query_id, "uri": uri, "node_uuid": None, "grade": grade,
           "labelled_by": "ann", "labelled_at": NOW, "memory_digest": None, "source": "label"}  # fmt: skip
    db.append("wb.hand_labels", [row])


def logged(
    db: Database,
    query_id: str = "q1",
    candidates: Sequence[Candidate] = (),
    text: str = "how are refunds deduplicated",
    at: datetime = ASKED,
    **more: Any,
) -> None:
    """One logged prompt."""
    add_query(db, query_id, candidates, text=text, now=at.isoformat(), **more)


def at_score(uri: str, score: float, **more: Any) -> Candidate:
    """A candidate with this logged score; its one signal is an exact match, of whatever strength that takes."""
    return Candidate(uri, [Row("exact", score)], {"exact": score, "priority": 0.0}, score, **more)


def review(words: str = "simple", model: str | None = None, **more: Any) -> Review:
    """How misses are looked for."""
    return Review(SETTINGS, tokenizer(words), model, **more)


def found(store: Memories, chosen: Review | None = None, selection: Selection | None = None, **more: Any) -> Missed:
    """Derive the log and look for misses."""
    derive(store.db)
    return missed(store.db, selection or Selection(), chosen or review(), **more)


def only(result: Missed) -> dict[str, Any]:
    """The one miss of the one memory that was missed."""
    (memory,) = result.memories
    (miss,) = memory.misses
    return miss
