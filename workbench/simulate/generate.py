"""Write a simulated world: Lore's tables as Parquet files, and beside them the truth that a real log hides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.errors import BadInput
from workbench.params import Params
from workbench.simulate.memories import Memory, Space, make_memories
from workbench.simulate.prompts import Prompt, make_prompts
from workbench.simulate.signals import SCHEMA, Indexed, signal_batches, words
from workbench.simulate.tables import memory_tables
from workbench.simulate.world import World
from workbench.store import Database, compose, in_memory, sql_text

Progress = Callable[[int, int | None, str], None]

LINKED, BLANKET = "mcp:lore_get_node", "agent_end"
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


def simulate(out: Path, world: World, seed: int, progress: Progress = lambda done, total, what: None) -> Truth:
    """Write the folder `out` (made, or empty): a table a Parquet file as `workbench import` takes them, and
    `truth.parquet` (query_id, node_uuid needed, opened). The same world and seed give the same bytes.

    The scores come from the same SQL as every replay. Raises BadInput when `out` holds something.
    """
    _prepare(out)
    rng = np.random.default_rng(seed)
    memories = make_memories(world, rng)
    prompts = make_prompts(world, memories, rng)
    space = Space.make(world, rng)
    indexed = _indexed(memories, space, rng)
    vectors = space.embed([prompt.about for prompt in prompts], world.noise, rng)
    with in_memory() as db:
        db.execute("SET threads = 1")
        _register(db, memories, prompts)
        db.execute(f"CREATE TEMP TABLE sim_rows ({', '.join(f'{f.name} {_TYPES[f.type]}' for f in SCHEMA)})")
        for batch in signal_batches(prompts, vectors, indexed, world.row_limit, progress):
            db.append("sim_rows", pa.Table.from_batches([batch]))
        progress(0, None, "scores")
        _rank(db)
        opened = _opens(db, world, memories, prompts, rng)
        progress(0, None, "writing")
        _write(db, out, indexed)
        return _truth(db, out, memories, prompts, opened)


_TYPES = {pa.int32(): "INTEGER", pa.string(): "VARCHAR", pa.float64(): "DOUBLE"}


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


def _register(db: Database, memories: Sequence[Memory], prompts: Sequence[Prompt]) -> None:
    stamp = pa.timestamp("us", tz="UTC")
    db.register("given_memories", pa.table({
        "memory_no": pa.array([m.number for m in memories], pa.int32()),
        "uri": [m.uri for m in memories],
        "node_uuid": [m.node_uuid for m in memories],
        "priority": pa.array([m.priority for m in memories], pa.int32()),
        "keywords": [list(m.keywords) for m in memories],
        "created_at": pa.array([m.created_at for m in memories], stamp),
        "glossary_at": pa.array([m.glossary_at for m in memories], stamp),
        "views_at": pa.array([m.views_at for m in memories], stamp),
    }))  # fmt: skip
    db.register("given_prompts", pa.table({
        "query_no": pa.array(range(len(prompts)), pa.int32()),
        "query_id": [p.query_id for p in prompts],
        "text": [p.text for p in prompts],
        "session_id": [p.session_id for p in prompts],
        "client_type": [p.client_type for p in prompts],
        "now": pa.array([p.now for p in prompts], stamp),
        "query_tokens": pa.array([max(1, len(words(p.searched))) for p in prompts], pa.int32()),
        "query_chars": pa.array([len(p.searched) for p in prompts], pa.int32()),
        "truncated": [p.truncated for p in prompts],
        "duration_ms": pa.array([p.duration_ms for p in prompts], pa.int32()),
    }))  # fmt: skip
    for name in ("memories", "prompts"):
        db.execute(f"CREATE TEMP TABLE sim_{name} AS SELECT * FROM given_{name}")
        db.unregister(f"given_{name}")
    db.execute("CREATE TEMP TABLE queries AS SELECT query_id, now, query_tokens FROM sim_prompts")


def _rank(db: Database) -> None:
    """Score and display the signals under the default configuration, as a server would."""
    db.execute(f"CREATE TEMP TABLE signal_rows AS {sql_text('simulate/signal_rows')}")
    bound = Params.default().bindings() | {"gist_weight": None, "question_weight": None}
    bound |= {"slice": 12, "min_score": 0.0, "exclude_boot": True}
    db.execute(f"CREATE TEMP TABLE ranked AS {compose((*_RANKED, 'display'))}", bound)


def _opens(
    db: Database, world: World, memories: Sequence[Memory], prompts: Sequence[Prompt], rng: np.random.Generator
) -> set[str]:
    """Decide which shown memories the agents opened, write sim_used with the marks, and return the queries in which a
    needed memory was opened, marked or not."""
    shown: dict[str, list[str]] = {}
    for query_id, uri in db.rows("SELECT query_id, uri FROM ranked WHERE shown ORDER BY query_id, displayed_position"):
        shown.setdefault(query_id, []).append(uri)
    marks: list[tuple[str, str, str]] = []
    opened = set()
    for prompt in prompts:
        uris = shown.get(prompt.query_id, [])
        helps = prompt.needed >= 0 and memories[prompt.needed].uri in uris and rng.random() < world.opens
        links = rng.random() < (world.clients[prompt.client_type].links if prompt.client_type in world.clients else 0)
        if helps:
            opened.add(prompt.query_id)
        if helps and links:
            marks.append((prompt.query_id, memories[prompt.needed].uri, LINKED))
        elif uris and rng.random() < world.blanket:
            marks += [(prompt.query_id, uri, BLANKET) for uri in uris]
    columns: list[Any] = list(zip(*marks, strict=True)) or [()] * 3
    used = {
        name: pa.array(column, pa.string()) for name, column in zip(("query_id", "uri", "source"), columns, strict=True)
    }
    db.register("given_used", pa.table(used))
    db.execute("CREATE TEMP TABLE sim_used AS SELECT * FROM given_used")
    return opened


def _write(db: Database, out: Path, indexed: Indexed) -> None:
    for name, rows in memory_tables(indexed).items():
        db.register("written", rows)
        db.copy_to("SELECT * FROM written", out / f"{name}.parquet")
        db.unregister("written")
    for name in _LOG:
        db.copy_to(sql_text(f"simulate/{name}"), out / f"{name}.parquet")


def _truth(db: Database, out: Path, memories: Sequence[Memory], prompts: Sequence[Prompt], opened: set[str]) -> Truth:
    needed = [(p.query_id, memories[p.needed].node_uuid, p.query_id in opened) for p in prompts if p.needed >= 0]
    columns: list[Any] = list(zip(*needed, strict=True)) or [()] * 3
    db.register("truth", pa.table(dict(zip(("query_id", "node_uuid", "opened"), map(pa.array, columns), strict=True))))
    db.copy_to("SELECT * FROM truth ORDER BY query_id", out / "truth.parquet")
    shown, used = db.row("SELECT count(*) FILTER (shown), (SELECT count(*) FROM sim_used) FROM ranked")
    hit = db.row(
        "SELECT count(*) FROM truth AS t JOIN sim_memories AS m ON m.node_uuid = t.node_uuid"
        " JOIN ranked AS r ON r.query_id = t.query_id AND r.uri = m.uri WHERE r.shown"
    )[0]
    typed = sum(p.session_id not in ("boot", "recall-ui-debug") and "HEARTBEAT" not in p.text for p in prompts)
    return Truth(typed, len(prompts), shown, used, len(needed), hit)
