"""Worlds with a planted truth: helpfulness follows other settings than those that made the log, or the same."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from workbench.errors import BadInput
from workbench.params import KEYS, THRESHOLD, Params, snap
from workbench.simulate.files import LOG, GrowingFiles, prepare, write_tables
from workbench.simulate.plants import Plant, Rule, draw_plant
from workbench.simulate.staged import LATE_MS, Drawn, bound_by, keep, keep_memories, rank, strings
from workbench.simulate.tables import memory_tables, settings_table
from workbench.simulate.world import World
from workbench.store import Database, compose, in_memory, sql_text
from workbench.text import percent

Scores = NDArray[np.float64]

TRUTH = "sim_truth"
MOST_PROMPTS = 20_000
# Ten useless memories outweigh one that helps, as in net help: below this chance it is better not to show a memory.
BREAK_EVEN = 0.1 / 1.1
PLACES = 3
# The share of prompts whose text is about a memory: others are chat, and draw noise.
PLANTED_NEEDS = 0.4
_TOP = 0.8
_OPENS = 0.85
_LEAST_CHANCE, _MOST_CHANCE = 0.3, 0.5
_FOLLOWED = "sim_followed"
_SCORED = (("candidates", f"SELECT * FROM {_FOLLOWED}"), "score", ("ranked_input", "SELECT * FROM score"), "display")


@dataclass(frozen=True)
class Planted:
    """What was planted, and counts: typed prompts, all recalls, shown pairs of both, and of the typed ones the helpful
    pairs, shown helpful ones and marked ones."""

    world: str
    in_force: Params
    rules: tuple[Rule, ...]
    prompts: int
    recalls: int
    shown: int
    helpful: int
    helpful_shown: int
    used: int

    def as_json(self) -> dict[str, Any]:
        """The document of `workbench simulate --world --json`."""
        default = Params.default()
        return {
            "world": self.world,
            "in_force": self.in_force.changed_from(default),
            "follows": [
                {"changed": rule.params.changed_from(default), "for": _said(rule), "clients": rule.clients,
                 "since": rule.since, "until": rule.until}
                for rule in self.rules
            ],
            "prompts": self.prompts, "recalls": self.recalls, "shown": self.shown, "helpful": self.helpful,
            "helpful_shown": self.helpful_shown, "used": self.used,
        }  # fmt: skip


def _said(rule: Rule) -> str:
    """For what part of the prompts a rule holds, as the end of a sentence."""
    parts = [f"for {' and '.join(rule.clients)}"] if rule.clients else []
    if rule.since > 0:
        parts.append(f"from {percent(rule.since)} of the time on")
    elif rule.until < 1:
        parts.append(f"for the first {percent(rule.until)} of the time")
    return "".join(f" {part}" for part in parts)


def simulate_planted(out: Path, world: World, name: str, used: int, seed: int) -> Planted:
    """Write the folder `out` (made, or empty) with a world of the kind `name`: a table a Parquet file as `workbench
    import` takes them, and `truth.parquet`: query_id, node_uuid, uri, chance, helpful, shown, opened, a row for every
    candidate of every typed prompt, shown or not.

    Helpfulness is drawn with a chance that rises with the score under the planted settings and breaks even at their
    threshold, so that they are the best that one can do; `used` of the helpful shown memories are marked, as far as
    there are so many. The same arguments give the same rows. Raises BadInput when `out` holds something.
    """
    _check(name, world, used, seed)
    prepare(out)
    drawn = Drawn.of(world, np.random.default_rng(seed))
    with in_memory() as db, GrowingFiles(out) as files:
        found = _plant(db, drawn, draw_plant(name, seed), used, seed)
        files.add_log(db, dict.fromkeys(LOG, 0))
        tables = memory_tables(drawn.indexed)
        settings = settings_table(found.in_force, drawn.memories[0].created_at)
        tables["app_settings"] = pa.concat_tables([tables["app_settings"], settings])
        write_tables(db, out, tables | {"truth": db.arrow(f"SELECT * FROM {TRUTH}")})
    return found


@contextmanager
def planted_log(world: World, name: str, used: int, seed: int) -> Iterator[tuple[Database, Planted]]:
    """The log of the same world straight in a store in memory, ready to be judged and tuned; its truth is the temporary
    table TRUTH. Without memories, views and events: far faster than files and an import."""
    _check(name, world, used, seed)
    drawn = Drawn.of(world, np.random.default_rng(seed))
    with in_memory() as db:
        found = _plant(db, drawn, draw_plant(name, seed), used, seed)
        db.append("app_settings", settings_table(found.in_force, drawn.memories[0].created_at))
        for table, stage in (
            ("recall_queries", "recall_queries"),
            ("wb.logged_queries", "logged_queries"),
            ("wb.logged_candidates", "logged_candidates"),
        ):
            db.execute(f"INSERT INTO {table} BY NAME {sql_text(f'simulate/{stage}')}")
        yield db, found


def _check(name: str, world: World, used: int, seed: int) -> None:
    draw_plant(name, seed)
    if world.prompts > MOST_PROMPTS:
        raise BadInput(f"--prompts must be at most {MOST_PROMPTS:,} with --world, not {world.prompts:,}.")
    if used < 1:
        raise BadInput(f"--used must be at least 1, not {used}.")


def _plant(db: Database, drawn: Drawn, plant: Plant, used: int, seed: int) -> Planted:
    """Write ranked, TRUTH and sim_used of a whole world."""
    keep_memories(db, drawn.memories)
    drawn.keep_part(db, 0, len(drawn.prompts))
    db.execute("CREATE OR REPLACE TEMP TABLE sim_chances (query_id VARCHAR, uri VARCHAR, chance DOUBLE)")
    in_force = _in_force(db, plant)
    rank(db, in_force)
    share = used / _OPENS / max(_count(db, "ranked JOIN sim_prompts USING (query_id) WHERE shown AND typed"), 1)
    rules = tuple(_follow(db, rule, share, seed) for rule in plant.rules)
    if not rules:
        db.execute(f"INSERT INTO sim_chances {sql_text('simulate/equal_chances')}", {"chance": min(1.0, share)})
    links = {client: plant.links.get(client, 1.0) for client in {p.client_type for p in drawn.prompts}}
    keep(db, "sim_links", pa.table({"client": list(links), "links": list(links.values())}))
    bound = {"used": used, "seed": seed, "late_ms": LATE_MS}
    db.execute(f"CREATE OR REPLACE TEMP TABLE {TRUTH} AS {sql_text('simulate/truth')}", bound)
    marks = db.rows(f"SELECT query_id, uri, 'mcp:lore_get_node' FROM {TRUTH} WHERE opened")
    keep(db, "sim_used", strings(("query_id", "uri", "source"), marks))
    counts = (_count(db, f"{TRUTH} WHERE {which}") for which in ("helpful", "helpful AND shown", "opened"))
    typed = sum(p.typed for p in drawn.prompts)
    return Planted(plant.name, in_force, rules, typed, len(drawn.prompts), _count(db, "ranked WHERE shown"), *counts)


def _in_force(db: Database, plant: Plant) -> Params:
    """What the log is made under."""
    if not plant.fitted or plant.in_force == Params.default():
        return plant.in_force
    rank(db, Params.default())
    return _fitted(db, plant.in_force, _scores(db, Rule(plant.in_force)))


def _scores(db: Database, rule: Rule) -> Scores:
    """Keep the candidates of the prompts of `rule`; returns the scores of those that could be shown, highest first."""
    bound = {"clients": list(rule.clients) if rule.clients else None, "since": rule.since, "until": rule.until}
    db.execute(f"CREATE OR REPLACE TEMP TABLE {_FOLLOWED} AS {sql_text('simulate/followed')}", bound)
    scored = f"SELECT score FROM ({compose(_SCORED)}) WHERE NOT is_boot AND ranked_position <= {PLACES}"
    found: Scores = np.sort(db.arrow(scored, bound_by(rule.params))["score"].to_numpy())[::-1]
    return found


def _fitted(db: Database, params: Params, scores: Scores) -> Params:
    """`params` with the threshold at which the kept candidates, with these scores, are shown as often as in ranked."""
    shown = _count(db, f"ranked SEMI JOIN {_FOLLOWED} USING (query_id) WHERE shown")
    at = float(scores[min(shown, len(scores) - 1)]) if len(scores) else float(params[THRESHOLD])
    return params.replace({THRESHOLD: snap(KEYS[THRESHOLD], at)})


def _follow(db: Database, rule: Rule, share: float, seed: int) -> Rule:
    """Add the chances of the prompts of `rule`, whose best memories help at least about as often as `share`; returns
    the rule with the threshold that was fitted."""
    scores = _scores(db, rule)
    params = _fitted(db, rule.params, scores) if rule.fitted else rule.params
    threshold = float(params[THRESHOLD])
    width = _width(scores[scores >= threshold], threshold, min(max(share, _LEAST_CHANCE), _MOST_CHANCE))
    curve = {"top": _TOP, "break_even": BREAK_EVEN, "threshold": threshold, "width": width}
    chain = compose(_SCORED, sql_text("simulate/chances"))
    db.execute(f"INSERT INTO sim_chances {chain}", bound_by(params) | curve | {"seed": seed, "places": PLACES})
    return replace(rule, params=params)


def _width(shown: Scores, threshold: float, wanted: float) -> float:
    """How fast the chance has to rise above `threshold` so that the `shown` scores help with a mean chance `wanted`."""
    low, high = 1e-4, 1.0
    for _ in range(40):
        width = float(np.sqrt(low * high))
        steep = np.exp((threshold - shown) / width) * (_TOP / BREAK_EVEN - 1)
        low, high = (width, high) if (_TOP / (1 + steep)).mean() > wanted else (low, width)
    return high


def _count(db: Database, source: str) -> int:
    count: int = db.row(f"SELECT count(*) FROM {source}")[0]
    return count
