"""Tuning runs: one a store, each in a process of its own that outlives the page, the tab and the app."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from workbench.errors import BadInput
from workbench.params.files import write_atomic
from workbench.replay.selection import Selection
from workbench.tune import studies_folder
from workbench.tune.request import TPE
from workbench.ui import background
from workbench.ui.studies import STORAGE

# A run of the app keeps its trials beside the store, where the page can follow them.
_BESIDE = {STORAGE: ""}
_BUSY = "A tuning run of this store goes on; wait for it, or stop it first."


@dataclass(frozen=True)
class Plan:
    """What a run is started with; `trials` is the total of the study, `filter` the filter as options of the command."""

    study: str
    trials: int = 200
    seed: int = 1
    objective: str = "net_help"
    noise_cost: float = 0.1
    sampler: str = TPE
    helpful_share: float = 0.3
    freeze: tuple[str, ...] = ()
    accept: tuple[str, ...] = ()
    filter: tuple[str, ...] = ()

    def arguments(self, store: Path, resume: bool) -> list[str]:
        """The command line of the run, from `tune` on."""
        named = {
            "--db": store, "--study": self.study, "--trials": self.trials, "--seed": self.seed,
            "--objective": self.objective, "--noise-cost": self.noise_cost,
            "--sampler": self.sampler, "--helpful-share": self.helpful_share,
        }  # fmt: skip
        found = ["tune", "--json", *(f"{name}={value}" for name, value in named.items())]
        found += [f"--freeze={key}" for key in self.freeze]
        found += [f"--accept-cause={cause}" for cause in self.accept]
        return [*found, *self.filter, *(["--resume"] if resume else [])]


@dataclass(frozen=True)
class Run:
    """A run as it was started; `stopped` by somebody. `pid` is 0 while it is being started."""

    plan: Plan
    pid: int
    at: str
    stopped: bool = False


def filter_options(selection: Selection) -> tuple[str, ...]:
    """A filter as options of the command."""
    found = [f"--traffic={name}" for name in selection.traffic or ("all",)]
    found += [f"--client={name or 'none'}" for name in selection.clients or ()]
    found += [f"--text={selection.text}"] if selection.text else []
    for name, moment in (("since", selection.since), ("until", selection.until)):
        found += [f"--{name}={moment.isoformat()}"] if moment else []
    return (*found, "--repeats=once") if selection.once else tuple(found)


def start(store: Path, plan: Plan, *, resume: bool = False) -> Run:
    """Start a run; returns at once. StoreLocked while another one of this store goes on, BadInput where the study is
    there already or the folder cannot be written."""
    folder = _folder(store)
    if not resume and (folder.parent / f"{plan.study}.journal").exists():
        raise BadInput(f"There is a study {plan.study} already; go on with it below, or choose another name.")
    with background.held(folder, _BUSY) as lock:
        write_atomic(folder / "newest", plan.study.encode(), 0o600)
        run = Run(plan, 0, datetime.now(UTC).isoformat(timespec="seconds"))
        _write(folder, run)
        for name in ("log", "out"):
            (folder / f"{plan.study}.{name}").unlink(missing_ok=True)
        run = Run(plan, background.spawn(folder, plan.study, plan.arguments(store, resume), lock, _BESIDE), run.at)
        _write(folder, run)
    return run


def newest(store: Path) -> Run | None:
    """The run that was started last, going on or not; None where none was."""
    folder = _folder(store)
    try:
        return planned(store, (folder / "newest").read_text(encoding="utf-8"))
    except OSError:
        return None


def planned(store: Path, study: str) -> Run | None:
    """How the study was last started from here; None where it was not."""
    try:
        said = json.loads((_folder(store) / f"{study}.run").read_text(encoding="utf-8"))
        plan: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in said["plan"].items()
        }
        return Run(Plan(**plan), int(said["pid"]), said["at"], bool(said["stopped"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def is_running(store: Path) -> bool:
    """Whether a run of this store goes on."""
    return background.is_running(_folder(store))


def stop(store: Path) -> None:
    """End the run that goes on, if one does; its finished trials stay."""
    run = newest(store)
    if run is None or not run.pid or not is_running(store):
        return
    _write(_folder(store), Run(run.plan, run.pid, run.at, stopped=True))
    background.end(_folder(store), run.pid)


def complaint(store: Path, study: str) -> str | None:
    """Why a run that is over has no result, in its own words; None where it has one."""
    return background.complaint(_folder(store), study)


def free_name(store: Path, wish: str = "study") -> str:
    """`wish`, or with a number where there is such a study."""
    folder = studies_folder(store)
    number, name = 1, wish
    while (folder / f"{name}.journal").exists():
        number += 1
        name = f"{wish}-{number}"
    return name


def _folder(store: Path) -> Path:
    return studies_folder(store) / "runs"


def _write(folder: Path, run: Run) -> None:
    write_atomic(folder / f"{run.plan.study}.run", json.dumps(asdict(run), ensure_ascii=False).encode(), 0o600)
