"""Worlds with a planted truth: the same in files and in memory, and true to what they promise."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from workbench import jobs
from workbench.errors import BadInput
from workbench.params import THRESHOLD, Params
from workbench.replay.logged import settings_in_force
from workbench.replay.parity import parity
from workbench.replay.run import Settings, replay_shown
from workbench.simulate import PLANTED_NEEDS, TRUTH, WORLDS, World, planted_log, simulate_planted
from workbench.store import Database, reading

SIZE = World(prompts=400, needs=PLANTED_NEEDS)
SAME = ("query_id", "uri", "node_uuid", "exact", "glossary_semantic", "dense_gist", "dense_question", "lexical_gist",
        "lexical_question", "gist_weight", "question_weight", "priority", "age_days", "query_tokens", "is_boot",
        "logged_score", "logged_shown", "used", "mark_source")  # fmt: skip


def true_net_help(db: Database, params: Params, in_force: Params) -> float:
    """Expected net help of all typed prompts together, in the helpful memories that it is counted in."""
    replay_shown(db, Settings(params, in_force), None, "shown_then")
    value: float = db.row(f"SELECT sum(1.1 * chance - 0.1) FROM shown_then JOIN {TRUTH} USING (query_id, uri)")[0]
    return value


def of_log(db: Database) -> list[tuple[Any, ...]]:
    return db.rows(f"SELECT {', '.join(SAME)} FROM wb.logged_candidates ORDER BY ALL")


@pytest.mark.parametrize("name", ["skewed-weights", "client-mix"])
def test_a_world_in_memory_is_the_world_that_is_imported(tmp_path: Path, name: str) -> None:
    written = simulate_planted(tmp_path / "tables", SIZE, name, 60, 4)
    jobs.import_log(tmp_path / "store.duckdb", str(tmp_path / "tables"))
    with reading(tmp_path / "store.duckdb") as stored, planted_log(SIZE, name, 60, 4) as (db, planted):
        assert planted == written
        assert of_log(db) == of_log(stored)
        assert settings_in_force(db).params == settings_in_force(stored).params == planted.in_force
        queries = "SELECT * EXCLUDE (strategy, embedding_model, query_char_limit) FROM wb.logged_queries ORDER BY ALL"
        assert db.rows(queries) == stored.rows(queries)
        truth = pq.read_table(tmp_path / "tables" / "truth.parquet")
        assert truth.equals(db.arrow(f"SELECT * FROM {TRUTH}"))


@pytest.mark.parametrize("name", WORLDS)
def test_the_log_of_a_world_is_reproduced_and_its_truth_is_whole(name: str) -> None:
    with planted_log(SIZE, name, 60, 2) as (db, planted):
        in_force = settings_in_force(db).params
        assert parity(db, Settings(in_force, in_force)).passes()
        candidates, known = db.row(
            f"SELECT count(*), count(t.chance) FROM wb.logged_candidates LEFT JOIN {TRUTH} AS t USING (query_id, uri)"
            " WHERE query_id IN (SELECT query_id FROM wb.logged_queries WHERE traffic = 'prompt')"
        )
        assert candidates == known == db.row(f"SELECT count(*) FROM {TRUTH}")[0]
        wrong = f"SELECT count(*) FROM {TRUTH} WHERE opened AND NOT (helpful AND shown)"
        assert db.row(wrong)[0] == 0
        marked = db.row("SELECT count(*) FROM wb.logged_candidates WHERE used")[0]
        assert marked == planted.used == 60


@pytest.mark.parametrize("seed", range(1, 5))
def test_what_helpfulness_follows_is_better_than_what_is_in_force(seed: int) -> None:
    for name in ("skewed-weights", "wrong-threshold"):
        with planted_log(SIZE, name, 60, seed) as (db, planted):
            (rule,) = planted.rules
            best, present = (true_net_help(db, one, planted.in_force) for one in (rule.params, planted.in_force))
            assert best > present * 1.02, (name, seed)


def test_where_the_defaults_are_best_a_step_away_is_no_better() -> None:
    with planted_log(SIZE, "default-best", 60, 1) as (db, planted):
        present = true_net_help(db, planted.in_force, planted.in_force)
        for moved in ({THRESHOLD: 0.65}, {THRESHOLD: 0.55}, {"recall.weights.w_exact": 0.1}):
            assert true_net_help(db, planted.in_force.replace(moved), planted.in_force) < present


def test_without_a_signal_every_candidate_helps_alike() -> None:
    with planted_log(SIZE, "no-signal", 60, 1) as (db, planted):
        assert planted.rules == ()
        chances = db.rows(f"SELECT DISTINCT chance FROM {TRUTH} WHERE chance > 0")
        assert len(chances) == 1


def test_clients_differ_in_what_helps_them_and_in_how_often_they_say_so() -> None:
    with planted_log(SIZE, "client-mix", 60, 1) as (db, planted):
        assert [rule.clients for rule in planted.rules] == [("codex", "pi"), None]
        rates = dict(db.rows(
            f"SELECT client_type, avg(opened::INTEGER) FROM {TRUTH} JOIN wb.logged_queries USING (query_id)"
            " WHERE helpful AND shown GROUP BY client_type"
        ))  # fmt: skip
        assert rates["pi"] < rates["codex"] < rates["claudecode"]


def test_one_seed_gives_the_same_world_and_another_one_another() -> None:
    seen = Counter[str]()
    for seed in (5, 5, 6):
        with planted_log(SIZE, "drift", 60, seed) as (db, _):
            seen[str(db.row(f"SELECT bit_xor(hash({TRUTH})) FROM {TRUTH}")[0])] += 1
    assert sorted(seen.values()) == [1, 2]


@pytest.mark.parametrize(
    ("size", "name", "used", "said"),
    [
        (SIZE, "sunny", 60, "no world 'sunny'; choose from skewed-weights"),
        (SIZE, "drift", 0, "--used must be at least 1"),
        (World(prompts=20_001), "drift", 60, "at most 20,000 with --world"),
    ],
)
def test_a_world_that_makes_no_sense_is_refused(tmp_path: Path, size: World, name: str, used: int, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        simulate_planted(tmp_path / "w", size, name, used, 1)
    assert list(tmp_path.iterdir()) == []
