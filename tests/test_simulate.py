"""Simulated worlds: the same every time, as sparse as life, scored by the one formula, and the bundled demo data."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from worlds import world_store

from workbench.demo import DATA
from workbench.errors import BadInput
from workbench.replay.logged import settings_in_force
from workbench.replay.parity import parity
from workbench.replay.run import Settings
from workbench.simulate import DEMO, DEMO_SEED, World, checked_world, simulate
from workbench.simulate.memories import make_memories, subjects
from workbench.simulate.signals import exact_score, words
from workbench.store import TABLES, Database, reading

SMALL = World(prompts=120)


@pytest.fixture(scope="module")
def db() -> Iterator[Database]:
    with reading(world_store(900, 0.4, 3)) as database:
        yield database


def digests(folder: Path) -> dict[str, str]:
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(folder.iterdir())}


def test_one_seed_gives_the_same_bytes_and_another_one_others(tmp_path: Path) -> None:
    for name, seed in (("a", 5), ("b", 5), ("c", 6)):
        simulate(tmp_path / name, SMALL, seed)
    assert digests(tmp_path / "a") == digests(tmp_path / "b")
    assert digests(tmp_path / "a")["recall_events.parquet"] != digests(tmp_path / "c")["recall_events.parquet"]


def test_the_files_are_the_tables_of_lore(tmp_path: Path) -> None:
    simulate(tmp_path / "w", SMALL, 1)
    assert {file.stem for file in (tmp_path / "w").iterdir()} == {*TABLES, "truth"}
    for name, table in TABLES.items():
        columns = set(pq.read_schema(tmp_path / "w" / f"{name}.parquet").names)
        assert columns <= set(table.column_names)
        assert set(table.required) <= columns


def test_a_replay_reproduces_every_simulated_score(db: Database) -> None:
    in_force = settings_in_force(db).params
    found = parity(db, Settings(in_force, in_force))
    assert found.rows > 20_000
    assert (found.rows_equal, found.flips, dict(found.excluded)) == (found.rows, 0, {})


def test_needed_memories_tend_to_score_higher_than_others_by_meaning(tmp_path: Path, db: Database) -> None:
    truth = simulate(tmp_path / "w", replace(SMALL, prompts=300, needs=0.5), 2)
    assert truth.needed > 100
    assert truth.needed_and_shown > 0.5 * truth.needed
    assert 0 < truth.used < truth.needed_and_shown


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(BadInput, match="not empty"):
        simulate(tmp_path, SMALL, 1)
    assert [file.name for file in tmp_path.iterdir()] == ["mine.txt"]


@pytest.mark.parametrize("sizes", [(0, 10, 10), (10, 0, 10), (10, 10, 0), (3_000_000, 10, 10)])
def test_sizes_that_make_no_sense_are_refused(sizes: tuple[int, int, int]) -> None:
    with pytest.raises(BadInput, match="must lie in 1 to"):
        checked_world(*sizes)


def test_more_memories_than_subjects_get_addresses_of_their_own() -> None:
    import numpy as np

    made = make_memories(replace(SMALL, memories=300), np.random.default_rng(1))
    assert len({memory.uri for memory in made}) == len(made) == 303


def test_every_subject_speaks_both_languages() -> None:
    for subject in subjects():
        assert subject.english.isascii()
        assert not subject.chinese.isascii()


def test_exact_tiers_are_those_of_the_server() -> None:
    import numpy as np

    memory = next(m for m in make_memories(SMALL, np.random.default_rng(1)) if m.path == "shop/checkout/refunds")
    glossary = " ".join(sorted(memory.keywords)).lower()
    own = set(words(f"{glossary} {memory.uri} {memory.path}"))

    def score(query: str) -> float:
        return exact_score(query, set(words(query)), memory, glossary, own)

    assert score("project://shop/checkout/refunds") == score("shop/checkout/refunds") == 1.0
    assert score("refund") == 0.98
    assert score("efun") == 0.90
    assert score("when is a refund due") == 0.84
    assert score("the shop is open") == 0.78
    assert score("heckou") == 0.72
    assert score("nothing of it") == 0.0


def test_the_bundled_data_is_what_the_generator_writes(tmp_path: Path) -> None:
    truth = simulate(tmp_path / "demo", DEMO, DEMO_SEED)
    for file in sorted((tmp_path / "demo").iterdir()):
        committed = pq.read_table(DATA / file.name)
        assert committed.equals(pq.read_table(file)), file.name
    assert truth.prompts == 1500
    assert 0.015 < truth.used / truth.shown < 0.04
    assert sum(file.stat().st_size for file in DATA.iterdir()) < 8_000_000


def test_the_bundled_log_is_as_sparse_and_biased_as_life() -> None:
    candidates = pq.read_table(DATA / "recall_query_candidates.parquet").to_pydict()
    scores: dict[bool, list[float]] = {True: [], False: []}
    clients: dict[str, list[bool]] = {}
    for shown, used, score, client in zip(
        candidates["selected"], candidates["used_in_answer"], candidates["final_rank_score"], candidates["client_type"],
        strict=True,
    ):  # fmt: skip
        if shown:
            scores[used].append(score)
            clients.setdefault(client, []).append(used)
    assert sorted(scores[True])[len(scores[True]) // 2] < sorted(scores[False])[len(scores[False]) // 2]
    rates = {client: sum(uses) / len(uses) for client, uses in clients.items() if len(uses) > 50}
    assert len(rates) == 4
    assert max(rates.values()) < 0.12
