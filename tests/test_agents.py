"""What agents are given and what they do: recorded as it happened, in whatever order, and replayed exactly."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import pytest
from served import GOLDEN_NOW, memory_store
from worlds import copy_of

from workbench.agents import Caller, Lore, Overrides, Recalled, Skipped, lanes
from workbench.agents.canary import Canary
from workbench.agents.generation import Generation, generation
from workbench.agents.journal import Journal
from workbench.agents.lanes import Lanes
from workbench.agents.lifecycle import Event, Lifecycle
from workbench.errors import BadInput, StoreLocked
from workbench.folding import fold
from workbench.judge.marks import Reason
from workbench.params import Params
from workbench.store import Inbox, reading, writing

Run = Callable[..., tuple[int, str, str]]
PROMPT = "how are webhook retries deduplicated?"
SHOWN = [
    "project://checkout_api/webhooks",
    "knowledge://distributed_systems/idempotency",
    "project://search_service",
]
pytestmark = pytest.mark.conformance


@pytest.fixture
def path(conformance: Path, tmp_path: Path) -> Path:
    """A store with the memories of the golden results and no log."""
    return copy_of(memory_store(conformance), tmp_path)


@pytest.fixture
def lore(path: Path) -> Any:
    with patient(path) as service:
        yield service


def patient(path: Path, **options: Any) -> Lore:
    """One that skips no recall, however slow the machine is."""
    return Lore(path, until=time.monotonic() + 86_400, clock=lambda: GOLDEN_NOW, **options)


def rows(path: Path, sql: str) -> list[tuple[Any, ...]]:
    with reading(path) as db:
        return db.rows(sql)


def recalled(lore: Lore, prompt: str = PROMPT, session: str = "s1", **options: Any) -> Recalled:
    found = lore.recall(prompt, Caller(session, "claudecode"), **options)
    assert isinstance(found, Recalled)
    return found


def test_a_session_is_recorded_as_it_happened(path: Path, lore: Lore, run: Run) -> None:
    """Start, prompt, search, an open with the identifiers, one without."""
    lifecycle = Lifecycle(lore)
    runtime = {"runtime_family": "claudecode", "runtime_id": "claudecode"}
    lifecycle.on(Event.of({
        "runtime": runtime, "event": {"name": "session.start"}, "normalized": {"session_id": "s1"},
        "project": {"dir_name": "checkout_api"},
    }))  # fmt: skip
    answer = lifecycle.on(Event.of({
        "runtime": runtime, "event": {"name": "prompt.submit"}, "normalized": {"session_id": "s1", "prompt": PROMPT},
    }))  # fmt: skip
    caller = Caller("s1", "claudecode")
    found = lore.search("redis", caller, limit=3)
    linked = lore.open(SHOWN[0], caller, answer.query_id, "s1")
    unlinked = lore.open("ops://redis", caller)
    assert (linked.reason, unlinked.reason) == (Reason.COUNTED, Reason.NO_QUERY_ID)
    assert "deduplicated with the Idempotency-Key" in linked.text
    assert fold(path) == 6

    assert rows(path, "SELECT query_id, session_id, traffic FROM wb.logged_queries WHERE traffic = 'prompt'") == [
        (answer.query_id, "s1", "prompt")
    ]
    assert rows(path, "SELECT count(*) FROM wb.logged_queries WHERE traffic = 'startup'") == [(2,)]
    assert rows(path, "SELECT prompt_id, session_id, query_text FROM wb.agent_prompts") == [
        (answer.query_id, "s1", PROMPT)
    ]
    seen = rows(path, "SELECT prompt_id, session_id, uris FROM wb.agent_recalls ORDER BY prompt_id NULLS LAST")
    assert seen[0] == (answer.query_id, "s1", SHOWN)
    assert [row[:2] for row in seen[1:]] == [(None, "s1")]
    assert rows(path, "SELECT session_id, query_text, uris FROM wb.agent_searches") == [
        ("s1", "redis", [result["uri"] for result in found.results])
    ]
    opens = rows(path, "SELECT uri, session_id, given_query_id, found FROM wb.agent_opens ORDER BY uri")
    assert opens == [("ops://redis", "s1", None, True), (SHOWN[0], "s1", answer.query_id, True)]
    used = "SELECT node_uri FROM recall_query_candidates WHERE used_in_answer"
    assert rows(path, used) == [(SHOWN[0],)]
    missed = json.loads(run("missed", "--db", path, "--json")[1])
    assert [(memory["uri"], memory["missed"]) for memory in missed["memories"]] == [("ops://redis", 1)], missed
    _, out, _ = run("report", "--db", path, "--json")
    said = json.loads(out)
    assert {name: said[name] for name in ("prompts", "shown", "used", "silent_prompts")} == {
        "prompts": 1, "shown": 3, "used": 1, "silent_prompts": 0,
    }  # fmt: skip


def test_our_own_log_is_replayed_exactly(path: Path, lore: Lore, run: Run, conformance: Path) -> None:
    prompts = json.loads((conformance / "prompts.json").read_text(encoding="utf-8"))
    texts = [prompt["query"] for prompt in prompts][::10]
    for text in texts:
        recalled(lore, text)
    fold(path)
    code, out, _ = run("parity", "--db", path, "--json")
    said = json.loads(out)
    assert (code, said["share"], said["flips"]) == (0, 1.0, 0)
    assert said["rows"] > 3000
    _, out, _ = run("parity", "--db", path, "--signals", "engine", "--json")
    said = json.loads(out)
    # One memory of that corpus carries a time stamp of the future.
    assert {cause["cause"] for cause in said["causes"]} <= {"memory edited or indexed since"}
    assert (said["flips"], said["rows"] > 3000) == (0, True)


def test_the_metadata_is_that_of_the_server(path: Path, lore: Lore, conformance: Path) -> None:
    import pyarrow.parquet as pq

    real = pq.read_table(conformance / "tables" / "recall_events.parquet").to_pylist()
    text = real[0]["query_text"]
    wanted = {(e["node_uri"], e["retrieval_path"], e["view_type"]): e for e in real if e["query_text"] == text}
    found = recalled(lore, text)
    fold(path)
    columns = "node_uri, retrieval_path, view_type, pre_rank_score, final_rank_score, metadata"
    ours = rows(path, f"SELECT {columns} FROM recall_events WHERE query_id = '{found.query_id}'")
    assert {(uri, signal, view) for uri, signal, view, *_ in ours} == set(wanted)
    own = {"query_id", "session_id", "client_type", "raw_score", "cue_terms", "glossary_terms"}
    marks = {"answer_signal_source", "answer_session_id", "answer_marked_at", "answer_client_type"}
    for uri, signal, view, raw, score, metadata in ours:
        event = wanted[uri, signal, view]
        if signal == "glossary_semantic":
            continue  # several keywords of one address
        assert (raw, score) == pytest.approx((event["pre_rank_score"], event["final_rank_score"]), abs=1.1e-6)
        got, server = json.loads(metadata), json.loads(event["metadata"])
        assert got.keys() == server.keys() - marks
        for name in got.keys() - own:
            assert got[name] == (pytest.approx(server[name], abs=1.1e-6) if name == "score_breakdown" else server[name])
        assert got["cue_terms"] == server["cue_terms"][: len(got["cue_terms"])]


def test_a_mark_before_its_recall_counts(path: Path, lore: Lore) -> None:
    query_id = recalled(lore).query_id
    (recall,) = [entry for entry in Inbox(path).read() if entry.kind == "recall"]
    lore.open(SHOWN[1], Caller(), f" {query_id} ")
    (opened,) = [entry for entry in Inbox(path).read() if entry.kind == "open"]
    late = Inbox(path.with_name("other.duckdb"))
    with writing(path.with_name("other.duckdb"), "test"):
        pass
    for entry in (opened, recall):
        late.append(entry.kind, entry.record)
        fold(path.with_name("other.duckdb"))
    candidates = "recall_query_candidates JOIN recall_queries USING (query_id)"
    used = f"SELECT node_uri, used_count FROM {candidates} WHERE used_in_answer"
    assert rows(path.with_name("other.duckdb"), used) == [(SHOWN[1], 1)]


def test_what_the_server_does_not_count_is_not_counted(path: Path, lore: Lore) -> None:
    query_id = recalled(lore).query_id
    for uri, query, reason in (
        (SHOWN[0], None, Reason.NO_QUERY_ID),
        (SHOWN[0], "unknown", Reason.UNKNOWN_QUERY_ID),
        ("ops://redis", query_id, Reason.NOT_SHOWN),
        ("project://nowhere", query_id, Reason.NO_MEMORY),
        (SHOWN[0].upper(), query_id, Reason.OTHER_CASE),
        (SHOWN[0] + "/", query_id, Reason.COUNTED),
        (SHOWN[0], query_id, Reason.AGAIN),
    ):
        assert lore.open(uri, Caller("other"), query).reason is reason, uri
    fold(path)
    assert rows(path, "SELECT node_uri FROM recall_query_candidates WHERE used_in_answer") == [(SHOWN[0],)]


def test_a_report_without_addresses_marks_all_and_gives_way_to_an_open(path: Path, lore: Lore) -> None:
    query_id = recalled(lore).query_id or ""
    lore.used(query_id, [], Caller("s1"), preview="done")
    lore.open(SHOWN[2], Caller("s1"), query_id)
    fold(path)
    source = "metadata ->> '$.answer_signal_source'"
    marks = f"SELECT DISTINCT node_uri, {source} FROM recall_events WHERE used_in_answer ORDER BY 1"
    assert rows(path, marks) == [
        (SHOWN[1], "agent_end"), (SHOWN[0], "agent_end"), (SHOWN[2], "mcp:lore_get_node"),
    ]  # fmt: skip


def test_a_late_result_is_never_recorded_as_shown(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.agents.lore._elapsed_ms", lambda began: 30_001)
    with Lore(path) as lore:
        found = lore.recall(PROMPT, Caller("s1"))
        assert isinstance(found, Skipped)
        assert found.notices == ["Recall took longer than 30000 ms and was skipped for this prompt."]
    fold(path)
    assert rows(path, "SELECT count(*) FROM recall_queries") == [(0,)]
    assert rows(path, "SELECT query_text FROM wb.agent_prompts") == [(PROMPT,)]


def test_the_start_of_a_session_is_no_prompt_of_it(path: Path, lore: Lore) -> None:
    """Also where the block of the runtime names the session itself."""
    event = {
        "runtime": {"runtime_family": "opencode"}, "event": {"name": "session.start"},
        "normalized": {"session_id": "s1"}, "project": {"dir_name": "deploy"},
    }  # fmt: skip
    assert 'session_id="s1"' in Lifecycle(lore).on(Event.of(event)).recall_blocks[0]
    fold(path)
    assert rows(path, "SELECT DISTINCT traffic FROM wb.logged_queries") == [("startup",)]
    assert rows(path, "SELECT DISTINCT session_id, prompt_id FROM wb.agent_recalls") == [("s1", None)]


def test_an_empty_prompt_is_not_recorded(path: Path, lore: Lore) -> None:
    assert recalled(lore, " \n").query_id is None
    assert Inbox(path).read() == []


def test_a_new_generation_is_taken_up(path: Path, lore: Lore) -> None:
    assert recalled(lore).found.items
    with writing(path, "test") as db:
        db.execute("UPDATE memories SET deprecated = true")
        db.execute("DELETE FROM memory_views")
        db.execute("DELETE FROM glossary_term_embeddings")
    assert not recalled(lore).found.items


def test_while_a_new_generation_cannot_be_read_the_one_before_answers(
    path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refused(path: Path) -> NoReturn:
        raise StoreLocked("Another program has opened it.")

    monkeypatch.setattr(lanes, "AGAIN_SECONDS", 600.0)
    with patient(path, lanes=1) as lore:
        before = recalled(lore).found.items
        with writing(path, "test") as db:
            db.execute("DELETE FROM memory_views")
            db.execute("DELETE FROM glossary_term_embeddings")
        with monkeypatch.context() as held:
            held.setattr(lanes, "generation", refused)
            assert [recalled(lore).found.items for _ in range(3)] == [before] * 3
        told = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
        assert told == ["Another program has opened it. Answering from the state of the store before."]


def test_a_generation_that_could_not_be_read_is_taken_up_later(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Path] = []

    @contextmanager
    def refused_once(path: Path) -> Iterator[Generation]:
        asked.append(path)
        if len(asked) == 2:
            raise StoreLocked("Another program has opened it.")
        with generation(path) as loaded:
            yield loaded

    monkeypatch.setattr(lanes, "AGAIN_SECONDS", 0.0)
    monkeypatch.setattr(lanes, "generation", refused_once)
    with patient(path, lanes=1) as lore:
        assert recalled(lore).found.items
        with writing(path, "test") as db:
            db.execute("UPDATE memories SET deprecated = true")
            db.execute("DELETE FROM memory_views")
            db.execute("DELETE FROM glossary_term_embeddings")
        assert recalled(lore).found.items
        assert not recalled(lore).found.items
    assert len(asked) == 3


def test_prompts_of_many_threads_are_not_mixed_up(path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    texts = [PROMPT, "idempotency key", "ok", "数据库迁移怎么做才安全"] * 12
    with patient(path, lanes=2) as lore:
        alone = {text: recalled(lore, text, record=False).found.items for text in set(texts)}
        with ThreadPoolExecutor(16) as threads:
            found = list(threads.map(lambda text: recalled(lore, text), texts))
    assert [one.found.items for one in found] == [alone[text] for text in texts]
    assert len({one.query_id for one in found}) == len(texts)
    assert fold(path) == len(texts)


def test_a_request_may_ask_otherwise(lore: Lore) -> None:
    one = recalled(lore, overrides=Overrides(max_display_items=0))
    assert [item["uri"] for item in one.found.items] == SHOWN[:1]
    ops = recalled(lore, overrides=Overrides(domain="ops", min_display_score=0.1))
    assert {item["uri"].partition(":")[0] for item in ops.found.items} == {"ops"}


def test_sessions_are_shared_at_random_and_always_alike(path: Path) -> None:
    silent = Params.default().replace({"recall.display.min_display_score": 1.0})
    canary = Canary(silent, 0.5, "seed")
    names = [f"s{number}" for number in range(40)]
    with patient(path, canary=canary) as lore:
        shown = {name: bool(recalled(lore, session=name).found.items) for name in names}
        assert all(bool(recalled(lore, session=name).found.items) == shown[name] for name in names[:5])
    assert 8 < sum(shown.values()) < 32
    fold(path)
    arms = dict(rows(path, "SELECT session_id, arm FROM wb.recall_arms"))
    assert arms == {name: "current" if shown[name] else "candidate" for name in names}


def test_prompts_that_wait_go_together_and_in_one_thread(path: Path) -> None:
    lanes, began, go_on = Lanes(path, 2), threading.Event(), threading.Event()

    def work(held: Any, items: Any) -> list[int]:
        began.set()
        assert go_on.wait(600)
        return [len(items)] * len(items)

    first = lanes.submit(work, 0, "group")
    assert began.wait(600)
    others = [lanes.submit(work, number, "group") for number in range(1, 40)]
    alone = lanes.submit(lambda held, items: [len(items)], 0)
    assert alone.result(600) == 1, "the other thread does what is not of the group"
    go_on.set()
    assert first.result(600) == 1
    assert [other.result(600) for other in others] == [32] * 32 + [7] * 7
    lanes.close()


def test_work_that_fails_says_so_and_the_lane_goes_on(path: Path) -> None:
    lanes = Lanes(path, 1)

    def work(held: Any, items: Any) -> list[int]:
        return [1 // item for item in items]

    with pytest.raises(ZeroDivisionError):
        lanes.submit(work, 0).result(600)
    assert lanes.submit(work, 1).result(600) == 1
    lanes.close()


def test_a_journal_outlives_what_follows_from_its_size(path: Path) -> None:
    def fail(size: int) -> None:
        raise ZeroDivisionError

    journal = Journal(path, fail)
    for number in range(3):
        journal.keep("prompt", {"number": number})
    journal.close()
    assert [entry.record["number"] for entry in Inbox(path).read()] == [0, 1, 2]


def test_a_journal_that_cannot_be_written_is_told_to_whoever_waits(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise BadInput("There is no room left.")

    journal = Journal(path)
    with monkeypatch.context() as broken:
        broken.setattr(Inbox, "append_all", full)
        with pytest.raises(BadInput, match="no room"):
            journal.keep("prompt", {})
    journal.keep("prompt", {})
    journal.close()
    assert len(Inbox(path).read()) == 1


def test_a_recall_is_answered_where_it_cannot_be_recorded(
    path: Path, lore: Lore, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: Any) -> None:
        raise BadInput("There is no room left.")

    recorded = recalled(lore)
    with monkeypatch.context() as broken:
        broken.setattr(Inbox, "append_all", full)
        found = recalled(lore)
    assert found.query_id is None
    assert found.found.items == recorded.found.items
    assert found.found.block.startswith("<recall>\n")
    assert found.found.block.splitlines()[1:] == recorded.found.block.splitlines()[1:]
    assert "There is no room left. A recall was answered and is not recorded." in caplog.text
    assert len(Inbox(path).read()) == 1
    assert recalled(lore).query_id is not None


def test_a_full_inbox_is_taken_in_by_the_way(path: Path) -> None:
    folded = threading.Event()

    def publish(store: Path) -> int:
        count = fold(store)
        folded.set()
        return count

    with patient(path, fold=publish, fold_bytes=1000) as lore:
        recalled(lore)
        assert folded.wait(600)
    assert rows(path, "SELECT count(*) FROM recall_queries") == [(1,)]
