"""The memories of a store, all of them or one with its history."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from workbench.errors import BadInput
from workbench.memories.memory import split_uri
from workbench.memories.states import STATES, addresses_of, state_of
from workbench.store import Database, compose, reading, sql_text
from workbench.text import shown


def list_memories(path: Path, domain: str | None = None, text: str | None = None) -> list[dict[str, Any]]:
    """The memories there are, by address: {uri, priority, disclosure, keywords, characters, created_at}; those of one
    domain, or that hold `text` in their address, content, disclosure or keywords, whatever its case."""
    with reading(path) as db:
        return _mappings(db, compose((*STATES, "memories/listed")), {"domain": domain, "text": text})


def show_memory(path: Path, uri: str) -> dict[str, Any]:
    """One address: {uri, removed, content, priority, disclosure, keywords, created_at, addresses, versions, events}.

    `versions` are all its texts, oldest first, `events` all that happened to it. BadInput where nothing ever stood.
    """
    split_uri(uri)
    with reading(path) as db:
        state = state_of(db, uri)
        if state is None:
            raise BadInput(f"The memory {shown(uri)} does not exist; `workbench memory list` shows those there are.")
        node = {"node": state.node_uuid}
        return {
            "uri": uri,
            "removed": not state.active,
            "content": state.content,
            "priority": state.priority,
            "disclosure": state.disclosure,
            "keywords": state.keywords,
            "created_at": state.created_at,
            "addresses": addresses_of(db, state.node_uuid),
            "versions": _mappings(db, sql_text("memories/versions"), node),
            "events": _mappings(db, sql_text("memories/events"), node),
        }


def _mappings(db: Database, statement: str, bound: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = db.arrow(statement, bound).to_pylist()
    return found
