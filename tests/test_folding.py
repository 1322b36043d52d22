"""What arrived one by one: taken in by the next publication, once."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from workbench.folding import HANDLERS, fold, waiting
from workbench.jobs import import_log
from workbench.store import Database, Inbox, writing

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store, and a handler for entries of the kind `node`."""

    def take(db: Database, records: Sequence[dict[str, Any]]) -> None:
        db.append("nodes", [{"uuid": record["uuid"]} for record in records])

    monkeypatch.setitem(HANDLERS, "node", take)
    with writing(tmp_path / "store.duckdb", "test"):
        pass
    return tmp_path / "store.duckdb"


def test_entries_are_taken_in_once(path: Path) -> None:
    Inbox(path).append("node", {"uuid": "a"})
    assert waiting(path) == 1
    assert fold(path) == 1
    assert (waiting(path), fold(path)) == (0, 0)


def test_an_import_takes_in_what_waits(path: Path, tmp_path: Path) -> None:
    (tmp_path / "nodes.jsonl").write_text('{"uuid": "b"}\n', encoding="utf-8")
    Inbox(path).append("node", {"uuid": "a"})
    assert import_log(path, str(tmp_path / "nodes.jsonl"), dry_run=True)["folded"] == 1
    assert waiting(path) == 1
    assert import_log(path, str(tmp_path / "nodes.jsonl"))["folded"] == 1
    assert waiting(path) == 0


def test_a_reader_says_that_something_waits(path: Path, run: Run) -> None:
    assert "workbench fold" not in run("parity", "--db", path)[2]
    Inbox(path).append("node", {"uuid": "a"})
    assert "`workbench fold`" in run("parity", "--db", path)[2]
    code, out, _ = run("fold", "--db", path, "--json")
    assert (code, json.loads(out)) == (0, {"folded": 1})
    assert "workbench fold" not in run("parity", "--db", path)[2]


def test_folding_needs_a_store(tmp_path: Path, run: Run) -> None:
    code, out, err = run("fold", "--db", tmp_path / "none.duckdb")
    assert (code, out) == (2, "")
    assert "There is no store" in err
    assert not (tmp_path / "none.duckdb").exists()
