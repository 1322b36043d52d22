"""Write a simulated world: Lore's tables as Parquet files, and beside them the truth that a real log hides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from workbench.params import Params
from workbench.simulate.files import LOG, GrowingFiles, prepare, write_tables
from workbench.simulate.memories import Memory
from workbench.simulate.prompts import Prompt
from workbench.simulate.staged import LATE_MS, Drawn, keep, keep_memories, rank, strings
from workbench.simulate.tables import memory_tables
from workbench.simulate.world import World
from workbench.store import Database, in_memory

Progress = Callable[[int, int | None, str], None]

LINKED, BLANKET = "mcp:lore_get_node", "agent_end"
BATCH = 1_000


@dataclass(frozen=True)
class Truth:
    """What was written: counts of typed prompts and others, of shown and used memories, and of needed ones."""

    prompts: int
    recalls: int
    shown: int
    used: int
    needed: int
    needed_and_shown: int


@dataclass
class _Tally:
    """What the batches found so far; `needed` has (query_id, node_uuid, opened) of every prompt that needs a memory."""

    shown: int = 0
    used: int = 0
    needed_and_shown: int = 0
    needed: list[tuple[str, str, bool]] = field(default_factory=list)
    rows: dict[str, int] = field(default_factory=lambda: dict.fromkeys(LOG, 0))


def simulate(
    out: Path, world: World, seed: int, progress: Progress = lambda done, total, what: None, batch: int = BATCH
) -> Truth:
    """Write the folder `out` (made, or empty): a table a Parquet file as `workbench import` takes them, and
    `truth.parquet` (query_id, node_uuid needed, opened). The same world and seed give the same rows, and the same
    bytes with the same `batch`, the number of prompts that are in memory with their signals at a time.

    The scores come from the same SQL as every replay. Raises BadInput when `out` holds something.
    """
    prepare(out)
    rng = np.random.default_rng(seed)
    drawn = Drawn.of(world, rng)
    prompts = drawn.prompts
    chances = rng.random((len(prompts), 3))
    tally = _Tally()
    with in_memory() as db, GrowingFiles(out) as files:
        keep_memories(db, drawn.memories)
        for first in range(0, len(prompts), batch):
            progress(first, len(prompts), "simulating prompts")
            drawn.keep_part(db, first, batch)
            rank(db, Params.default())
            part = slice(first, first + batch)
            _use(db, world, drawn.memories, prompts[part], chances[part], tally)
            files.add_log(db, tally.rows)
        progress(len(prompts), len(prompts), "simulating prompts")
        write_tables(db, out, memory_tables(drawn.indexed) | {"truth": _truth(tally)})
    typed = sum(p.typed for p in prompts)
    return Truth(typed, len(prompts), tally.shown, tally.used, len(tally.needed), tally.needed_and_shown)


def _use(
    db: Database, world: World, memories: Sequence[Memory], prompts: Sequence[Prompt], chances: NDArray[np.float64],
    tally: _Tally,
) -> None:  # fmt: skip
    """Decide which shown memories the agents opened and write sim_used with the marks. A late recall reached nobody."""
    shown: dict[str, list[str]] = {}
    for query_id, uri in db.rows("SELECT query_id, uri FROM ranked WHERE shown ORDER BY query_id, displayed_position"):
        shown.setdefault(query_id, []).append(uri)
    marks: list[tuple[str, str, str]] = []
    for prompt, (opens, links, blanket) in zip(prompts, chances.tolist(), strict=True):
        uris = shown.get(prompt.query_id, [])
        client = world.clients.get(prompt.client_type)
        needed = memories[prompt.needed] if prompt.needed >= 0 else None
        seen = needed is not None and needed.uri in uris
        opened = seen and opens < world.opens and prompt.duration_ms <= LATE_MS
        if needed:
            tally.needed.append((prompt.query_id, needed.node_uuid, opened))
            tally.needed_and_shown += seen
        if needed and opened and client and links < client.links:
            marks.append((prompt.query_id, needed.uri, LINKED))
        elif client and prompt.session_id != "boot" and blanket < client.blanket:
            marks += [(prompt.query_id, uri, BLANKET) for uri in uris]
    keep(db, "sim_used", strings(("query_id", "uri", "source"), marks))
    tally.shown += sum(map(len, shown.values()))
    tally.used += len(marks)


def _truth(tally: _Tally) -> pa.Table:
    columns: list[Any] = list(zip(*sorted(tally.needed), strict=True)) or [()] * 3
    kinds = (pa.string(), pa.string(), pa.bool_())
    return pa.table([pa.array(c, k) for c, k in zip(columns, kinds, strict=True)], ["query_id", "node_uuid", "opened"])
