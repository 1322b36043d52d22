"""Memories as the tables of a store hold them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from workbench.memories.memory import Memory, snapshot
from workbench.store import Database, Stage, compose

STATES: tuple[Stage, ...] = ("logged/memory_now", "memories/memory_states")


@dataclass(frozen=True)
class State:
    """An address and what it leads to; `memory_id` is None where the memory was removed."""

    uri: str
    domain: str
    path: str
    edge_id: str
    parent_uuid: str | None
    node_uuid: str
    memory_id: str | None
    content: str | None
    priority: int
    disclosure: str
    created_at: datetime | None
    keywords: list[str]

    @property
    def active(self) -> bool:
        """Whether a memory is there."""
        return self.memory_id is not None

    def snapshot(self) -> dict[str, Any]:
        """What a memory event keeps of it."""
        return snapshot(self.content, self.priority, self.disclosure, self.keywords)

    def holds(self, memory: Memory) -> bool:
        """Whether it says what `memory` says; keywords in any order."""
        return (self.content, self.priority, self.disclosure, sorted(self.keywords)) == (
            memory.content, memory.priority, memory.disclosure, sorted(memory.keywords),
        )  # fmt: skip


def states(db: Database) -> dict[str, State]:
    """All addresses of the store."""
    return {state.uri: state for state in _read(db, "true", {})}


def state_of(db: Database, uri: str) -> State | None:
    """What stands at an address; None where nothing ever did."""
    found = _read(db, "uri = $uri", {"uri": uri})
    return found[0] if found else None


def addresses_of(db: Database, node: str) -> list[str]:
    """Every address of a node, in order."""
    return [state.uri for state in _read(db, "node_uuid = $node", {"node": node})]


def _read(db: Database, condition: str, bound: dict[str, Any]) -> list[State]:
    names = ", ".join(field.name for field in fields(State))
    return [
        State(*row)
        for row in db.rows(compose(STATES, f"SELECT {names} FROM {{last}} WHERE {condition} ORDER BY uri"), bound)
    ]
