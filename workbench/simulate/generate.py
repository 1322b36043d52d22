"""Write a simulated world: Lore's tables as Parquet files, and beside them the truth that a real log hides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from workbench.errors import BadInput
from workbench.params import Params
from workbench.simulate.files import GrowingFiles
from workbench.simulate.memories import Memory, Space, make_memories
from workbench.simulate.prompts import Prompt, make_prompts
from workbench.simulate.signals import Indexed, Search, words
from workbench.simulate.tables import memory_tables
from workbench.simulate.world import World
from workbench.store import Database, compose, in_memory, sql_text

Progress = Callable[[int, int | None, str], None]

LINKED, BLANKET = "mcp:lore_get_node", "agent_end"
BATCH = 1_000
_LATE_MS = 2_000
_RANKED = (
    "boot_uris",
    "merge",
    ("candidates", "SELECT * FROM merge"),
    "score",
    ("ranked_input", "SELECT * FROM score"),
)
_LOG = ("recall_queries", "recall_query_candidates", "recall_events")


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
    rows: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_LOG, 0))


def simulate(
    out: Path, world: World, seed: int, progress: Progress = lambda done, total, what: None, batch: int = BATCH
) -> Truth:
    """Write the folder `out` (made, or empty): a table a Parquet file as `workbench import` takes them, and
    `truth.parquet` (query_id, node_uuid needed, opened). The same world and seed give the same rows, and the same
    bytes with the same `batch`, the number of prompts that are in memory with their signals at a time.

    The scores come from the same SQL as every replay. Raises BadInput when `out` holds something.
    """
    _prepare(out)
    rng = np.random.default_rng(seed)
    memories = make_memories(world, rng)
    prompts = make_prompts(world, memories, rng)
    space = Space.make(world, rng)
    indexed = _indexed(memories, space, rng)
    vectors = space.embed([prompt.about for prompt in prompts], world.noise, rng)
    chances = rng.random((len(prompts), 3))
    search = Search(indexed, world.row_limit)
    tally = _Tally()
    with in_memory() as db, GrowingFiles(out) as files:
        _keep(db, "sim_memories", _memory_rows(memories))
        for first in range(0, len(prompts), batch):
            progress(first, len(prompts), "simulating prompts")
            part = slice(first, first + batch)
            _keep(db, "sim_prompts", _prompt_rows(first, prompts[part]))
            _rank(db, search.rows(first, prompts[part], vectors[part]))
            _use(db, world, memories, prompts[part], chances[part], tally)
            _log(db, files, tally)
        progress(len(prompts), len(prompts), "simulating prompts")
        _write_rest(db, out, indexed, tally)
    typed = sum(p.session_id not in ("boot", "recall-ui-debug") and "HEARTBEAT" not in p.text for p in prompts)
    return Truth(typed, len(prompts), tally.shown, tally.used, len(tally.needed), tally.needed_and_shown)


def _prepare(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
        if any(out.iterdir()):
            raise BadInput(f"{out} is not empty; name a new folder for the simulated world.")
    except OSError as error:
        raise BadInput(f"Cannot write to {out} ({error.strerror}); name a folder that you may write to.") from error


def _indexed(memories: list[Memory], space: Space, rng: np.random.Generator) -> Indexed:
    keywords = [memory.subject for memory in memories for _ in memory.keywords]
    views = [memory.subject for memory in memories for _ in range(2)]
    return Indexed(memories, space.embed(keywords, 0.2, rng), space.embed(views, 0.15, rng))


def _keep(db: Database, name: str, rows: pa.Table) -> None:
    """Make the temporary table `name` of these rows, in place of an earlier one."""
    db.register("given", rows)
    db.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT * FROM given")
    db.unregister("given")


_STAMP = pa.timestamp("us", tz="UTC")


def _memory_rows(memories: Sequence[Memory]) -> pa.Table:
    return pa.table({
        "memory_no": pa.array([m.number for m in memories], pa.int32()),
        "uri": [m.uri for m in memories],
        "priority": pa.array([m.priority for m in memories], pa.int32()),
        "keywords": [list(m.keywords) for m in memories],
        "created_at": pa.array([m.created_at for m in memories], _STAMP),
        "glossary_at": pa.array([m.glossary_at for m in memories], _STAMP),
        "views_at": pa.array([m.views_at for m in memories], _STAMP),
    })  # fmt: skip


def _prompt_rows(first: int, prompts: Sequence[Prompt]) -> pa.Table:
    return pa.table({
        "query_no": pa.array(range(first, first + len(prompts)), pa.int32()),
        "query_id": [p.query_id for p in prompts],
        "text": [p.text for p in prompts],
        "session_id": [p.session_id for p in prompts],
        "client_type": [p.client_type for p in prompts],
        "now": pa.array([p.now for p in prompts], _STAMP),
        "query_tokens": pa.array([max(1, len(words(p.searched))) for p in prompts], pa.int32()),
        "query_chars": pa.array([len(p.searched) for p in prompts], pa.int32()),
        "truncated": [p.truncated for p in prompts],
        "duration_ms": pa.array([p.duration_ms for p in prompts], pa.int32()),
    })  # fmt: skip


def _rank(db: Database, rows: pa.Table) -> None:
    """Score and display the signals under the default configuration, as a server would."""
    _keep(db, "sim_rows", rows)
    db.execute("CREATE OR REPLACE TEMP TABLE queries AS SELECT query_id, now, query_tokens FROM sim_prompts")
    db.execute(f"CREATE OR REPLACE TEMP TABLE signal_rows AS {sql_text('simulate/signal_rows')}")
    bound = Params.default().bindings() | {"gist_weight": None, "question_weight": None}
    bound |= {"slice": 12, "min_score": 0.0, "exclude_boot": True}
    db.execute(f"CREATE OR REPLACE TEMP TABLE ranked AS {compose((*_RANKED, 'display'))}", bound)


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
        opened = seen and opens < world.opens and prompt.duration_ms <= _LATE_MS
        if needed:
            tally.needed.append((prompt.query_id, needed.node_uuid, opened))
            tally.needed_and_shown += seen
        if needed and opened and client and links < client.links:
            marks.append((prompt.query_id, needed.uri, LINKED))
        elif client and prompt.session_id != "boot" and blanket < client.blanket:
            marks += [(prompt.query_id, uri, BLANKET) for uri in uris]
    _keep(db, "sim_used", _strings(("query_id", "uri", "source"), marks))
    tally.shown += sum(map(len, shown.values()))
    tally.used += len(marks)


def _strings(names: Sequence[str], rows: Sequence[tuple[str, ...]]) -> pa.Table:
    columns: list[Any] = list(zip(*rows, strict=True)) or [()] * len(names)
    return pa.table({name: pa.array(column, pa.string()) for name, column in zip(names, columns, strict=True)})


def _log(db: Database, files: GrowingFiles, tally: _Tally) -> None:
    db.execute(f"CREATE OR REPLACE TEMP TABLE candidate_parts AS {sql_text('simulate/candidate_parts')}")
    for name in _LOG:
        rows = db.arrow(sql_text(f"simulate/{name}"), {"written": tally.rows[name]})
        files.add(name, rows)
        tally.rows[name] += rows.num_rows


def _write_rest(db: Database, out: Path, indexed: Indexed, tally: _Tally) -> None:
    columns: list[Any] = list(zip(*sorted(tally.needed), strict=True)) or [()] * 3
    kinds = (pa.string(), pa.string(), pa.bool_())
    truth = pa.table([pa.array(c, k) for c, k in zip(columns, kinds, strict=True)], ["query_id", "node_uuid", "opened"])
    for name, rows in (memory_tables(indexed) | {"truth": truth}).items():
        db.register("written", rows)
        db.copy_to("SELECT * FROM written", out / f"{name}.parquet")
        db.unregister("written")
