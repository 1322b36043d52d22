"""A study on disk: an Optuna journal beside the store, found again by its name."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import optuna
from filelock import FileLock, Timeout
from optuna.exceptions import ExperimentalWarning
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend
from optuna.trial import FrozenTrial, TrialState

from workbench.errors import BadInput, StoreLocked
from workbench.params.files import write_atomic

optuna.logging.set_verbosity(optuna.logging.WARNING)

_STARTUP_TRIALS = 20


def studies_folder(store: Path) -> Path:
    """Where the studies of a store live."""
    return store.with_name(f"{store.name}.studies")


@contextmanager
def opened_study(folder: Path, name: str, setup: Mapping[str, Any], seed: int, resume: bool) -> Iterator[optuna.Study]:
    """The study `name`, held by this process alone. `setup` is what its trials rest on.

    A study that exists is taken up only with `resume` and the same setup, otherwise BadInput; StoreLocked while another
    process runs it. Trials that a killed run left open are closed as failed.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = FileLock(folder / f"{name}.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise StoreLocked(
            f"The study {name} is running in another process; wait for it or choose another --study."
        ) from error
    try:
        yield _loaded(folder / f"{name}.journal", name, setup, seed, resume)
    finally:
        lock.release()


def _loaded(journal: Path, name: str, setup: Mapping[str, Any], seed: int, resume: bool) -> optuna.Study:
    exists = journal.exists()
    if exists and not resume:
        raise BadInput(f"There is a study {name} already; add --resume to go on with it or choose another --study.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExperimentalWarning)
        storage = JournalStorage(JournalFileBackend(str(journal)))
        study = optuna.create_study(storage=storage, study_name=name, direction="maximize", load_if_exists=True)
        done = len(study.get_trials(deepcopy=False))
        study.sampler = optuna.samplers.TPESampler(seed=seed + done, n_startup_trials=_STARTUP_TRIALS)
    said = json.dumps(setup, sort_keys=True)
    known = study.user_attrs.get("setup")
    if known is None:
        study.set_user_attr("setup", said)
    elif known != said:
        raise BadInput(
            f"The study {name} was made with other data, settings or options ({_first_difference(known, said)}); "
            "choose another --study."
        )
    for trial in study.get_trials(deepcopy=False, states=(TrialState.RUNNING,)):
        study.tell(trial.number, state=TrialState.FAIL)
    return study


def _first_difference(known: str, said: str) -> str:
    before, now = json.loads(known), json.loads(said)
    return next((key for key in sorted({*before, *now}) if before.get(key) != now.get(key)), "setup")


def completed(study: optuna.Study) -> list[FrozenTrial]:
    """The trials that ended well, in order."""
    return study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))


def count_look(study: optuna.Study) -> int:
    """Note that the hold-out is looked at; returns how often it was."""
    looks = int(study.user_attrs.get("looks", 0)) + 1
    study.set_user_attr("looks", looks)
    return looks


def save_result(folder: Path, name: str, result: Mapping[str, Any]) -> Path:
    """Keep the result of a study beside its journal; returns the file."""
    path = folder / f"{name}.json"
    write_atomic(path, json.dumps(result, ensure_ascii=False, indent=1).encode(), 0o600)
    return path


def load_result(folder: Path, name: str) -> dict[str, Any]:
    """The kept result of the study `name`; BadInput when there is none."""
    path = folder / f"{name}.json"
    if not path.exists():
        known = ", ".join(sorted(file.stem for file in folder.glob("*.json"))) or "none"
        raise BadInput(f"There is no finished study {name}; finished studies: {known}. Run `workbench tune` first.")
    result: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return result
