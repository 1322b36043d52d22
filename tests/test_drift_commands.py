"""Drift and the gaps of history on the command line."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from histories import Server, recalled

from workbench import jobs
from workbench.cli import main
from workbench.store import writing


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with one recall whose memory was edited since, and one undated row."""
    path = tmp_path / "store.duckdb"
    server = Server()
    server.create("core://a", "one")
    server.edit("core://a", "two")
    server.tables["paths"].append(server.tables["paths"][0] | {"path": "b", "created_at": None})
    with writing(path, "a test") as db:
        recalled(db, server)
    return path


def test_status_counts_what_drifted_and_what_history_cannot_say(store: Path) -> None:
    said = jobs.status(store)
    assert said["drift"]["rows"] == 1
    assert said["drift"]["flags"]["edited_since"] == {"rows": 1, "shown": 1, "unknown": 0}
    assert said["history"]["gaps"] == {"addresses without a date": 1}
    assert said["history"]["certainty"]["content_versions"] == {"known": 2, "assumed": 0}
    assert said["doubts"] == [
        "History: 1 addresses without a date.",
        "1 of 1 shown memories: the text was edited since.",
    ]


def test_a_replay_says_what_drifted(
    store: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["workbench", "replay", "--db", str(store), "--json"])
    with pytest.raises(SystemExit) as ended:
        main()
    out, err = capfd.readouterr()
    assert not ended.value.code
    assert json.loads(out)["drift"]["flags"]["edited_since"]["rows"] == 1
    assert "the text was edited since" in err
