"""Prompts of agents linked to the log, and what agents opened that the server does not count."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from log_builder import Candidate, Prompt, log_of
from transcript_lines import Claude, Codex, block, taken, written

from workbench.jobs import import_log
from workbench.judge import write_misses
from workbench.store import Database, reading

URIS = {
    "core://shown": "n1", "core://hidden": "n2", "core://other": "n3", "project://alias": "n1", "core://agent": "boot",
    "core://unlogged": "n4",
}  # fmt: skip
TEN = datetime(2026, 12, 1, 10, tzinfo=UTC)
RANKED = (Candidate("core://shown", 0.8), Candidate("core://hidden", 0.4, shown=False))


def asked(query_id: str, seconds: float, session: str = "agent-1", **fields: Any) -> Prompt:
    return Prompt(query_id, RANKED, session=session, at=TEN + timedelta(seconds=seconds), **fields)


@contextmanager
def judged(
    folder: Path, prompts: Sequence[Prompt], *sessions: Claude | Codex, uris: dict[str, str] = URIS
) -> Iterator[Database]:
    with log_of(prompts, uris) as db:
        for number, session in enumerate(sessions):
            taken(db, written(folder, session.lines, f"{number}.jsonl"))
        write_misses(db)
        yield db


def misses(db: Database) -> list[tuple[Any, ...]]:
    return db.rows("SELECT query_id, node, grade, was_shown FROM miss_evidence ORDER BY ALL")


def links(db: Database) -> list[tuple[Any, ...]]:
    return db.rows("SELECT query_id, linked_by, prompt_id IS NOT NULL FROM linked_prompts ORDER BY ALL")


@pytest.mark.parametrize(
    ("address", "node", "was_shown"), [("CORE://SHOWN", "n1", True), ("Core://Hidden", "n2", False)]
)
def test_an_open_in_another_case_is_of_the_memory_that_it_means(
    tmp_path: Path, address: str, node: str, was_shown: bool
) -> None:
    agent = Claude()
    agent.user("one")
    agent.told(block("core://shown", session="agent-1", query="q1"))
    agent.opened("t1", address, query_id="q1")
    with judged(tmp_path, [asked("q1", 3)], agent) as db:
        assert misses(db) == [("q1", node, "opened_unlinked", was_shown)]


def test_an_open_belongs_to_the_turn_before_it(tmp_path: Path) -> None:
    agent = Claude()
    agent.opened("t0", "core://other")
    agent.user("one")
    agent.told(block("core://shown", session="agent-1", query="q1"))
    agent.opened("t1", "core://hidden")
    agent.user("two")
    agent.told(block("core://shown", session="agent-1", query="q2"))
    agent.opened("t2", "core://other")
    with judged(tmp_path, [asked("q1", 3), asked("q2", 7)], agent) as db:
        assert links(db) == [("q1", "query_id", True), ("q2", "query_id", True)]
        assert misses(db) == [("q1", "n2", "opened_unlinked", False), ("q2", "n3", "opened_unlinked", False)]
        assert db.rows("SELECT m.uri, m.at::VARCHAR FROM miss_evidence AS m WHERE query_id = 'q1'") == [
            ("core://hidden", "2026-12-01 10:00:04+00")
        ]


def test_what_the_server_counts_is_no_miss_and_what_was_shown_is_said(tmp_path: Path) -> None:
    agent = Claude()
    agent.user("one")
    agent.told(block("core://shown", session="agent-1", query="q1"))
    agent.opened("t1", "core://shown", session_id="agent-1", query_id="q1")
    agent.opened("t2", "core://shown/", query_id=" q1 ")
    with judged(tmp_path, [asked("q1", 1)], agent) as db:
        assert misses(db) == []
        reasons = db.rows("SELECT p.reason, p.counted FROM placed_opens AS p ORDER BY p.at")
        assert reasons == [("counted", True), ("opened before for the same prompt", True)]
    agent.opened("t3", "core://shown")
    agent.opened("t4", "project://alias", query_id="q1")
    agent.opened("t5", "core://hidden", query_id="q1")
    with judged(tmp_path, [asked("q1", 1)], agent) as db:
        assert misses(db) == [("q1", "n1", "opened_unlinked", True), ("q1", "n2", "opened_unlinked", False)]


def test_a_search_of_the_same_turn_is_stronger_than_none(tmp_path: Path) -> None:
    agent = Claude()
    agent.user("one")
    agent.told(block("core://shown", session="agent-1", query="q1"))
    agent.searched("t1", "words", "core://hidden", "project://alias")
    agent.opened("t2", "core://hidden")
    agent.opened("t3", "core://shown")
    agent.user("two")
    agent.told(block("core://shown", session="agent-1", query="q2"))
    agent.opened("t4", "core://hidden")
    with judged(tmp_path, [asked("q1", 1), asked("q2", 9)], agent) as db:
        assert misses(db) == [
            ("q1", "n1", "opened_after_search", True), ("q1", "n2", "opened_after_search", False),
            ("q2", "n2", "opened_unlinked", False),
        ]  # fmt: skip


def test_start_up_memories_and_failed_opens_are_no_misses(tmp_path: Path) -> None:
    agent = Claude()
    agent.user("one")
    agent.told(block("core://shown", session="agent-1", query="q1"))
    agent.opened("t1", "core://agent")
    agent.call("t2", "lore_get_node", uri="core://hidden")
    agent.answer("t2", "Lore get node failed: Path not found", is_error=True)
    agent.call("t3", "lore_get_node", uri="core://unlogged")
    with judged(tmp_path, [asked("q1", 1)], agent) as db:
        assert misses(db) == [("q1", "n4", "opened_unlinked", False)]


def test_without_a_block_prompt_and_query_are_linked_by_session_and_time(tmp_path: Path) -> None:
    agent = Claude()
    agent.user("one")
    agent.opened("t1", "core://hidden")
    agent.now = 60
    agent.user("two")
    agent.now = 600
    agent.user("three, which the log does not know")
    agent.opened("t2", "core://other")
    log = [asked("q1", 2), asked("q2", 59), asked("q3", 300), asked("other", 60, "agent-9")]
    with judged(tmp_path, log, agent) as db:
        assert links(db) == [("q1", "time", True), ("q2", "time", True)]
        assert misses(db) == [("q1", "n2", "opened_unlinked", False)]


def test_one_query_belongs_to_one_prompt(tmp_path: Path) -> None:
    agent = Claude()
    for _ in range(5):
        agent.user("again")
    with judged(tmp_path, [asked("q1", 2.2)], agent) as db:
        assert db.rows("SELECT l.query_id, l.at::VARCHAR FROM linked_prompts AS l") == [
            ("q1", "2026-12-01 10:00:02+00")
        ]


def test_the_same_text_is_nearer_than_any_other(tmp_path: Path) -> None:
    agent = Claude()
    for text in ("one", "two", "three"):
        agent.user(text)
        agent.now += 9
    log = [asked(f"q-{text}", 9 + 10 * place, text=text) for place, text in enumerate(("one", "two", "three"))]
    with judged(tmp_path, log, agent) as db:
        texts = "SELECT l.query_id, p.query_text FROM linked_prompts AS l JOIN wb.agent_prompts AS p USING (prompt_id)"
        assert sorted(db.rows(texts)) == [("q-one", "one"), ("q-three", "three"), ("q-two", "two")]


@pytest.mark.parametrize("by", ["query", "session"])
def test_a_session_known_through_its_block_alone(tmp_path: Path, by: str) -> None:
    agent = Codex("rollout")
    agent.user("one")
    agent.told(block("core://shown", session="sess_server", query="q1" if by == "query" else None))
    agent.opened("c1", "core://hidden")
    agent.now = 40
    agent.user("two")
    agent.opened("c2", "core://other")
    with judged(tmp_path, [asked("q1", 1, "sess_server"), asked("q2", 41, "sess_server")], agent) as db:
        assert [row[:2] for row in misses(db)] == [("q1", "n2"), ("q2", "n3")]


def test_prompts_of_the_service_are_called_as_their_queries() -> None:
    with log_of([asked("q1", 1), asked("q2", 1)], URIS) as db:
        db.execute(
            "INSERT INTO wb.agent_prompts BY NAME SELECT query_id AS prompt_id, 'service' AS source, now AS prompted_at"
            " FROM wb.logged_queries"
        )
        write_misses(db)
        assert links(db) == [("q1", "query_id", True), ("q2", "query_id", True)]


def test_a_recall_at_the_start_of_a_session_is_no_turn(tmp_path: Path) -> None:
    agent = Claude()
    agent.user("one")
    agent.told(block("core://shown", session="agent-1", query="q1"))
    agent.told(block("core://other", session="boot", query="boot-1"))
    agent.opened("t1", "core://hidden")
    log = [asked("q1", 1), asked("boot-1", 2, "boot", text="claudecode")]
    with judged(tmp_path, log, agent) as db:
        assert misses(db) == [("q1", "n2", "opened_unlinked", False)]
        assert ("boot-1", "query_id", False) in links(db)


def test_a_memory_that_moved_is_the_same_memory(tmp_path: Path) -> None:
    agent = Claude()
    agent.user("one")
    agent.told(block("core://shown", session="agent-1", query="q1"))
    agent.searched("t0", "x", "core://now")
    agent.opened("t1", "core://now")
    agent.opened("t2", "project://now_too")
    moved = {"core://now": "n2", "project://now_too": "n2", "core://shown": "n1"}
    with judged(tmp_path, [asked("q1", 1)], agent, uris=moved) as db:
        assert misses(db) == [("q1", "n2", "opened_after_search", False)]


def test_without_transcripts_nothing_is_invented() -> None:
    with log_of([asked("q1", 1)], URIS) as db:
        found = write_misses(db)
        assert misses(db) == links(db) == []
        assert (found.opened_unlinked, found.linked_by_time) == (0, 0)


@pytest.mark.conformance
def test_the_real_opens_as_a_transcript_are_judged_as_on_the_server(conformance: Path, tmp_path: Path) -> None:
    agent = Claude("sess_simple_00")
    opens = [json.loads(line) for line in (conformance / "opens.jsonl").read_text(encoding="utf-8").splitlines()]
    for number, opened in enumerate(opens):
        agent.call(f"call-number-{number:08}", "lore_get_node", **opened["args"])
        agent.answer(f"call-number-{number:08}", opened["response_head"], is_error=opened["is_error"])
    store = tmp_path / "golden.duckdb"
    import_log(store, str(conformance / "tables"))
    import_log(store, str(written(tmp_path, agent.lines)))
    with reading(store) as db:
        marked = db.rows("SELECT query_id, node_uri FROM recall_query_candidates WHERE used_in_answer")
        write_misses(db)
        counted = db.rows("SELECT trim(given_query_id), address FROM placed_opens WHERE reason = 'counted'")
        assert len(counted) == sum(o["used_count_after"] == (o["used_count_before"] or 0) + 1
                                   for o in opens if o["used_count_after"] is not None)  # fmt: skip
        assert set(counted) <= set(marked)
        kinds = dict(db.rows("SELECT reason, count(*) FROM placed_opens GROUP BY 1"))
        assert kinds["no query_id"] == sum("query_id" not in opened["args"] for opened in opens)
