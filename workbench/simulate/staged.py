"""Memories, prompts and signals of a simulated world as temporary tables, scored and displayed as a server would."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from workbench.params import Params
from workbench.simulate.memories import Memory, Space, Vectors, make_memories
from workbench.simulate.prompts import Prompt, make_prompts
from workbench.simulate.signals import Indexed, Search, words
from workbench.simulate.world import World
from workbench.store import Database, compose, sql_text

LATE_MS = 2_000
_MERGED = ("boot_uris", "merge")
_STAMP = pa.timestamp("us", tz="UTC")
_SCORED = (("candidates", "SELECT * FROM sim_candidates"), "score", ("ranked_input", "SELECT * FROM score"), "display")


@dataclass(frozen=True)
class Drawn:
    """The memories and prompts of a world, with what the signals find by."""

    memories: list[Memory]
    prompts: list[Prompt]
    indexed: Indexed
    vectors: Vectors
    search: Search

    @classmethod
    def of(cls, world: World, rng: np.random.Generator) -> Drawn:
        """Draw a world."""
        memories = make_memories(world, rng)
        prompts = make_prompts(world, memories, rng)
        space = Space.make(world, rng)
        indexed = _index_of(memories, space, rng)
        vectors = space.embed([prompt.about for prompt in prompts], world.noise, rng)
        return cls(memories, prompts, indexed, vectors, Search(indexed, world.row_limit))

    def keep_part(self, db: Database, first: int, count: int) -> None:
        """Write sim_prompts, signal_rows and sim_candidates for `count` prompts from the number `first` on."""
        part = slice(first, first + count)
        keep_prompts(db, first, self.prompts[part])
        keep_signals(db, self.search.rows(first, self.prompts[part], self.vectors[part]))


def _index_of(memories: list[Memory], space: Space, rng: np.random.Generator) -> Indexed:
    """What the signals look at."""
    keywords = [memory.subject for memory in memories for _ in memory.keywords]
    views = [memory.subject for memory in memories for _ in range(2)]
    return Indexed(memories, space.embed(keywords, 0.2, rng), space.embed(views, 0.15, rng))


def keep(db: Database, name: str, rows: pa.Table) -> None:
    """Make the temporary table `name` of these rows, in place of an earlier one."""
    db.register("given", rows)
    db.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT * FROM given")
    db.unregister("given")


def keep_memories(db: Database, memories: Sequence[Memory]) -> None:
    """Write sim_memories."""
    rows = {
        "memory_no": pa.array([m.number for m in memories], pa.int32()),
        "node_uuid": [m.node_uuid for m in memories],
        "uri": [m.uri for m in memories],
        "priority": pa.array([m.priority for m in memories], pa.int32()),
        "keywords": [list(m.keywords) for m in memories],
        "created_at": pa.array([m.created_at for m in memories], _STAMP),
        "glossary_at": pa.array([m.glossary_at for m in memories], _STAMP),
        "views_at": pa.array([m.views_at for m in memories], _STAMP),
    }
    keep(db, "sim_memories", pa.table(rows))


def keep_prompts(db: Database, first: int, prompts: Sequence[Prompt]) -> None:
    """Write sim_prompts, numbered from `first` on."""
    rows = {
        "query_no": pa.array(range(first, first + len(prompts)), pa.int32()),
        "query_id": [p.query_id for p in prompts],
        "text": [p.text for p in prompts],
        "session_id": [p.session_id for p in prompts],
        "client_type": [p.client_type for p in prompts],
        "typed": pa.array([p.typed for p in prompts], pa.bool_()),
        "now": pa.array([p.now for p in prompts], _STAMP),
        "query_tokens": pa.array([max(1, len(words(p.searched))) for p in prompts], pa.int32()),
        "query_chars": pa.array([len(p.searched) for p in prompts], pa.int32()),
        "truncated": pa.array([p.truncated for p in prompts], pa.bool_()),
        "duration_ms": pa.array([p.duration_ms for p in prompts], pa.int32()),
    }
    keep(db, "sim_prompts", pa.table(rows))


def keep_signals(db: Database, rows: pa.Table) -> None:
    """Write signal_rows and, merged, sim_candidates from what the signals returned for sim_prompts."""
    keep(db, "sim_rows", rows)
    db.execute("CREATE OR REPLACE TEMP TABLE queries AS SELECT query_id, now, query_tokens FROM sim_prompts")
    db.execute(f"CREATE OR REPLACE TEMP TABLE signal_rows AS {sql_text('simulate/signal_rows')}")
    db.execute(f"CREATE OR REPLACE TEMP TABLE sim_candidates AS {compose(_MERGED)}")


def rank(db: Database, params: Params, into: str = "ranked") -> None:
    """Write the temporary table `into`: every candidate under `params`, scored, ranked and displayed."""
    db.execute(f"CREATE OR REPLACE TEMP TABLE {into} AS {compose(_SCORED)}", bound_by(params))


def bound_by(params: Params) -> dict[str, Any]:
    """What score.sql and display.sql are given by a server with these settings and the usual view weights."""
    bound: dict[str, Any] = params.bindings() | {"gist_weight": None, "question_weight": None}
    return bound | {"slice": max(12, bound["max_display_items"]), "min_score": 0.0, "exclude_boot": True}


def strings(names: Sequence[str], rows: Sequence[tuple[str, ...]]) -> pa.Table:
    """A table of texts."""
    columns: list[Any] = list(zip(*rows, strict=True)) or [()] * len(names)
    return pa.table({name: pa.array(column, pa.string()) for name, column in zip(names, columns, strict=True)})
