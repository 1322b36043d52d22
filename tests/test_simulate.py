"""Simulated worlds: the same every time, as sparse as life, scored by the one formula, and the bundled demo data."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from worlds import world_store

from workbench import jobs
from workbench.demo import DATA
from workbench.errors import BadInput
from workbench.replay.logged import settings_in_force
from workbench.replay.parity import parity
from workbench.replay.run import Settings
from workbench.simulate import DEMO, DEMO_SEED, World, checked_world, simulate
from workbench.simulate.files import GrowingFiles
from workbench.simulate.memories import Space, make_memories, subjects, unit
from workbench.simulate.prompts import make_prompts
from workbench.simulate.signals import Indexed, Search, exact_flags, exact_score, words
from workbench.store import TABLES, Database, reading

SMALL = World(prompts=120)
LIVELY = World(prompts=300, needs=0.5)
CHINESE = re.compile(r"[\u4e00-\u9fff]")


@pytest.fixture(scope="module")
def db() -> Iterator[Database]:
    with reading(world_store(900, 0.4, 3)) as database:
        yield database


@pytest.fixture(scope="module")
def lively(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lively") / "world"
    simulate(folder, LIVELY, 2)
    return folder


def rows(folder: Path, name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pq.read_table(folder / f"{name}.parquet").to_pylist()
    return found


def digests(folder: Path) -> dict[str, str]:
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(folder.iterdir())}


# --- the same every time -------------------------------------------------------------------------------------------


def test_one_seed_gives_the_same_bytes_and_another_one_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    simulate(tmp_path / "a", SMALL, 5)
    simulate(tmp_path / "other", SMALL, 6)
    monkeypatch.setenv("WORKBENCH_THREADS", "1")
    simulate(tmp_path / "b", SMALL, 5)
    assert digests(tmp_path / "a") == digests(tmp_path / "b")
    assert digests(tmp_path / "a")["recall_events.parquet"] != digests(tmp_path / "other")["recall_events.parquet"]


def test_the_rows_do_not_depend_on_how_many_prompts_are_done_at_a_time(tmp_path: Path) -> None:
    simulate(tmp_path / "whole", SMALL, 5)
    simulate(tmp_path / "parts", SMALL, 5, batch=31)
    for file in (tmp_path / "whole").iterdir():
        assert pq.read_table(file).equals(pq.read_table(tmp_path / "parts" / file.name)), file.name


def test_similarities_are_exact_so_that_no_processor_gets_others() -> None:
    rng = np.random.default_rng(1)
    left, right = (unit(rng.normal(size=(40, SMALL.dimensions))).astype(np.float64) for _ in range(2))
    for computed, a, b in zip(np.diag(left @ right.T).tolist(), left.tolist(), right.tolist(), strict=True):
        exact = sum((Fraction(x) * Fraction(y) for x, y in zip(a, b, strict=True)), Fraction(0))
        assert Fraction(computed) == exact
    assert np.linalg.norm(left, axis=1) == pytest.approx(1, abs=1e-5)


# --- tables and import ---------------------------------------------------------------------------------------------


def test_the_files_are_the_tables_of_lore(lively: Path) -> None:
    assert {file.stem for file in lively.iterdir()} == {*TABLES, "truth"}
    for name, table in TABLES.items():
        columns = set(pq.read_schema(lively / f"{name}.parquet").names)
        assert columns <= set(table.column_names)
        assert set(table.required) <= columns


def test_the_folder_is_imported_whole_and_only_once(lively: Path, tmp_path: Path) -> None:
    store = tmp_path / "store.duckdb"
    first, second = (jobs.import_log(store, str(lively)) for _ in range(2))
    for name in TABLES:
        written = pq.read_metadata(lively / f"{name}.parquet").num_rows
        assert (first["tables"][name]["read"], first["tables"][name]["added"]) == (written, written)
        assert (second["tables"][name]["added"], second["tables"][name]["updated"]) == (0, 0)
    assert first["rejected"] == []
    assert "truth" not in first["tables"]
    with reading(store) as db:
        assert db.row("SELECT count(*) FROM information_schema.tables WHERE table_name = 'truth'")[0] == 0


def test_a_replay_reproduces_every_simulated_score(db: Database) -> None:
    in_force = settings_in_force(db).params
    found = parity(db, Settings(in_force, in_force))
    assert found.rows > 20_000
    assert (found.rows_equal, found.flips, dict(found.excluded)) == (found.rows, 0, {})


def test_time_stamps_explain_the_recency_terms(db: Database) -> None:
    sources = dict(db.rows("SELECT age_source, count(*) FROM wb.logged_candidates GROUP BY age_source"))
    assert set(sources) == {"timestamps"}


def test_a_memory_has_one_present_version_and_the_former_one_leads_to_it(lively: Path) -> None:
    memories = {row["id"]: row for row in rows(lively, "memories")}
    present = Counter(row["node_uuid"] for row in memories.values() if not row["deprecated"])
    assert set(present.values()) == {1}
    former = [row for row in memories.values() if row["deprecated"]]
    assert len(former) > 5
    for row in former:
        now = memories[row["migrated_to"]]
        assert (now["node_uuid"], now["deprecated"]) == (row["node_uuid"], False)
        assert now["created_at"] - row["created_at"] >= timedelta(days=1)
        assert now["content"] != row["content"]
    events = Counter(row["event_type"] for row in rows(lively, "memory_events"))
    assert events == {"create": len(present), "update": len(former)}


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(BadInput, match="not empty"):
        simulate(tmp_path, SMALL, 1)
    assert [file.name for file in tmp_path.iterdir()] == ["mine.txt"]


def test_a_log_takes_its_name_only_when_it_is_complete(tmp_path: Path) -> None:
    def interrupted() -> None:
        with GrowingFiles(tmp_path) as files:
            files.add("log", pa.table({"n": [1]}))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert list(tmp_path.iterdir()) == []
    with GrowingFiles(tmp_path) as files:
        files.add("log", pa.table({"n": [1]}))
        files.add("log", pa.table({"n": [2, 3]}))
    assert [file.name for file in tmp_path.iterdir()] == ["log.parquet"]
    assert pq.read_table(tmp_path / "log.parquet")["n"].to_pylist() == [1, 2, 3]


def test_a_folder_that_is_gone_is_said_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"^Cannot write log\.parquet to "), GrowingFiles(tmp_path / "gone") as files:
        files.add("log", pa.table({"n": [1]}))


@pytest.mark.parametrize("sizes", [(0, 10, 10), (10, 0, 10), (10, 10, 0), (3_000_000, 10, 10)])
def test_sizes_that_make_no_sense_are_refused(sizes: tuple[int, int, int]) -> None:
    with pytest.raises(BadInput, match="must lie in 1 to"):
        checked_world(*sizes)


# --- metadata as a server logs it ----------------------------------------------------------------------------------

SHARED = {"query_id", "cue_terms", "raw_score", "matched_on", "session_id", "client_type", "source_weight",
          "retrieval_meta", "ranked_position", "score_breakdown", "displayed_position"}  # fmt: skip
OWN = {
    "exact": {"exact_flags", "glossary_terms"},
    "glossary_semantic": {"glossary_terms"},
    "dense": {"llm_refined"},
    "lexical": {"llm_refined", "lexical_flags"},
}
ANSWER = {"answer_marked_at", "answer_session_id", "answer_client_type", "answer_signal_source"}


def test_the_metadata_has_the_keys_of_its_signal(lively: Path) -> None:
    seen = Counter[tuple[str, bool]]()
    for row in rows(lively, "recall_events"):
        meta = json.loads(row["metadata"])
        used = row["used_in_answer"]
        assert set(meta) == SHARED | OWN[row["retrieval_path"]] | (ANSWER if used else set())
        assert meta["raw_score"] * meta["source_weight"] == pytest.approx(row["pre_rank_score"], rel=1e-6)
        assert (meta["query_id"], meta["displayed_position"]) == (row["query_id"], row["displayed_position"])
        terms = {name: value for name, value in meta["score_breakdown"].items() if name != "lexical_damp"}
        assert sum(terms.values()) == pytest.approx(row["final_rank_score"], abs=5e-6)
        seen[row["retrieval_path"], used] += 1
    assert all(seen[signal, used] for signal in ("glossary_semantic", "dense", "lexical") for used in (True, False))


def test_the_logged_counts_and_reasons_are_those_of_the_rows(lively: Path) -> None:
    events = rows(lively, "recall_events")
    counts = Counter((row["query_id"], row["retrieval_path"]) for row in events)
    signals: dict[tuple[str, str], set[str]] = {}
    for row in events:
        signals.setdefault((row["query_id"], row["node_uri"]), set()).add(row["retrieval_path"])
    for row in events:
        meta = json.loads(row["metadata"])
        for signal in OWN:
            assert meta["retrieval_meta"][f"{signal}_candidates"] == counts[row["query_id"], signal]
        assert meta["matched_on"] == sorted(meta["matched_on"])
        assert set(meta["matched_on"]) & set(OWN) == signals[row["query_id"], row["node_uri"]]


def test_the_flags_of_an_exact_row_explain_its_tier(lively: Path) -> None:
    tiers = {1.0: "path_exact_hit", 0.98: "glossary_exact_hit", 0.9: "glossary_text_hit"}
    tiers[0.84] = "query_contains_glossary_hit"
    for row in rows(lively, "recall_events"):
        if row["retrieval_path"] == "exact":
            meta = json.loads(row["metadata"])
            held = [flag for flag in tiers.values() if meta["exact_flags"][flag]]
            assert held[:1] == [tiers[meta["raw_score"]]] if meta["raw_score"] in tiers else not held


# --- texts, signals and truth hang together ------------------------------------------------------------------------


def test_needed_memories_tend_to_score_higher_than_others_by_meaning(tmp_path: Path) -> None:
    truth = simulate(tmp_path / "w", LIVELY, 2)
    assert truth.needed > 100
    assert truth.needed_and_shown > 0.5 * truth.needed
    assert 0 < truth.used < truth.needed_and_shown


def test_what_was_opened_was_needed_shown_and_in_time(lively: Path) -> None:
    uris = {row["node_uuid"]: row["uri"] for row in rows(lively, "memory_views")}
    candidates = {(row["query_id"], row["node_uri"]): row for row in rows(lively, "recall_query_candidates")}
    queries = {row["query_id"]: row for row in rows(lively, "recall_queries")}
    truth = {row["query_id"]: row for row in rows(lively, "truth")}
    opened = {(row["query_id"], uris[row["node_uuid"]]) for row in truth.values() if row["opened"]}
    assert opened
    assert all(candidates[pair]["selected"] and queries[pair[0]]["duration_ms"] <= 2_000 for pair in opened)
    for row in rows(lively, "recall_events"):
        if row["used_in_answer"]:
            linked = json.loads(row["metadata"])["answer_signal_source"] == "mcp:lore_get_node"
            assert row["selected"]
            assert not linked or (row["query_id"], row["node_uri"]) in opened


def test_a_client_without_links_has_blanket_marks_alone(lively: Path) -> None:
    assert DEMO.clients["pi"].links == 0
    marks: dict[str, set[str]] = {}
    for row in rows(lively, "recall_events"):
        if row["used_in_answer"]:
            meta = json.loads(row["metadata"])
            marks.setdefault(row["client_type"], set()).add(meta["answer_signal_source"])
    assert marks["pi"] == {"agent_end"}
    assert "mcp:lore_get_node" in marks["claudecode"]


def test_a_blanket_mark_hits_all_that_the_recall_showed(lively: Path) -> None:
    sources = {
        (row["query_id"], row["node_uri"]): json.loads(row["metadata"])["answer_signal_source"]
        for row in rows(lively, "recall_events")
        if row["used_in_answer"]
    }
    blanket = {query_id for (query_id, _), source in sources.items() if source == "agent_end"}
    shown = {
        (row["query_id"], row["node_uri"])
        for row in rows(lively, "recall_query_candidates")
        if row["selected"] and row["query_id"] in blanket
    }
    assert blanket
    assert shown == {pair for pair in sources if pair[0] in blanket}


def test_a_prompt_of_which_only_a_paste_is_searched_has_no_subject() -> None:
    rng = np.random.default_rng(1)
    world = replace(SMALL, prompts=400, long=0.3, needs=0.9)
    prompts = make_prompts(world, make_memories(world, rng), rng)
    cut = [prompt for prompt in prompts if prompt.truncated]
    assert len(cut) > 50
    assert {prompt.about for prompt in cut} == {-1}
    assert any(prompt.needed >= 0 for prompt in cut)
    assert all((len(prompt.text) > 200) == prompt.truncated for prompt in prompts)


def test_the_search_finds_what_the_definitions_say() -> None:
    rng = np.random.default_rng(1)
    memories = make_memories(SMALL, rng)
    prompts = make_prompts(SMALL, memories, rng)
    space = Space.make(SMALL, rng)
    keywords = space.embed([m.subject for m in memories for _ in m.keywords], 0.2, rng)
    views = space.embed([m.subject for m in memories for _ in range(2)], 0.2, rng)
    vectors = space.embed([prompt.about for prompt in prompts], 0.2, rng)
    found = Search(Indexed(memories, keywords, views), 1_000).rows(0, prompts, vectors).to_pylist()
    logged = {(row["query_no"], row["signal"], row["memory_no"], row["view_type"]): row["raw_score"] for row in found}
    for n, prompt in enumerate(prompts):
        query = prompt.searched.lower()
        tokens = set(words(query))
        for memory in memories:
            glossary = " ".join(sorted(memory.keywords)).lower()
            own = set(words(f"{glossary} {memory.uri} {memory.path}"))
            score = exact_score(query, tokens, memory, glossary, own)
            assert logged.get((n, "exact", memory.number, "exact"), 0.0) == score
            for view, text in zip(("gist", "question"), memory.view_texts(), strict=True):
                r = 0.1 * sum(word in tokens for word in words(text))
                rank = logged.get((n, "lexical", memory.number, view), 0.0)
                assert rank == pytest.approx(r / (1 + r), abs=1e-7)
    assert sum(row["signal"] == "dense" for row in found) == len(prompts) * len(memories) * 2


def test_a_search_of_96_rows_a_signal_gives_as_many_candidates_as_a_server(tmp_path: Path) -> None:
    simulate(tmp_path / "w", replace(SMALL, row_limit=96), 1)
    merged = [row["merged_count"] for row in rows(tmp_path / "w", "recall_queries")]
    assert 60 <= sum(merged) / len(merged) <= 100


def test_more_memories_than_subjects_get_addresses_of_their_own() -> None:
    made = make_memories(replace(SMALL, memories=300), np.random.default_rng(1))
    assert len({memory.uri for memory in made}) == len(made) == 303


def test_every_subject_speaks_both_languages() -> None:
    for subject in subjects():
        assert subject.english.isascii()
        assert not subject.chinese.isascii()


def test_exact_tiers_are_those_of_the_server() -> None:
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
    assert exact_flags("refund", {"refund"}, memory, glossary, own) == 2 + 4 + 8 + 16


# --- the bundled log -----------------------------------------------------------------------------------------------


def test_the_bundled_data_is_what_the_generator_writes(tmp_path: Path) -> None:
    truth = simulate(tmp_path / "demo", DEMO, DEMO_SEED)
    assert {file.name for file in DATA.iterdir()} == {file.name for file in (tmp_path / "demo").iterdir()}
    for file in sorted((tmp_path / "demo").iterdir()):
        committed = pq.read_table(DATA / file.name)
        assert committed.equals(pq.read_table(file)), file.name
    assert truth.prompts == 1500
    assert sum(file.stat().st_size for file in DATA.iterdir()) < 8_000_000
    assert str(DEMO_SEED) in (DATA.parent / "README.md").read_text(encoding="utf-8")


def test_the_bundled_log_is_as_sparse_and_biased_as_life() -> None:
    scores: dict[bool, list[float]] = {True: [], False: []}
    clients: dict[str, list[bool]] = {}
    for row in rows(DATA, "recall_query_candidates"):
        if row["selected"]:
            scores[row["used_in_answer"]].append(row["final_rank_score"])
            clients.setdefault(row["client_type"], []).append(row["used_in_answer"])
    used, unused = scores[True], scores[False]
    assert 0.025 < len(used) / (len(used) + len(unused)) < 0.033
    assert np.median(used) < np.median(unused)
    rates = sorted(sum(uses) / len(uses) for client, uses in clients.items() if client != "admin")
    assert len(rates) == 4
    assert rates[0] >= 0.0145
    assert 0.06 < rates[-1] < 0.12


def test_the_bundled_log_has_every_kind_of_recall() -> None:
    queries = rows(DATA, "recall_queries")
    sessions = Counter(row["session_id"] for row in queries)
    assert sessions["boot"] > 20
    assert sessions["recall-ui-debug"] == 10
    assert sum("HEARTBEAT_OK" in row["query_text"] for row in queries) > 5
    assert sum(row["duration_ms"] > 2_000 for row in queries) > 3
    assert sum(len(row["query_text"]) > 200 for row in queries) > 20
    assert max(Counter(row["query_text"] for row in queries).values()) > 10
    assert 0.3 < sum(bool(CHINESE.search(row["query_text"])) for row in queries) / len(queries) < 0.7
    days = {row["created_at"].date() for row in queries}
    assert max(days) - min(days) == timedelta(days=41)
