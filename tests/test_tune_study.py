"""Studies on disk: totals, kills, resuming, and what must not be mixed."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import optuna
import pytest
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend
from tune_logs import planted, tuned_log
from worlds import world_store

from workbench.errors import BadInput, StoreLocked
from workbench.params import Params
from workbench.replay.logged import settings_in_force
from workbench.replay.selection import Selection
from workbench.store import Database, reading
from workbench.tune import TuneRequest, load_result, tune
from workbench.tune.goal import Goal
from workbench.tune.study import Place, opened_study

SETUP = {"data": 1}
KILLED = """
import os, signal, sys
from pathlib import Path
from workbench.params import Params
from workbench.store import reading
from workbench.replay.logged import settings_in_force
from workbench.tune import TuneRequest, tune
from workbench.tune.goal import Goal

kept, calls = Goal.kept, []

def counted(self, params):
    calls.append(params)
    if len(calls) > 37:
        os.kill(os.getpid(), signal.SIGKILL)
    return kept(self, params)

Goal.kept = counted
store, folder = map(Path, sys.argv[1:])
with reading(store) as db:
    tune(db, settings_in_force(db).params, folder, TuneRequest(trials=100))
"""


@pytest.fixture(scope="module")
def db() -> Iterator[Database]:
    """A log with a fault that can be found."""
    with tuned_log(planted) as database:
        yield database


def run(db: Database, folder: Path, **request: Any) -> dict[str, Any]:
    return tune(db, settings_in_force(db).params, folder, TuneRequest(**{"trials": 5, **request}))


def states(folder: Path, study: str = "study") -> list[str]:
    """As another process reads them."""
    storage = JournalStorage(JournalFileBackend(str(folder / f"{study}.journal")))
    return [trial.state.name for trial in optuna.load_study(study_name=study, storage=storage).get_trials()]


def test_case_33_a_killed_study_goes_on_to_its_total_while_somebody_reads(tmp_path: Path) -> None:
    store = world_store(900, 0.4, 3)
    killed = subprocess.run([sys.executable, "-c", KILLED, store, tmp_path], check=False, timeout=120)
    assert killed.returncode == -signal.SIGKILL
    before = states(tmp_path)
    assert before[-1] == "RUNNING"
    stop, polled = threading.Event(), []

    def poll() -> None:
        while not stop.is_set():
            polled.append(len(states(tmp_path)))
            time.sleep(0.05)

    reader = threading.Thread(target=poll)
    reader.start()
    said: list[str] = []
    try:
        with reading(store) as db:
            request = TuneRequest(trials=100, resume=True)
            params = settings_in_force(db).params
            result = tune(db, params, tmp_path, request, lambda done, total, what: said.append(f"{done} {what}"))
    finally:
        stop.set()
        reader.join()
    assert result["trials"] == {"completed": 100, "failed": 1}
    assert sorted(set(states(tmp_path))) == ["COMPLETE", "FAIL"]
    assert f"{before.count('COMPLETE')} trials, 1 failed" in said
    assert polled == sorted(polled)
    assert len(polled) > 1


def test_case_33_trials_are_a_total(db: Database, tmp_path: Path) -> None:
    run(db, tmp_path, trials=5)
    lines = (tmp_path / "study.journal").read_text(encoding="utf-8")
    assert run(db, tmp_path, trials=5, resume=True)["trials"] == {"completed": 5, "failed": 0}
    assert (tmp_path / "study.journal").read_text(encoding="utf-8").startswith(lines)
    assert run(db, tmp_path, trials=8, resume=True)["trials"] == {"completed": 8, "failed": 0}
    assert run(db, tmp_path, trials=2, resume=True)["trials"] == {"completed": 8, "failed": 0}


@pytest.mark.parametrize("stops_at", [26, 59])
def test_an_interrupted_study_ends_as_one_without_a_break(
    db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stops_at: int
) -> None:
    whole = run(db, tmp_path / "whole", trials=44)
    kept, calls = Goal.kept, []

    def interrupted(self: Goal, params: Params) -> Any:
        calls.append(params)
        if len(calls) == stops_at:
            raise KeyboardInterrupt
        return kept(self, params)

    with monkeypatch.context() as patch:
        patch.setattr(Goal, "kept", interrupted)
        with pytest.raises(KeyboardInterrupt):
            run(db, tmp_path / "cut", trials=44)
    cut = run(db, tmp_path / "cut", trials=44, resume=True)
    assert cut["trials"] == {"completed": 44, "failed": 1}
    assert cut["config"] == whole["config"]
    assert cut["luck"] == whole["luck"]


def test_a_study_is_not_started_over_or_twice(db: Database, tmp_path: Path) -> None:
    run(db, tmp_path, trials=1)
    with pytest.raises(BadInput, match="--resume"):
        run(db, tmp_path, trials=1)
    with (
        opened_study(Place(tmp_path, "held"), SETUP, resume=False),
        pytest.raises(StoreLocked, match="running in another process"),
        opened_study(Place(tmp_path, "held"), SETUP, resume=True),
    ):
        pass


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"noise_cost": 0.2}, "noise cost"),
        ({"tolerated_loss": 0.2}, "tolerated loss"),
        ({"seed": 2}, "seed"),
        ({"freeze": ("recall.weights.w_exact",)}, "keys and ranges"),
        ({"selection": Selection(clients=("codex", "pi"))}, "data"),
    ],
)
def test_a_study_is_not_mixed_with_another_one(db: Database, tmp_path: Path, other: dict[str, Any], said: str) -> None:
    run(db, tmp_path, trials=1)
    with pytest.raises(BadInput, match=rf"other data, settings or options \({said}\); choose another --study"):
        run(db, tmp_path, trials=2, resume=True, **other)


def test_a_study_is_not_mixed_with_other_settings_in_force(db: Database, tmp_path: Path) -> None:
    run(db, tmp_path, trials=1)
    other = Params().replace({"recall.weights.w_exact": 0.31})
    with pytest.raises(BadInput, match="settings in force"):
        tune(db, other, tmp_path, TuneRequest(trials=2, resume=True))


def test_a_label_that_changes_is_other_data(tmp_path: Path) -> None:
    with tuned_log(planted, prompts=40) as db:
        run(db, tmp_path, trials=1)
        db.execute("UPDATE wb.logged_candidates SET used = true, mark_source = NULL WHERE query_id = 'q00003'")
        with pytest.raises(BadInput, match="data"):
            run(db, tmp_path, trials=2, resume=True)


def test_a_line_that_a_kill_tore_is_cut_off(tmp_path: Path) -> None:
    with opened_study(Place(tmp_path, "torn"), SETUP, resume=False) as study:
        study.set_user_attr("looks", 3)
    with (tmp_path / "torn.journal").open("ab") as file:
        file.write(b'{"op_code":2,"wor')
    for looks in (4, 5):
        with opened_study(Place(tmp_path, "torn"), SETUP, resume=True) as study:
            study.set_user_attr("looks", looks)
    with opened_study(Place(tmp_path, "torn"), SETUP, resume=True) as study:
        assert study.user_attrs["looks"] == 5


def test_a_link_that_a_kill_left_stops_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = Path("studies")
    with opened_study(Place(folder, "linked"), SETUP, resume=False):
        pass
    (folder / "linked.journal.lock").symlink_to("studies/linked.journal")
    began = time.monotonic()
    with opened_study(Place(folder, "linked"), SETUP, resume=True) as study:
        study.set_user_attr("looks", 1)
    assert time.monotonic() - began < 5


def test_a_damaged_journal_is_named(tmp_path: Path) -> None:
    (tmp_path / "bad.journal").write_bytes(b'{"op_code":0}\nnonsense\n{}\n')
    with (
        pytest.raises(BadInput, match=r"bad\.journal is damaged in line 2; move it away"),
        opened_study(Place(tmp_path, "bad"), SETUP, resume=True),
    ):
        pass


def test_results_are_found_again_or_named(db: Database, tmp_path: Path) -> None:
    run(db, tmp_path, trials=1, study="mine")
    assert load_result(tmp_path, "mine")["study"] == "mine"
    assert (tmp_path / "mine.json").stat().st_mode & 0o077 == 0
    with pytest.raises(BadInput, match="no finished study yours; finished studies: mine"):
        load_result(tmp_path, "yours")
    for text in ("not JSON", "[]", json.dumps({"study": "x"})):
        (tmp_path / "mine.json").write_text(text, encoding="utf-8")
        with pytest.raises(BadInput, match=r"mine\.json is not the result of a study"):
            load_result(tmp_path, "mine")
