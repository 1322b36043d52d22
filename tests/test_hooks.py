"""Hooks of agent runtimes: what they print, that they end in time, and that nothing makes them fail a prompt."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest
from hook_output import context_of
from served import GOLDEN_NOW, memory_store
from worlds import copy_of

from workbench.agents import Lore, records
from workbench.errors import BadInput
from workbench.hooks import front, worker
from workbench.hooks.hosts import HOSTS, START, SUBMIT, TOKEN_VARIABLE
from workbench.hooks.log import log_file
from workbench.jobs import follow_memories
from workbench.memories import Memory
from workbench.memories.rows import create
from workbench.retrieve.embeddings import add
from workbench.store import Inbox, writing

Hook = Callable[..., str]
BLOCK = re.compile(r"<recall .*?</recall>", re.DOTALL)
EVENTS = {"session.start": START, "prompt.submit": SUBMIT}


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with two memories, without vectors, where words alone reach the threshold."""
    path = tmp_path_factory.mktemp("hooks") / "template.duckdb"
    now = datetime.now(UTC)
    with writing(path, "test") as db:
        create(db, None, Memory("core://agent", "Read the failing test first.", 0), now)
        create(db, None, Memory("ops://deploy", "Freeze first.", 0, keywords=("deploy",)), now)
        db.append("app_settings", [{"key": "recall.display.min_display_score", "value": '{"value": 0.2}'}])
        follow_memories(db)
    return path


@pytest.fixture
def store(template: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(template, tmp_path / "s.duckdb"))


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Hook:
    """Run the worker of a hook in this process on an input; what it prints."""

    def call(runtime: str, event: str, given: Any, store: Path, *options: str, late: float = 0) -> str:
        raw = given if isinstance(given, bytes) else json.dumps(given).encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
        monkeypatch.setattr(sys, "argv", ["worker", runtime, event, "--db", str(store), *options])
        monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
        monkeypatch.setattr(worker, "_STARTED", time.monotonic() - late)
        assert worker.main() == 0
        return capfdbinary.readouterr().out.decode()

    return call


def without_ids(block: str) -> str:
    return re.sub(r'query_id="[^"]*"', "query_id", block)


