"""What a simulated server is like: a frozen set of numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from workbench.errors import BadInput


@dataclass(frozen=True)
class Client:
    """An agent: its share of the sessions, how often it hands the ids of a recall on when it opens a memory, how often
    it marks all that a recall showed when it ends, and how much more often than others its prompts need a memory."""

    share: float
    links: float
    blanket: float = 0.002
    asks: float = 1.0


_CLIENTS = {
    "claudecode": Client(0.14, 0.95, asks=1.6),
    "codex": Client(0.36, 0.30),
    "openclaw": Client(0.30, 0.25),
    "pi": Client(0.20, 0.0, blanket=0.025),
}


@dataclass(frozen=True)
class World:
    """One kind of world: every memory has a subject, a prompt needs one memory or none, and a needed memory that was
    shown is opened with probability `opens`.

    Shares are of the typed prompts: `needs` need a memory, `vague` of these hardly name it, `long` are cut at the
    query limit. `common_keywords` is the share of memories that carry a word which prompts use all the time.
    `edited` is the share of memories that were written anew before the log starts. `row_limit` is how many rows a
    signal returns. Vectors have `dimensions` numbers; `noise` is the share of a
    prompt's vector that has nothing to do with its subject.
    """

    prompts: int = 1500
    days: int = 42
    start: datetime = datetime(2026, 10, 12, tzinfo=UTC)
    memories: int = 140
    needs: float = 0.09
    vague: float = 0.85
    long: float = 0.03
    opens: float = 0.85
    slow: float = 0.006
    common_keywords: float = 0.7
    edited: float = 0.15
    row_limit: int = 24
    dimensions: int = 48
    noise: float = 0.2
    clients: Mapping[str, Client] = field(default_factory=lambda: dict(_CLIENTS))


def checked_world(prompts: int, memories: int, days: int) -> World:
    """A world of this size; BadInput for a size that makes no sense."""
    for name, number, most in (("prompts", prompts, 2_000_000), ("memories", memories, 100_000), ("days", days, 3_650)):
        if not 1 <= number <= most:
            raise BadInput(f"--{name} must lie in 1 to {most}, not {number}.")
    return World(prompts=prompts, memories=memories, days=days)


DEMO = World()
DEMO_SEED = 20261214
