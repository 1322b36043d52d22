"""Stores filled from simulated worlds, made once for all test modules."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from workbench import jobs
from workbench.simulate import World, simulate
from workbench.store import writing


@cache
def world_store(prompts: int, needs: float, seed: int) -> Path:
    """A store with a simulated log of `prompts` typed prompts; read it only."""
    folder = Path(mkdtemp(prefix="world-"))
    simulate(folder / "tables", World(prompts=prompts, needs=needs), seed)
    jobs.import_log(folder / "store.duckdb", str(folder / "tables"))
    shutil.rmtree(folder / "tables")
    return folder / "store.duckdb"


def copy_of(store: Path, folder: Path) -> Path:
    """A copy of a store that a test may write to."""
    return Path(shutil.copy(store, folder / "store.duckdb"))


def with_random_uses(store: Path, target: Path, used: int, seed: int) -> Path:
    """A copy of `store` in which `used` shown memories, drawn at random, carry a linked mark and all others none."""
    shutil.copy(store, target)
    with writing(target, "test") as db:
        db.execute("UPDATE wb.logged_candidates SET used = false, mark_source = NULL")
        db.execute(
            "UPDATE wb.logged_candidates SET used = true, mark_source = 'mcp:lore_get_node'"
            " WHERE (query_id, uri) IN (SELECT (query_id, uri) FROM wb.logged_candidates SEMI JOIN wb.logged_queries"
            " USING (query_id) WHERE logged_shown ORDER BY hash(query_id, uri, $seed) LIMIT $used)",
            {"seed": seed, "used": used},
        )
    return target
