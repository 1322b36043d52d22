"""Adding, editing and removing memories: one publication each, after which recall and search find what was written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from workbench import jobs
from workbench.errors import BadInput, WorkbenchError
from workbench.memories import rows
from workbench.memories.memory import Edit, Memory, split_uri
from workbench.memories.states import State, state_of
from workbench.store import Database, reading, writing
from workbench.text import shown

Progress = Callable[[int, int | None, str], None]


def silent(done: int, total: int | None, what: str) -> None:
    """Progress that nobody watches."""


@dataclass(frozen=True)
class Changed:
    """What one command did: `action` is added, updated, unchanged or removed; `uris` are the addresses concerned;
    `notes` say what is left to do."""

    action: str
    uris: tuple[str, ...]
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The document of the command."""
        return {"action": self.action, "uris": list(self.uris), "notes": list(self.notes)}


def add_memory(path: Path, memory: Memory, progress: Progress = silent) -> Changed:
    """Write a new memory into the store at `path`, which is made where there is none.

    BadInput when its address holds a memory already, or `created` is a time to come.
    """
    now = _now()
    not_to_come(memory, now)
    with publishing(path, f"adding {memory.uri}", progress) as (db, notes):
        held = state_of(db, memory.uri)
        if held and held.active:
            raise BadInput(
                f"{shown(memory.uri)} holds a memory already; change it with `workbench memory edit` or choose another "
                "address."
            )
        rows.create(db, held, memory, now)
    return Changed("added", (memory.uri,), tuple(notes))


def edit_memory(path: Path, uri: str, edit: Edit, progress: Progress = silent) -> Changed:
    """Change a memory of the store at `path`; its former text is kept. BadInput when there is none at the address."""
    split_uri(uri)
    with reading(path) as db:
        state = present(db, uri)
        if state.holds(edit.of(_memory(state))):
            return Changed("unchanged", (uri,))
    with publishing(path, f"editing {uri}", progress) as (db, notes):
        state = present(db, uri)
        rows.update(db, state, edit.of(_memory(state)), _now())
    return Changed("updated", (uri,), tuple(notes))


def remove_memory(path: Path, uri: str, progress: Progress = silent) -> Changed:
    """Take a memory away from all its addresses; its texts and events are kept. BadInput when there is none."""
    split_uri(uri)
    with reading(path) as db:
        present(db, uri)
    with writing(path, f"removing {uri}") as db:
        gone = rows.delete(db, present(db, uri), _now())
        progress(0, None, "rebuilding views and index")
        jobs.follow_memories(db)
    return Changed("removed", tuple(gone))


def present(db: Database, uri: str) -> State:
    """The memory at an address; BadInput where there is none."""
    state = state_of(db, uri)
    if state is None or not state.active:
        was = "was removed" if state else "does not exist"
        raise BadInput(f"The memory {shown(uri)} {was}; `workbench memory list` shows those there are.")
    return state


@contextmanager
def publishing(path: Path, purpose: str, progress: Progress) -> Iterator[tuple[Database, list[str]]]:
    """A publication of written memories: views, text index and vectors follow them.

    Yields the draft and a list that holds, afterwards, what is left to do. Vectors come after the publication: what was
    written stays where an embedder cannot be reached.
    """
    notes: list[str] = []
    with writing(path, purpose) as db:
        yield db, notes
        progress(0, None, "rebuilding views and index")
        jobs.follow_memories(db)
    try:
        if jobs.embed_new(path, progress):
            return
        notes.append("Recall finds it by words; `workbench embed` adds the signals of meaning.")
    except WorkbenchError as error:
        notes.append(f"Its vectors are missing ({str(error).removesuffix('.')}); run `workbench embed` later.")


def not_to_come(memory: Memory, now: datetime) -> None:
    """BadInput where a memory claims to be written after `now`."""
    if memory.created and memory.created > now:
        raise BadInput(f"{shown(memory.uri)} is said to be created at {memory.created.isoformat()}, which is to come.")


def _memory(state: State) -> Memory:
    return Memory(state.uri, state.content or "", state.priority, state.disclosure, tuple(state.keywords))


def _now() -> datetime:
    return datetime.now(UTC)
