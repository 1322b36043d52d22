"""The studies that the app lists: those of the store, and those whose trials a shared database holds."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import optuna
import streamlit as st

from workbench.tune import load_result
from workbench.tune.history import KeptStudy, kept_studies
from workbench.tune.study import Place, best_changes

STORAGE = "WORKBENCH_STORAGE"
_LOOK_AGAIN_S = 30


def judged(folder: Path) -> list[KeptStudy]:
    """The studies that a store's folder knows of, newest first: those with a journal, and those whose trials are kept
    elsewhere, once they are judged."""
    found = kept_studies(folder)
    names = {one.name for one in found}
    found += [_elsewhere(folder, file) for file in folder.glob("*.json") if file.stem not in names]
    return sorted(found, key=lambda one: one.at, reverse=True)


def shared(address: str | None, folder: Path) -> list[KeptStudy]:
    """The studies in the database at `address`, newest first, with their completed trials; none without an address.
    BadInput where it cannot be reached."""
    return _listed(address, str(folder)) if address else []


def address() -> str | None:
    """The database for trials that the operator has named, as `workbench tune --storage` takes it."""
    return os.environ.get(STORAGE) or None


def _elsewhere(folder: Path, file: Path) -> KeptStudy:
    said = load_result(folder, file.stem)
    at = datetime.fromtimestamp(file.stat().st_mtime, UTC).isoformat(timespec="seconds")
    found_more = bool(best_changes(said)) and said["config"] == said["current"]
    return KeptStudy(file.stem, said["verdict"], int(said["trials"]["completed"]), at, found_more)


@st.cache_data(ttl=_LOOK_AGAIN_S, show_spinner=False)
def _listed(address: str, folder: str) -> list[KeptStudy]:
    Place(Path(folder), "", address).exists()  # says in one sentence what is wrong with the address
    found = [
        KeptStudy(one.study_name, None, _completed(one.study_name, address), _at(one.datetime_start))
        for one in optuna.get_all_study_summaries(address)
    ]
    return sorted(found, key=lambda one: one.at, reverse=True)


def _completed(name: str, address: str) -> int:
    study = optuna.load_study(study_name=name, storage=address)
    return len(study.get_trials(deepcopy=False, states=(optuna.trial.TrialState.COMPLETE,)))


def _at(moment: datetime | None) -> str:
    return "" if moment is None else moment.astimezone(UTC).isoformat(timespec="seconds")