@pytest.mark.conformance
@pytest.mark.parametrize("words", ["simple", "jieba"])
def test_every_runtime_is_given_what_the_server_gives(
    conformance: Path, tmp_path: Path, hook: Hook, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    monkeypatch.setattr("workbench.agents.Lore", partial(Lore, clock=lambda: GOLDEN_NOW))
    store = copy_of(memory_store(conformance, words), tmp_path)
    with gzip.open(conformance / "golden_lifecycle.jsonl.gz", "rt", encoding="utf-8") as lines:
        records = [record for record in map(json.loads, lines) if record["fts"] == words]
    compared = 0
    for record in records:
        given, wanted = record["input"], record["output"]
        runtime, event = given["runtime"].get("runtime_id"), EVENTS.get(given["event"]["name"])
        if runtime not in HOSTS or event is None:
            continue
        names = given.get("project") or {}
        project = tuple(names.get(f"{one}_name") or names.get(f"{one}Name") or "" for one in ("dir", "repo"))
        monkeypatch.setattr("workbench.hooks.payload.project_names", lambda folder, project=project: project)
        said = {"session_id": given["normalized"]["session_id"], "prompt": given["normalized"].get("prompt", "")}
        before = len(Inbox(store).read())
        context = context_of(runtime, event, hook(runtime, event, said, store))
        blocks = [without_ids(block) for block in BLOCK.findall(context)]
        assert blocks == [without_ids(block) for block in wanted["recall_blocks"]], given
        asked = [entry.record["query_text"] for entry in Inbox(store).read()[before:]]
        assert asked == (wanted["meta"]["queries"] if event == START else [said["prompt"]] if said["prompt"] else [])
        positions = [context.index(f"## {uri}\n") for uri in wanted["boot_uris"]]
        assert positions == sorted(positions)
        if blocks and positions:
            assert positions[-1] < context.index("<recall ")
        assert bool(context) == (wanted["has_output"] or len(said["prompt"]) > 200)
        compared += 1
    assert compared >= 15


def test_each_runtime_gets_its_own_form(hook: Hook, store: Path, tmp_path: Path) -> None:
    given = {"session_id": "s1", "cwd": str(tmp_path / "deploy"), "prompt": "deploy"}
    for runtime in HOSTS:
        for event in (START, SUBMIT):
            context = context_of(runtime, event, hook(runtime, event, given, store))
            assert "ops://deploy" in context, (runtime, event)
            assert ("Read the failing test first." in context) == (event == START)
            assert ('session_id="s1"' in context) == (event == SUBMIT)


def test_the_first_prompt_of_hermes_brings_the_start(hook: Hook, store: Path) -> None:
    given = {"session_id": "s1", "cwd": "/nowhere", "extra": {"user_message": "deploy", "is_first_turn": True}}
    context = context_of("hermes", SUBMIT, hook("hermes", SUBMIT, given, store))
    assert context.index("Read the failing test") < context.index('session_id="s1"')
    given["extra"]["is_first_turn"] = False  # type: ignore[index]
    assert "failing test" not in hook("hermes", SUBMIT, given, store)


def test_a_truncated_prompt_is_told(hook: Hook, store: Path) -> None:
    said = hook("claudecode", SUBMIT, {"prompt": "deploy " + "x" * 500}, store)
    assert "Only the first 200 of 507 characters" in said


def test_nothing_to_say_is_nothing_printed(hook: Hook, store: Path) -> None:
    for runtime in HOSTS:
        assert hook(runtime, SUBMIT, {"session_id": "s", "prompt": "zxqv wvutsr"}, store) == ""
    assert not log_file(store).exists()


HOSTILE = {
    "empty": b"", "white": b" \n", "no JSON": b"deploy", "half": b'{"prompt": "x', "binary": b"\xff\xfe\x00\x80",
    "list": b"[1]", "number": b"1", "null": b"null", "no prompt": b"{}",
    "wrong type": b'{"prompt": 7, "session_id": []}',
    "deep": b"[" * 200_000, "odd cwd": b'{"prompt": "", "cwd": "\\u0000"}', "NaN": b'{"prompt": NaN}',
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_input_is_logged_and_never_printed(hook: Hook, store: Path, name: str) -> None:
    assert hook("claudecode", SUBMIT, HOSTILE[name], store) == ""
    line = log_file(store).read_text(encoding="utf-8")
    assert (line.count("\n"), "claudecode prompt-submit: the input" in line) == (1, True)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_start_with_hostile_input_prints_the_start_or_nothing(hook: Hook, store: Path, name: str) -> None:
    said = hook("codex", START, HOSTILE[name], store)
    assert "Read the failing test" in said or (said == "" and log_file(store).exists())


def test_a_prompt_of_two_megabytes_and_odd_characters(hook: Hook, store: Path) -> None:
    assert "Only the first 200" in hook("codex", SUBMIT, {"prompt": "deploy " + "数" * 700_000}, store)
    given = b'{"session_id": "\\ud800", "cwd": "/a\\u0000b", "prompt": "deploy \\udfff \\u0000 \xf0\x9f"}'
    assert hook("claudecode", SUBMIT, given, store).startswith(("<recall ", ""))
    assert hook("claudecode", START, given, store)


def test_a_larger_input_than_any_prompt_is_logged(hook: Hook, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.hooks.payload.MOST_BYTES", 100)
    assert hook("claudecode", SUBMIT, {"prompt": "x" * 200}, store) == ""
    assert "larger than 100 bytes" in log_file(store).read_text(encoding="utf-8")


@pytest.mark.parametrize("state", ["missing", "broken", "folder", "foreign"])
def test_a_store_that_cannot_be_read_is_logged(hook: Hook, tmp_path: Path, state: str) -> None:
    store = tmp_path / "x.duckdb"
    if state == "broken":
        store.write_bytes(b"no database" * 1000)
    if state == "folder":
        store.mkdir()
    if state == "foreign":
        import duckdb

        duckdb.connect(str(store)).execute("CREATE TABLE t (a INTEGER)").close()
    for event in (START, SUBMIT):
        assert hook("claudecode", event, {"prompt": "deploy"}, store) == ""
    lines = log_file(store).read_text(encoding="utf-8").splitlines()
    assert len(lines) == 2
    assert all(str(store) in line for line in lines)
    assert "deploy" not in "".join(lines)


def test_what_comes_too_late_is_told_and_never_recorded_as_shown(hook: Hook, store: Path) -> None:
    assert "was skipped" in hook("claudecode", SUBMIT, {"session_id": "s", "prompt": "deploy"}, store, late=60)
    assert [entry.kind for entry in Inbox(store).read()] == [records.PROMPT]
    assert "ops://deploy" in hook("claudecode", SUBMIT, {"session_id": "s", "prompt": "deploy"}, store)
    assert [entry.kind for entry in Inbox(store).read()] == [records.PROMPT, records.RECALL]


def test_a_store_that_is_being_written_answers(hook: Hook, store: Path) -> None:
    with writing(store, "another job"):
        assert "ops://deploy" in hook("claudecode", SUBMIT, {"prompt": "deploy"}, store)


def test_a_store_that_another_program_holds_is_logged(hook: Hook, store: Path) -> None:
    program = f"import duckdb, sys; c = duckdb.connect({str(store)!r}); print('held', flush=True); sys.stdin.read()"
    holding = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with holding:
        assert holding.stdout
        assert holding.stdin
        assert holding.stdout.readline() == b"held\n"
        assert hook("claudecode", SUBMIT, {"prompt": "deploy"}, store) == ""
        holding.stdin.close()
    line = log_file(store).read_text(encoding="utf-8")
    assert (line.count("\n"), str(store) in line) == (1, True)


def test_an_embedder_that_is_away_is_logged_and_words_have_to_do(
    hook: Hook, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: Any) -> Any:
        raise BadInput("The embedding server is away.")

    with writing(store, "test") as db:
        add(db, "m1", ["freeze first"], np.ones((1, 3), np.float32))
    monkeypatch.setattr("workbench.embed.live.choose", away)
    assert "ops://deploy" in hook("claudecode", SUBMIT, {"prompt": "deploy"}, store)
    assert "The embedding server is away." in log_file(store).read_text(encoding="utf-8")


def test_a_fault_of_ours_is_logged_too(hook: Hook, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise ZeroDivisionError("a fault")

    monkeypatch.setattr("workbench.agents.lifecycle.Lifecycle.on", fail)
    assert hook("claudecode", SUBMIT, {"prompt": "deploy"}, store) == ""
    assert "ZeroDivisionError: a fault" in log_file(store).read_text(encoding="utf-8")


def test_the_command_ends_with_0_and_imports_nothing_of_the_project(store: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / "workbench").mkdir(parents=True)
    for name in ("workbench/__init__.py", "numpy.py", "duckdb.py", "json.py"):
        (project / name).write_text("raise RuntimeError('imported from the project')", encoding="utf-8")
    program = "import sys; sys.argv[0] = 'workbench'; from workbench.cli import main; main()"
    command = [sys.executable, "-P", "-c", program, "hook", "claudecode", SUBMIT, "--db", str(store), "--limit", "10"]
    environment = {**os.environ, "PYTHONPATH": str(Path(front.__file__).parents[2])}
    given = json.dumps({"session_id": "s1", "cwd": str(project), "prompt": "deploy"}).encode()
    ended = subprocess.run(command, input=given, cwd=project, env=environment, capture_output=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert b"ops://deploy" in ended.stdout or b"took longer" in ended.stdout


def test_a_working_folder_that_is_gone_fails_nothing(
    hook: Hook, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    with monkeypatch.context() as there:
        there.chdir(gone)
        gone.rmdir()
        assert "Read the failing test" in hook("codex", START, {"session_id": "s"}, store)
        assert front.main(["codex", START]) == 0
    assert b"could not be run" in capfdbinary.readouterr().err


class TestService:
    """A hook that asks a running service."""

    @pytest.fixture
    def service(self) -> Any:
        """A service that answers as `answer` says, and keeps what it was asked."""

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                time.sleep(server.delay)  # type: ignore[attr-defined]
                server.asked.append((self.path, self.headers["Authorization"], json.loads(body)))  # type: ignore[attr-defined]
                status, said = server.answer  # type: ignore[attr-defined]
                self.send_response(status)
                self.end_headers()
                self.wfile.write(said if isinstance(said, bytes) else json.dumps(said).encode())

            def log_message(self, *_: Any) -> None:
                """Nothing."""

        server = HTTPServer(("127.0.0.1", 0), Handler)
        server.asked, server.delay = [], 0  # type: ignore[attr-defined]
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        server.server_close()
        thread.join()

    def test_it_prints_the_context_of_the_answer(
        self, hook: Hook, tmp_path: Path, service: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv(TOKEN_VARIABLE, "secret-token")
        url = ("--url", f"http://127.0.0.1:{service.server_port}/")
        given = {"session_id": "s1", "cwd": str(tmp_path), "prompt": "deploy"}
        for answer in ({"context": "found"}, {"value": "found"}, {"value": {"context": "found"}},
                       {"value": {"hookSpecificOutput": {"additionalContext": "found"}}}):  # fmt: skip
            service.answer = 200, answer
            said = hook("codex", SUBMIT, given, tmp_path / "s.duckdb", *url)
            assert context_of("codex", SUBMIT, said) == "found"
        path, authorization, document = service.asked[0]
        assert (path, authorization) == ("/api/lifecycle/event", "Bearer secret-token")
        assert document["normalized"] == {"session_id": "s1", "prompt": "deploy"}
        assert document["event"]["name"] == "prompt.submit"

    @pytest.mark.parametrize(
        ("answer", "reason"),
        [((401, {}), "status 401"), ((500, b""), "status 500"), ((200, b"no JSON"), "cannot be asked"),
         ((200, {"value": None}), ""), ((200, ["x"]), ""), ((302, b""), "status 302")],
    )  # fmt: skip
    def test_any_other_answer_prints_nothing(
        self, hook: Hook, tmp_path: Path, service: Any, answer: Any, reason: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv(TOKEN_VARIABLE, "secret-token")
        service.answer = answer
        store = tmp_path / "s.duckdb"
        url = f"http://127.0.0.1:{service.server_port}"
        assert hook("claudecode", SUBMIT, {"prompt": "deploy"}, store, "--url", url) == ""
        said = log_file(store).read_text(encoding="utf-8") if reason else ""
        assert reason in said
        assert "secret-token" not in said

    def test_a_service_that_is_too_slow_is_told(self, hook: Hook, tmp_path: Path, service: Any) -> None:
        service.answer, service.delay = (200, {"context": "late"}), 1
        url = f"http://127.0.0.1:{service.server_port}"
        said = hook("codex", SUBMIT, {"prompt": "deploy"}, tmp_path / "s.duckdb", "--url", url, "--limit", "0.2")
        assert "was skipped" in context_of("codex", SUBMIT, said)
        assert "did not answer in time" in log_file(tmp_path / "s.duckdb").read_text(encoding="utf-8")

    @pytest.mark.parametrize("url", ["http://127.0.0.1:1", "nonsense", "http://[bad", "ftp://host.example", ""])
    def test_a_service_that_is_not_there_is_logged(self, hook: Hook, tmp_path: Path, url: str) -> None:
        store = tmp_path / "s.duckdb"
        assert hook("claudecode", SUBMIT, {"prompt": "deploy"}, store, "--url", url) == ""
        assert log_file(store).exists()
