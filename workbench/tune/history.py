"""What a study has tried so far, read while it runs or afterwards; nothing is written."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import optuna
from optuna.exceptions import ExperimentalWarning
from optuna.importance import PedAnovaImportanceEvaluator, get_param_importances
from optuna.storages import JournalStorage
from optuna.trial import FrozenTrial, TrialState

from workbench.errors import BadInput
from workbench.params import Value
from workbench.tune.journal import Journal
from workbench.tune.samplers import gain_of
from workbench.tune.study import best_changes, read_result

EVALUATOR = "PED-ANOVA"
_LEAST_TRIALS = 20


@dataclass(frozen=True)
class Point:
    """One completed trial: its gain of net help a prompt on the training part, whether it keeps within the limits, the
    best gain within them so far (None: none yet), and the values that differ from the present ones."""

    number: int
    gain: float
    feasible: bool
    best: float | None
    changed: Mapping[str, Value]


@dataclass(frozen=True)
class History:
    """The completed trials of the study `name` in order, and how many failed. `asked` is the total that is waited for
    (None: not known)."""

    name: str
    points: Sequence[Point]
    failed: int
    asked: int | None = None

    @property
    def share(self) -> float:
        """How much of what was asked for is done, 0..1."""
        return min(1.0, len(self.points) / self.asked) if self.asked else 0.0

    @property
    def best(self) -> float | None:
        """The greatest gain within the limits; None without one."""
        return self.points[-1].best if self.points else None


def history(folder: Path, name: str, asked: int | None = None) -> History:
    """The history of a study that may be running in another process; empty where it has not begun. BadInput when the
    journal is damaged."""
    study = _study(folder, name)
    if study is None:
        return History(name, [], 0, asked)
    trials = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE, TrialState.FAIL))
    completed = [trial for trial in trials if trial.state is TrialState.COMPLETE]
    points: list[Point] = []
    best = None
    for trial in completed:
        feasible = all(over <= 0 for over in trial.constraints.values())
        gain = gain_of(trial)
        if feasible:
            best = gain if best is None else max(best, gain)
        points.append(Point(trial.number, gain, feasible, best, _changed(trial)))
    return History(name, points, len(trials) - len(completed), asked)


def importance(folder: Path, name: str) -> dict[str, float]:
    """How much each tuned key moved the gain, 0..1, greatest first, by EVALUATOR; empty where the trials are too few or
    all alike."""
    study = _study(folder, name)
    if study is None or len(study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))) < _LEAST_TRIALS:
        return {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return get_param_importances(
                study, evaluator=PedAnovaImportanceEvaluator(), target=lambda one: -gain_of(one)
            )
        except (RuntimeError, ValueError):
            return {}


@dataclass(frozen=True)
class KeptStudy:
    """A study on disk: its verdict (None: it has none yet, or has gone on since), its completed trials, when it was
    written to last, and whether it found a change that it does not recommend."""

    name: str
    verdict: str | None
    trials: int
    at: str
    found_more: bool = False


def kept_studies(folder: Path) -> list[KeptStudy]:
    """The studies of a store, newest first."""
    if not folder.is_dir():
        return []
    journals = sorted(folder.glob("*.journal"), key=lambda file: file.stat().st_mtime, reverse=True)
    return [_kept(folder, journal) for journal in journals]


def _kept(folder: Path, journal: Path) -> KeptStudy:
    name = journal.stem
    result = folder / f"{name}.json"
    written = journal.stat().st_mtime
    at = datetime.fromtimestamp(written, UTC).isoformat(timespec="seconds")
    said = read_result(result) if result.exists() and result.stat().st_mtime >= written else None
    if said is not None:
        found_more = bool(best_changes(said)) and said["config"] == said["current"]
        return KeptStudy(name, said["verdict"], int(said["trials"]["completed"]), at, found_more)
    try:
        return KeptStudy(name, None, len(history(folder, name).points), at)
    except BadInput:
        return KeptStudy(name, None, 0, at)


def _changed(trial: FrozenTrial) -> dict[str, Value]:
    return dict(trial.user_attrs.get("config", {}))


def _study(folder: Path, name: str) -> optuna.Study | None:
    """The study as it stands in its journal; None where there is no journal or nothing in it yet."""
    journal = folder / f"{name}.journal"
    if not journal.exists():
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExperimentalWarning)
        try:
            return optuna.load_study(study_name=name, storage=JournalStorage(Journal(str(journal))))
        except KeyError:
            return None
        except ValueError as error:
            raise BadInput(f"The journal {journal} is damaged; move it away or choose another study.") from error
