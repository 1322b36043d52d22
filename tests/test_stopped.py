"""Ctrl-C: one sentence, exit code 130, and everything as it was before."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from served import environment
from worlds import copy_of, world_store

from workbench.store import in_memory

_PROGRAM = """
import os, signal, threading, time
import workbench.cli.app
def press():
    time.sleep({after})
    while True:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep({again})
signal.signal(signal.SIGINT, signal.default_int_handler)
threading.Thread(target=press, daemon=True).start()
from workbench.cli import main
main()
"""
# A press that falls into a short call of a library may be lost; somebody would press again.
_AGAIN = 4


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of a simulated store, for one module."""
    return copy_of(world_store(900, 0.4, 3), tmp_path_factory.mktemp("stopped"))


def stopped(*words: str | Path, after: float) -> str:
    """What a command says that is stopped `after` seconds."""
    ended = subprocess.run(
        [sys.executable, "-c", _PROGRAM.format(after=after, again=_AGAIN), *map(str, words)],
        env={**os.environ, **environment()}, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert (ended.returncode, ended.stdout) == (130, ""), ended.stderr
    assert ended.stderr.count("\n") == 1, ended.stderr
    return ended.stderr.strip()


def test_a_query_that_is_stopped_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    class Pressed:
        def execute(self, sql: str) -> None:
            raise RuntimeError("Query interrupted")

        def close(self) -> None:
            pass

    with in_memory() as db:
        monkeypatch.setattr(db, "_connection", Pressed())
        with pytest.raises(KeyboardInterrupt):
            db.rows("SELECT 1")
        monkeypatch.undo()


@pytest.mark.parametrize("after", [0.3, 1.0])
@pytest.mark.parametrize(
    "words", ["simulate {folder}/new --prompts 20000", "replay --signals engine --dump {folder}/out.parquet --db {db}"]
)
def test_what_writes_files_leaves_none(world: Path, tmp_path: Path, words: str, after: float) -> None:
    said = stopped(*words.format(folder=tmp_path, db=world).split(), after=after)
    assert said == "Stopped; nothing was changed."
    assert [file for file in tmp_path.rglob("*") if file.is_file()] == []


def test_an_import_leaves_the_store_as_it_was(world: Path, conformance: Path) -> None:
    before = world.read_bytes()
    said = stopped("import", conformance / "tables", "--db", world, after=0.5)
    assert said == "Stopped; nothing was changed."
    assert world.read_bytes() == before
    assert not [*world.parent.glob("*.next-*"), *world.parent.glob("workbench-spill-*")]


def test_a_study_keeps_its_trials(world: Path) -> None:
    said = stopped("tune", "--trials", "5000", "--study", "stopped", "--db", world, after=2)
    assert said == "Stopped; the trials that were done are kept, and --resume goes on with them."


def test_the_loading_of_the_program_may_be_stopped(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from workbench import cli

    def pressed() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("workbench.cli.app.main", pressed)
    monkeypatch.setattr(sys, "argv", ["workbench", "status"])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert (ended.value.code, capsys.readouterr().err) == (130, "Stopped; nothing was changed.\n")
