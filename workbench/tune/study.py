"""A study on disk: an Optuna journal beside the store, found again by its name."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import optuna
from filelock import FileLock, Timeout
from optuna.exceptions import ExperimentalWarning, StorageInternalError
from optuna.storages import JournalStorage
from optuna.trial import FrozenTrial, TrialState
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from workbench.errors import BadInput, StoreLocked
from workbench.params.files import write_atomic
from workbench.tune.journal import Journal, mend
from workbench.tune.samplers import Direction

optuna.logging.set_verbosity(optuna.logging.WARNING)

_NEEDED = ("study", "verdict", "reasons", "feasible", "config", "current", "split")


def studies_folder(store: Path) -> Path:
    """Where the studies of a store live."""
    return store.with_name(f"{store.name}.studies")


@dataclass(frozen=True)
class Place:
    """Where the study `name` is kept: its lock and result in `folder`, its trials in a journal there or, where
    `storage` is the address of a database, in that one, so that several machines can work on it."""

    folder: Path
    name: str
    storage: str | None = None

    @property
    def journal(self) -> Path:
        """The file of the trials, where no database holds them."""
        return self.folder / f"{self.name}.journal"

    def exists(self) -> bool:
        """Whether there is a study of this name; BadInput where the storage cannot be reached."""
        if self.storage is None:
            return self.journal.exists()
        with _reached(self.storage):
            return self.name in optuna.get_all_study_names(self.storage)

    def study(self, directions: Sequence[Direction]) -> optuna.Study:
        """The study, made where there is none."""
        with warnings.catch_warnings(), _reached(self.storage):
            warnings.simplefilter("ignore", ExperimentalWarning)
            return optuna.create_study(
                storage=self.storage or JournalStorage(Journal(str(self.journal))), study_name=self.name,
                directions=directions, load_if_exists=True,
            )  # fmt: skip


@contextmanager
def _reached(storage: str | None) -> Iterator[None]:
    """Failures of a database, in one sentence."""
    try:
        yield
    except (ArgumentError, ImportError, SQLAlchemyError, StorageInternalError) as error:
        raise BadInput(
            f"Cannot use the storage {_without_password(storage)} ({type(error).__name__}); name a database that "
            "Optuna can use, like postgresql://user@host/name, and whose driver is installed."
        ) from error


def _without_password(storage: str | None) -> str:
    try:
        return make_url(storage or "").render_as_string(hide_password=True)
    except ArgumentError:
        return "that was named"


@contextmanager
def opened_study(
    place: Place, setup: Mapping[str, Any], resume: bool, directions: Sequence[Direction] = ("maximize",)
) -> Iterator[optuna.Study]:
    """The study, led by this process alone. `setup` is what its trials rest on.

    A study that exists is taken up only with `resume` and the same setup, otherwise BadInput; StoreLocked while another
    process leads it. Trials that a killed run left open are closed as failed.
    """
    place.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = FileLock(place.folder / f"{place.name}.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise StoreLocked(
            f"The study {place.name} is running in another process; wait for it or choose another --study."
        ) from error
    try:
        yield _led(place, setup, resume, directions)
    finally:
        lock.release()


def joined_study(place: Place, setup: Mapping[str, Any], directions: Sequence[Direction]) -> optuna.Study:
    """A study that another process leads, to add trials to; BadInput where there is none or it rests on other data."""
    if not place.exists():
        raise BadInput(f"There is no study {place.name} to help; start it without --worker first.")
    study = place.study(directions)
    _check_setup(study, setup)
    return study


def _led(place: Place, setup: Mapping[str, Any], resume: bool, directions: Sequence[Direction]) -> optuna.Study:
    if place.exists() and not resume:
        raise BadInput(
            f"There is a study {place.name} already; add --resume to go on with it or choose another --study."
        )
    if place.storage is None:
        mend(place.journal)
    study = place.study(directions)
    _check_setup(study, setup)
    give_up(study)
    return study


def give_up(study: optuna.Study) -> None:
    """Close the trials that are open as failed."""
    for trial in study.get_trials(deepcopy=False, states=(TrialState.RUNNING,)):
        study.tell(trial.number, state=TrialState.FAIL, skip_if_finished=True)


def _check_setup(study: optuna.Study, setup: Mapping[str, Any]) -> None:
    said = json.dumps(setup, sort_keys=True)
    known = study.user_attrs.get("setup")
    if known is None:
        study.set_user_attr("setup", said)
    elif known != said:
        raise BadInput(
            f"The study {study.study_name} was made with other data, settings or options "
            f"({_first_difference(known, said)}); choose another --study."
        )


def _first_difference(known: str, said: str) -> str:
    before, now = json.loads(known), json.loads(said)
    return next((key for key in sorted({*before, *now}) if before.get(key) != now.get(key)), "setup")


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
