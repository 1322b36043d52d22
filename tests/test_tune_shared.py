"""One study that several processes or machines work on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tune_logs import planted, tuned_log

from workbench.errors import BadInput
from workbench.params import Params
from workbench.replay.logged import settings_in_force
from workbench.store import Database
from workbench.tune import TuneRequest, help_tuning, tune
from workbench.tune.search import Trials, Tried


def shared(folder: Path, trials: int, **more: Any) -> TuneRequest:
    return TuneRequest(trials=trials, storage=f"sqlite:///{folder / 'studies.sqlite'}", **more)


def helped(db: Database, folder: Path, request: TuneRequest) -> dict[str, Any]:
    return help_tuning(db, settings_in_force(db).params, folder, request)


def test_another_machine_adds_trials_and_the_first_judges_all_of_them(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    with tuned_log(planted) as db, tuned_log(planted) as copy:
        in_force = settings_in_force(db).params
        first = tune(db, in_force, here, shared(tmp_path, 4))
        assert first["reproducible"]
        added = helped(copy, there, shared(tmp_path, 9))
        assert added == {"study": "study", "completed": 9, "added": 5}
        assert helped(copy, there, shared(tmp_path, 9))["added"] == 0
        whole = tune(db, in_force, here, shared(tmp_path, 10, resume=True))
    assert whole["trials"] == {"completed": 10, "failed": 0}
    assert not whole["reproducible"]
    assert whole["best_found"]["train_gain"] >= first["best_found"]["train_gain"]
    assert not list(there.glob("*")), "a worker leaves nothing behind"
    assert not list(here.glob("*.journal"))


def test_a_worker_rests_on_the_same_log_and_options(tmp_path: Path) -> None:
    with tuned_log(planted) as db, tuned_log(planted, prompts=280) as other:
        with pytest.raises(BadInput, match="no study study to help"):
            helped(db, tmp_path, shared(tmp_path, 5))
        tune(db, settings_in_force(db).params, tmp_path, shared(tmp_path, 2))
        with pytest.raises(BadInput, match="other data, settings or options"):
            helped(other, tmp_path, shared(tmp_path, 5))
        with pytest.raises(BadInput, match="noise cost"):
            helped(db, tmp_path, shared(tmp_path, 5, noise_cost=0.2))
        with pytest.raises(BadInput, match="--resume"):
            tune(db, settings_in_force(db).params, tmp_path, shared(tmp_path, 3))


def test_a_trial_that_ends_after_the_last_one_does_not_come_on_top(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    several = Trials.several
    met: list[str] = []

    def slow(trials: Trials, wanted: Mapping[int, Params]) -> list[Tried]:
        if not met and (tmp_path / "studies.sqlite").exists() and max(wanted, default=0) == 3:
            met.append("the other one is done meanwhile")
            with tuned_log(planted) as copy:
                assert helped(copy, tmp_path / "there", shared(tmp_path, 5))["added"] == 2
        return several(trials, wanted)

    monkeypatch.setattr(Trials, "several", slow)
    with tuned_log(planted) as db:
        found = tune(db, settings_in_force(db).params, tmp_path / "here", shared(tmp_path, 5))
    assert met
    assert found["trials"] == {"completed": 5, "failed": 1}


@pytest.mark.parametrize(
    ("storage", "named"),
    [("nonsense", "that was named"), ("postgresql://me:secret@127.0.0.1:1/none", r"postgresql://me:\*\*\*@127.0.0.1")],
)
def test_a_storage_that_cannot_be_used_is_named_without_its_password(tmp_path: Path, storage: str, named: str) -> None:
    with tuned_log(planted, prompts=80) as db, pytest.raises(BadInput, match=f"Cannot use the storage {named}") as told:
        tune(db, settings_in_force(db).params, tmp_path, TuneRequest(trials=2, storage=storage))
    assert "secret" not in str(told.value)
