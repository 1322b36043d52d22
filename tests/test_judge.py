"""Labels, outcomes and ledgers: three states, two addresses of a memory are one, nothing unknown becomes a number."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from log_builder import DEFAULT, Candidate, Prompt, hours, log_of

from workbench.judge import (
    Evidence,
    dump,
    judge_log,
    judged_replay,
    label_candidates,
    ledger,
    ledgers_by,
    quick_ledger,
    quick_sessions,
    read_ledgers,
)
from workbench.params import Params
from workbench.replay.run import Settings
from workbench.replay.selection import Selection
from workbench.store import Database

BULK = "agent_end"


def _with(**changes: float) -> Settings:
    values = {f"recall.display.{name}": value for name, value in changes.items()}
    return Settings(Params.default().replace(values), Params.default())


def _labels(db: Database, evidence: Evidence | None = None) -> dict[tuple[str, str], str]:
    judge_log(db, None, evidence)
    return {(query, uri): label for query, uri, label in db.rows("SELECT query_id, uri, label FROM judged_log")}


def test_a_pair_is_used_unused_or_unknown() -> None:
    prompts = [
        Prompt("q", [Candidate("a://1", 0.8, used=True), Candidate("a://2", 0.7), Candidate("a://3", 0.5, shown=False)])
    ]
    with log_of(prompts) as db:
        assert _labels(db) == {("q", "a://1"): "used", ("q", "a://2"): "shown_unused"}
        assert ledger(db, _with(min_display_score=0.4), None).as_json() == {
            "prompts": 1, "shown": 3, "used_kept": 1, "used_lost": 0, "unused_kept": 1, "removed": 0, "newly_shown": 1,
            "silent_prompts": 0, "unjudged_kept": 0, "unjudged_removed": 0, "newly_helpful": 0,
            "newly_unhelpful": 0, "missed": 0,
        }  # fmt: skip
        assert ledger(db, _with(min_display_score=0.9), None).as_json() == {
            "prompts": 1, "shown": 0, "used_kept": 0, "used_lost": 1, "unused_kept": 0, "removed": 1, "newly_shown": 0,
            "silent_prompts": 1, "unjudged_kept": 0, "unjudged_removed": 0, "newly_helpful": 0,
            "newly_unhelpful": 0, "missed": 0,
        }  # fmt: skip


@pytest.mark.parametrize(
    ("marks", "label"),
    [
        ([(True, BULK), (True, BULK)], "unknown"),
        ([(True, "mcp:lore_get_node"), (True, "mcp:lore_get_node")], "used"),
        ([(True, BULK), (False, BULK)], "used"),
        ([(True, None), (True, None)], "used"),
    ],
    ids=["in bulk", "two opens", "a report that names one", "old rows without a source"],
)
def test_a_blanket_mark_is_quarantined_and_counted(marks: list[tuple[bool, str | None]], label: str) -> None:
    candidates = [Candidate(f"a://{i}", 0.8 - i / 100, used=used, mark=mark) for i, (used, mark) in enumerate(marks)]
    with log_of([Prompt("q", candidates)]) as db:
        assert _labels(db)["q", "a://0"] == label
        judged = judge_log(db, None)
        assert (judged.blanket > 0) == (label == "unknown")
        assert judged.shown == judged.used + judged.shown_unused + judged.unknown == 2
        assert _labels(db, Evidence(blanket=True))["q", "a://0"] == "used"


def test_a_source_that_is_switched_off_leaves_its_pairs_unknown() -> None:
    with log_of([Prompt("q", [Candidate("a://1", 0.8, used=True), Candidate("a://2", 0.7)])]) as db:
        labels = _labels(db, Evidence(linked=False))
    assert labels == {("q", "a://1"): "unknown", ("q", "a://2"): "shown_unused"}


@pytest.mark.parametrize(
    ("client", "duration_ms", "late"),
    [
        ("hermes", 2001, True),
        ("hermes", 2000, False),
        ("mcp", 9000, True),
        ("claudecode", 9000, False),
        ("codex", 10_001, True),
        (None, 9000, False),
        (None, 10_001, True),
        ("hermes", None, False),
    ],
)
def test_a_late_recall_is_no_negative(client: str | None, duration_ms: int | None, late: bool) -> None:
    shown = [Candidate("a://1", 0.8), Candidate("a://2", 0.7, used=True)]
    with log_of([Prompt("q", shown, client=client, duration_ms=duration_ms)]) as db:
        judged = judge_log(db, None, Evidence())
        assert judged.late_prompts == late
        assert _labels(db, Evidence()) == {
            ("q", "a://1"): "unknown" if late else "shown_unused",
            ("q", "a://2"): "used",
        }
        assert _labels(db, Evidence(late=True))["q", "a://1"] == "shown_unused"


def test_the_time_limit_is_that_of_the_configuration_in_force() -> None:
    slow = [Prompt("q", [Candidate("a://1", 0.8)], client="pi", duration_ms=2500)]
    patient = Params.default().replace({"recall.safety.timeout_ms": 3000})
    with log_of(slow) as db:
        assert ledger(db, DEFAULT, None).unjudged_kept == 1
        assert ledger(db, Settings(patient, patient), None).unused_kept == 1
        db.execute("INSERT INTO app_settings VALUES ('recall.safety.timeout_ms', '{\"value\": 3000}', NULL)")
        assert judge_log(db, None).late_prompts == 0


def test_case_13_one_memory_two_addresses() -> None:
    both = [Candidate("core://a", 0.8), Candidate("project://b", 0.7, used=True)]
    with log_of([Prompt("q", both)], {"core://a": "n", "project://b": "n"}) as db:
        judged = judge_log(db, None)
        assert (judged.shown, judged.used) == (1, 1)
        only_a = ledger(db, _with(min_display_score=0.75), None)
        assert (only_a.shown, only_a.used_kept, only_a.used_lost) == (1, 1, 0)
        quick = quick_ledger(db, _with(min_display_score=0.75), label_candidates(db, None))
        assert quick == only_a


def test_sessions_are_the_clusters() -> None:
    prompts = [
        Prompt("q1", session=None),
        Prompt("q2", session=None),
        Prompt("q3", session="s"),
        Prompt("q4", session="s", client="pi"),
        Prompt("q5", session="boot"),
        Prompt("q6", session="boot", client="pi"),
        Prompt("q7", session="boot", at=Prompt("").at + hours(24)),
    ]
    with log_of(prompts) as db:
        judge_log(db, None)
        keys = dict(db.rows("SELECT query_id, session_key FROM judged_prompts"))
    assert len(set(keys.values())) == 6
    assert keys["q3"] == keys["q4"]


def test_case_19_ties_follow_the_servers_order_whatever_the_order_of_rows() -> None:
    uris = ["core://B", "core://a", "core://中", "core://é", "core://_x", "core://z"]
    found = set()
    for seed in range(50):
        shuffled = random.Random(seed).sample(uris, len(uris))
        with log_of([Prompt("q", [Candidate(uri, 0.7, used=uri == "core://z") for uri in shuffled])]) as db:
            counts = ledger(db, DEFAULT, None)
            places = db.rows("SELECT uri FROM outcomes WHERE place IS NOT NULL ORDER BY place")
            found.add((tuple(uri for (uri,) in places), counts))
    assert len(found) == 1
    ((display, counts),) = found
    assert display == ("core://_x", "core://a", "core://B")
    assert (counts.used_kept, counts.used_lost, counts.removed) == (0, 1, 2)


def _random_log(seed: int, prompts: int = 60) -> list[Prompt]:
    rng = random.Random(seed)
    made = []
    for number in range(prompts):
        candidates = []
        for place, uri in enumerate(rng.sample([f"a://{i}" for i in range(12)], rng.randint(0, 8))):
            shown = place < 3 and rng.random() < 0.8
            score = round(rng.uniform(0.4, 0.9), 3)
            mark = rng.choice(["mcp:lore_get_node", BULK, None])
            candidates.append(Candidate(uri, score, shown, shown and rng.random() < 0.3, mark))
        made.append(
            Prompt(
                f"q{number}",
                candidates,
                session=rng.choice([None, "s1", "s2", "boot"]),
                client=rng.choice([None, "codex", "pi"]),
                duration_ms=rng.choice([None, 100, 5000, 20_000]),
            )
        )
    return made


ALIASES = {f"a://{i}": f"n{i // 2}" for i in range(10)}


@pytest.mark.parametrize("seed", range(4))
def test_the_quick_ledger_is_the_ledger(seed: int) -> None:
    rng = random.Random(seed)
    with log_of(_random_log(seed), ALIASES) as db:
        Selection().materialise(db)
        labelled = label_candidates(db)
        for _ in range(10):
            settings = _with(min_display_score=round(rng.uniform(0.3, 0.9), 2), max_display_items=rng.randint(1, 6))
            full = ledger(db, settings)
            assert quick_ledger(db, settings, labelled) == full
            sessions = read_ledgers(db, "session")
            numbered = {row["session"]: row for row in quick_sessions(db, settings, labelled).to_pylist()}
            for total in labelled.sessions.to_pylist():
                counted = sessions[total["session_key"]]
                row = numbered.get(total["session"], dict.fromkeys(("shown", "used_kept", "newly_shown", "spoken"), 0))
                assert row["shown"] == counted.shown
                assert row["used_kept"] == counted.used_kept
                assert row["newly_shown"] == counted.newly_shown
                assert total["used"] == counted.used
                assert total["prompts"] - row["spoken"] == counted.silent_prompts


@pytest.mark.parametrize("seed", range(4))
def test_ledgers_add_up(seed: int) -> None:
    settings = _with(min_display_score=0.5, max_display_items=4)
    with log_of(_random_log(seed), ALIASES) as db:
        judged = judged_replay(db, settings, None)
        whole = read_ledgers(db)[""]
        assert whole.shown == whole.used_kept + whole.unused_kept + whole.unjudged_kept + whole.newly_shown
        assert (whole.used, whole.logged_shown, whole.prompts) == (judged.used, judged.shown, judged.prompts)
        for parts in (ledgers_by(db, settings, None), ledgers_by(db, settings, None, by="session")):
            for name, total in whole.as_json().items():
                assert sum(part.as_json()[name] for part in parts.values()) == total


def test_the_labels_of_a_dump_are_those_of_the_ledger(tmp_path: Path) -> None:
    path = tmp_path / "dump.parquet"
    with log_of(_random_log(9), ALIASES) as db:
        counts = ledger(db, _with(min_display_score=0.5), None)
        dump(db, _with(min_display_score=0.5), None, path)
        dumped = dict(
            db.rows(
                f"""SELECT label, count(DISTINCT (query_id, coalesce(node_uuid, uri)))
                FROM '{path}' WHERE shown GROUP BY label"""
            )
        )
    assert counts.unjudged_kept > 0
    assert dumped == {
        "used": counts.used_kept,
        "shown_unused": counts.unused_kept,
        "unknown": counts.newly_shown + counts.unjudged_kept,
    }
