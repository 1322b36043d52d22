"""The service where something is in its way: it answers, says so once, and loses nothing that it acknowledged."""

from __future__ import annotations

import errno
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from filelock import FileLock
from memory_store import Memories
from starlette.testclient import TestClient

from workbench.agents import Caller, Lore, Recalled
from workbench.agents import lanes as lanes_module
from workbench.agents.generation import generation
from workbench.agents.known import Known
from workbench.folding import fold
from workbench.judge.marks import Reason
from workbench.retrieve.embeddings import add
from workbench.service.http import application
from workbench.service.mcp import mcp_server
from workbench.store import Inbox, reading, writing

HOLDER = """
import sys
import duckdb
held = duckdb.connect(sys.argv[1])
print("held", flush=True)
sys.stdin.read()
"""
PROMPT = "refund"
WORDLESS = "New prompts have no vectors: they are recalled by words alone."


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with two memories, without vectors, where words alone reach the threshold."""
    store = tmp_path / "store.duckdb"
    with writing(store, "test") as db:
        memories = Memories(db)
        memories.add("ops://refunds", priority=1, keywords=["refund"], views={"gist": "money back"})
        memories.add("ops://other", priority=1, keywords=["else"], views={"gist": "something else"})
        db.append("app_settings", [
            {"key": "recall.display.min_display_score", "value": '{"value": 0.2}'},
            {"key": "recall.safety.timeout_ms", "value": '{"value": 30000}'},
        ])  # fmt: skip
    return store


def shown(lore: Lore, session: str = "s1") -> list[str]:
    found = lore.recall(PROMPT, Caller(session))
    assert isinstance(found, Recalled)
    return [item["uri"] for item in found.found.items]


@contextmanager
def held_open(path: Path) -> Iterator[None]:
    """Another program that has the store open for writing."""
    process = subprocess.Popen([sys.executable, "-c", HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert process.stdout
        assert process.stdout.readline() == b"held\n"
        yield
    finally:
        process.communicate()


def publish_silence(path: Path) -> None:
    with writing(path, "test") as db:
        db.execute("UPDATE app_settings SET value = '{\"value\": 1.0}' WHERE key LIKE '%min_display_score'")


@pytest.mark.parametrize("lanes", [1, 2])
def test_a_store_that_another_program_holds_is_answered_from_before(
    path: Path, lanes: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(lanes_module, "AGAIN_SECONDS", 0.0)
    with Lore(path, lanes=lanes) as lore:
        assert shown(lore) == ["ops://refunds"]
        publish_silence(path)
        with held_open(path):
            for number in range(6):
                assert shown(lore, f"held-{number}") == ["ops://refunds"]
            said = [record.getMessage() for record in caplog.records if "open for writing" in record.getMessage()]
            assert 1 <= len(said) <= lanes
            assert said[0].endswith("Answering from the state of the store before.")
            assert any("newest state of the store cannot be read" in warning for warning in lore.warnings())
        for _ in range(20):
            last = shown(lore, "free")
        assert last == []
        assert lore.warnings() == [WORDLESS]
    assert fold(path) == 27


def test_a_store_that_is_gone_is_answered_from_before(path: Path) -> None:
    with Lore(path) as lore:
        assert shown(lore) == ["ops://refunds"]
        path.rename(path.with_name("elsewhere"))
        assert shown(lore) == ["ops://refunds"]
        path.with_name("elsewhere").rename(path)
    assert fold(path) == 2


def test_whoever_holds_the_inbox_keeps_no_recall_waiting_and_loses_none(path: Path) -> None:
    Inbox(path).append("prompt", {"query_id": "q", "query_text": "x", "session_id": "s", "client_type": None, "at": (
        "2026-12-01T00:00:00Z"
    )})  # fmt: skip
    with Lore(path) as another:
        before = another.recall(PROMPT, Caller("s1"))
    lock = FileLock(path.with_name(f"{path.name}.inbox") / "lock")
    with Lore(path) as lore:
        with lock:
            found = lore.recall(PROMPT, Caller("s1"))
            assert isinstance(found, Recalled)
            assert isinstance(before, Recalled)
            opened = [
                lore.open("ops://refunds", Caller("s1"), query_id).used
                for query_id in (found.query_id, before.query_id, "of nobody")
            ]
            assert lock.is_locked
        assert opened == ["counted", "counted", "a query_id that no prompt has"]
        assert shown(lore, "s2") == ["ops://refunds"]
    kinds = [entry.kind for entry in Inbox(path).read()]
    assert sorted(kinds) == ["open", "open", "open", "prompt", "recall", "recall", "recall"]
    assert fold(path) == len(kinds)
    with reading(path) as db:
        used = "SELECT query_id FROM recall_query_candidates WHERE used_in_answer"
        assert {query_id for (query_id,) in db.rows(used)} == {found.query_id, before.query_id}
    assert Inbox(path).read() == []


def test_a_recall_that_was_taken_in_after_the_state_at_hand_is_known(path: Path) -> None:
    with Lore(path) as another:
        found = [another.recall(PROMPT, Caller("s1")) for _ in range(2)]
    known = Known(path)
    with reading(path) as at_hand:
        (node,) = at_hand.row("SELECT child_uuid FROM edges JOIN paths ON edge_id = edges.id WHERE path = 'refunds'")
        assert fold(path) == 2
        for one in found:
            assert isinstance(one, Recalled)
            assert known.opened(at_hand, "ops://refunds", node, one.query_id) is Reason.COUNTED
        assert known.opened(at_hand, "ops://refunds", node, "of nobody") is Reason.UNKNOWN_QUERY_ID


def test_a_file_that_finds_no_room_beside_a_held_inbox_is_not_there(
    path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    folder = path.with_name(f"{path.name}.inbox")
    folder.mkdir()
    with Lore(path) as lore, FileLock(folder / "lock"), monkeypatch.context() as full:
        full.setattr("workbench.store.inbox.os.fsync", no_room)
        assert shown(lore) == ["ops://refunds"]
    assert sorted(file.name for file in folder.iterdir()) == ["lock"]
    assert "No space left" in caplog.text


def no_room(*_: Any) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def read_only(*_: Any, **__: Any) -> None:
    raise OSError(errno.EROFS, os.strerror(errno.EROFS))


@pytest.mark.parametrize(
    ("what", "fault", "said"),
    [("os.fsync", no_room, "No space left on device"), ("Path.mkdir", read_only, "Read-only file system")],
)
def test_agents_get_their_memories_where_nothing_can_be_written(
    path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, what: str, fault: Any, said: str
) -> None:
    with Lore(path) as lore, TestClient(application(lore, mcp_server(lore), None), base_url="http://localhost") as http:
        kept = http.post("/api/browse/recall", json={"query": PROMPT, "session_id": "s1"}).json()["query_id"]
        with monkeypatch.context() as hindered:
            hindered.setattr(f"workbench.store.inbox.{what}", fault)
            for _ in range(3):
                found = http.post("/api/browse/recall", json={"query": PROMPT, "session_id": "s1"}).json()
                assert ([item["uri"] for item in found["items"]], found["query_id"]) == (["ops://refunds"], None)
                assert found["block"].startswith("<recall>\n")
            assert http.get("/api/browse/search", params={"query": "refund"}).json()["results"]
            given = {"uri": "ops://refunds", "query_id": kept}
            assert http.get("/api/browse/node", params=given).json()["used"] == "not recorded"
            usage = http.post("/api/browse/recall/usage", json={"query_id": kept})
            assert (usage.status_code, said in usage.json()["error"]) == (400, True)
            health = http.get("/health").json()
            assert health["warnings"][-1].startswith("What agents do cannot be recorded")
            assert str(path.parent) not in str(health)
        assert http.get("/api/browse/node", params=given).json()["used"] == "counted"
        assert http.get("/health").json() == {"status": "ok", "warnings": [WORDLESS]}
    warned = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert [line for line in warned if said in line] == [
        next(line for line in warned if said in line and line.endswith("A recall was answered and is not recorded."))
    ]
    assert "Traceback" not in caplog.text
    assert fold(path) == 2
    with reading(path) as db:
        used = "SELECT query_id FROM recall_query_candidates WHERE used_in_answer"
        assert db.rows(used) == [(kept,)]


def test_what_lacks_vectors_is_told_once_at_the_start(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with Lore(path) as lore:
        lore.warm_up()
        shown(lore)
        lore.start(["codex"], Caller("s1"))
        lore.warm_up()
        assert lore.warnings() == [WORDLESS]
    assert caplog.text.count("No text of the store is embedded") == 1
    assert caplog.text.count("New prompts are recalled by words alone.") == 1


def test_an_embedder_of_another_model_is_told(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with writing(path, "test") as db:
        add(db, "another-model", ["money back"], np.ones((1, 3), np.float32))
    with Lore(path) as lore:
        lore.warm_up()
        shown(lore)
        assert lore.warnings() == [WORDLESS]
    assert caplog.text.count("The store is embedded with another-model and the embedder that is set makes") == 1


def test_a_new_state_is_loaded_while_others_answer(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow loading keeps no prompt of its own group waiting."""
    go_on, loading = threading.Event(), threading.Event()

    def slow(store: Path) -> Any:
        loading.set()
        assert go_on.wait(60)
        return generation(store)

    with Lore(path, lanes=2) as lore:
        shown(lore)
        for held in lore._lanes._held:
            held.current()
        with monkeypatch.context() as patched:
            patched.setattr(lanes_module, "generation", slow)
            publish_silence(path)
            assert shown(lore, "meanwhile") == ["ops://refunds"]
            assert loading.wait(60)
            go_on.set()
