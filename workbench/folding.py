"""What arrived one by one, taken into the store: every kind of inbox entry with its handler, in their order."""

from __future__ import annotations

from pathlib import Path

from workbench.agents import taken
from workbench.judge import hand
from workbench.store import Database, Inbox, writing
from workbench.store.inbox import Handler

# The one registry: a kind of entry that stands here is taken in by the next publication, whoever makes it.
HANDLERS: dict[str, Handler] = {**taken.HANDLERS, hand.KIND: hand.take}


def fold(path: Path) -> int:
    """Publish the store at `path` with all that waits in its inbox; how many entries there were."""
    with writing(path, "taking in what arrived") as db:
        return fold_into(db, path)


def fold_into(db: Database, path: Path) -> int:
    """Take the entries that wait for the store at `path` into `db`, its draft; how many there were."""
    count = Inbox(path).fold(db, HANDLERS)
    taken.settle(db)
    return count


def waiting(path: Path) -> int:
    """How many entries the store at `path` has not taken in yet."""
    with Inbox(path).pending() as (_, entries):
        return len(entries)
