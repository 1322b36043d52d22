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
from optuna.trial import FrozenTrial, TrialState

from workbench.errors import BadInput, StoreLocked
from workbench.params.files import write_atomic
from workbench.tune.journal import Journal, mend

optuna.logging.set_verbosity(optuna.logging.WARNING)

_STARTUP_TRIALS = 20
_NEEDED = ("study", "verdict", "reasons", "feasible", "config", "current", "split")


def studies_folder(store: Path) -> Path:
    """Where the studies of a store live."""
    return store.with_name(f"{store.name}.studies")


@contextmanager
def opened_study(folder: Path, name: str, setup: Mapping[str, Any], resume: bool) -> Iterator[optuna.Study]:
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
        yield _loaded(folder / f"{name}.journal", name, setup, resume)
    finally:
        lock.release()


def _loaded(journal: Path, name: str, setup: Mapping[str, Any], resume: bool) -> optuna.Study:
    if journal.exists() and not resume:
        raise BadInput(f"There is a study {name} already; add --resume to go on with it or choose another --study.")
    mend(journal)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExperimentalWarning)
        storage = JournalStorage(Journal(str(journal)))
        study = optuna.create_study(storage=storage, study_name=name, direction="maximize", load_if_exists=True)
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


def sampler(seed: int, done: int) -> optuna.samplers.BaseSampler:
    """What proposes the trial after `done` completed ones: the same after an interruption as without one."""
    own = seed * 1_000_003 + done
    return optuna.samplers.TPESampler(seed=own % 2**32, n_startup_trials=_STARTUP_TRIALS)


def completed(study: optuna.Study) -> list[FrozenTrial]:
    """The trials that ended well, in order."""
    return study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))


def count_look(study: optuna.Study, changed: Mapping[str, Any]) -> int:
    """Note that the hold-out is about to be looked at under the configuration with the keys `changed`; returns how
    often it was, this time included. A second look under the same configuration shows nothing new: not counted."""
    looks, seen = looks_of(study), list(study.user_attrs.get("looked_at", []))
    if dict(changed) not in seen:
        looks += 1
        study.set_user_attr("looked_at", [*seen, dict(changed)])
        study.set_user_attr("looks", looks)
    return looks


def looks_of(study: optuna.Study) -> int:
    """How often the hold-out was looked at in this study."""
    return int(study.user_attrs.get("looks", 0))


def looks_elsewhere(folder: Path, name: str, holdout: str) -> int:
    """How often the other finished studies of `folder` looked at the same held-out prompts."""
    others = (read_result(file) for file in sorted(folder.glob("*.json")) if file.stem != name)
    return sum(int(other["looks"]) for other in others if other and other.get("holdout_data") == holdout)


def save_result(folder: Path, name: str, result: Mapping[str, Any]) -> Path:
    """Keep the result of a study beside its journal; returns the file."""
    path = folder / f"{name}.json"
    write_atomic(path, json.dumps(result, ensure_ascii=False, indent=1).encode(), 0o600)
    return path


def load_result(folder: Path, name: str) -> dict[str, Any]:
    """The kept result of the study `name`; BadInput when there is none or the file is not a result."""
    path = folder / f"{name}.json"
    if not path.exists():
        known = ", ".join(sorted(file.stem for file in folder.glob("*.json"))) or "none"
        raise BadInput(f"There is no finished study {name}; finished studies: {known}. Run `workbench tune` first.")
    result = read_result(path)
    if result is None:
        raise BadInput(f"{path} is not the result of a study; run `workbench tune --study {name} --resume` to redo it.")
    return result


def best_changes(result: Mapping[str, Any]) -> dict[str, Any]:
    """The keys that the best configuration of a result changes, with their values, whether it is recommended or not;
    empty where no trial kept within the limits."""
    found: dict[str, Any] = result.get("best_found", {}).get("changed", {})
    return found


def read_result(path: Path) -> dict[str, Any] | None:
    """The result of a study in the file `path`; None when it holds something else."""
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return None
    return result if isinstance(result, dict) and all(name in result for name in _NEEDED) else None
