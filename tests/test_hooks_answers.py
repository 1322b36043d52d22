"""Hooks that ask a service whose answer has no end, and hooks put where they are switched off."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import pytest

from workbench.hooks.front import LIMIT_SECONDS, Call
from workbench.hooks.hosts import SUBMIT
from workbench.hooks.install import install
from workbench.hooks.log import log_file

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 900000000\r\n\r\n"


@contextmanager
def endless(part: bytes, pause: float) -> Iterator[str]:
    """The address of a service whose answer has no end; a part each `pause` seconds."""
    stop = Event()

    def answer(listening: socket.socket) -> None:
        try:
            wire, _ = listening.accept()
            with wire:
                wire.recv(65_536)
                wire.sendall(HEAD)
                while not stop.wait(pause):
                    wire.sendall(part)
        except OSError:  # nobody listens any more
            pass

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = Thread(target=answer, args=(listening,))
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        stop.set()
        thread.join()


def hook(store: Path, url: str, limit: float) -> bytes:
    ended = subprocess.run(
        [sys.executable, "-m", "workbench.hooks.worker", "codex", SUBMIT, "--db", str(store), "--url", url,
         "--limit", str(limit)],
        input=json.dumps({"session_id": "s", "prompt": "deploy"}).encode(), capture_output=True, check=True,
    )  # fmt: skip
    assert ended.stderr == b""
    return ended.stdout


def test_an_answer_that_is_too_long_is_not_read_to_its_end(tmp_path: Path) -> None:
    store = tmp_path / "s.duckdb"
    with endless(b"x" * 100_000, 0) as url:
        assert hook(store, url, LIMIT_SECONDS) == b""
    assert "more than 4,000,000 bytes" in log_file(store).read_text(encoding="utf-8")


def test_an_answer_that_trickles_is_left_in_time(tmp_path: Path) -> None:
    """Each part comes in time for itself; all of them would take more than a year."""
    store = tmp_path / "s.duckdb"
    with endless(b"x", 0.05) as url:
        assert b"was skipped" in hook(store, url, 3)
    assert "did not answer in time" in log_file(store).read_text(encoding="utf-8")


@pytest.mark.parametrize("enabled", [False, True, None])
def test_hooks_that_are_switched_off_are_told(tmp_path: Path, enabled: bool | None) -> None:
    settings = tmp_path / "config.json"
    settings.write_text(json.dumps({"hooks": {} if enabled is None else {"enabled": enabled}}), encoding="utf-8")
    done = install(Call("zcode", SUBMIT, tmp_path / "s.duckdb"), settings)
    assert ("hooks.enabled is not true there" in done.notes[0]) == (enabled is False)
    assert json.loads(settings.read_text(encoding="utf-8"))["hooks"]["enabled"] is (enabled is not False)
