"""Tuning runs: one a store, each in a process of its own that outlives the page, the tab and the app."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from workbench.errors import BadInput, StoreLocked
from workbench.params.files import write_atomic
from workbench.replay.selection import Selection
from workbench.tune import studies_folder

_STOPS_WITHIN = 15.0
_TRIES = 5
_CHILDREN: list[subprocess.Popen[bytes]] = []


@dataclass(frozen=True)
class Plan:
    """What a run is started with; `trials` is the total of the study, `filter` the filter as options of the command."""

    study: str
    trials: int = 200
    seed: int = 1
    objective: str = "net_help"
    noise_cost: float = 0.1
    freeze: tuple[str, ...] = ()
    accept: tuple[str, ...] = ()
    filter: tuple[str, ...] = ()

    def arguments(self, store: Path, resume: bool) -> list[str]:
        """The command line of the run, from `tune` on."""
        named = {
            "--db": store, "--study": self.study, "--trials": self.trials, "--seed": self.seed,
            "--objective": self.objective, "--noise-cost": self.noise_cost,
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
    with _held(folder, plan.study) as lock:
        run = Run(plan, 0, datetime.now(UTC).isoformat(timespec="seconds"))
        _write(folder, run)
        for name in ("log", "out"):
            (folder / f"{plan.study}.{name}").unlink(missing_ok=True)
        child = _spawn(folder, plan, [sys.executable, "-m", "workbench", *plan.arguments(store, resume)], lock)
        run = Run(plan, child.pid, run.at)
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
    """Whether a run of this store goes on: its process holds the lock, and lets go however it ends."""
    lock = _folder(store) / "lock"
    if not lock.exists():
        return False
    with lock.open("rb") as file:
        return not _locks(file.fileno(), fcntl.LOCK_SH)


def stop(store: Path) -> None:
    """End the run that goes on, if one does; its finished trials stay."""
    run = newest(store)
    if run is None or not run.pid or not is_running(store):
        return
    _write(_folder(store), Run(run.plan, run.pid, run.at, stopped=True))
    os.kill(run.pid, signal.SIGTERM)
    end = time.monotonic() + _STOPS_WITHIN
    while is_running(store) and time.monotonic() < end:
        time.sleep(0.05)


def complaint(store: Path, study: str) -> str | None:
    """Why a run that is over has no result, in its own words; None where it has one."""
    folder = _folder(store)
    if (folder / f"{study}.out").exists() and (folder / f"{study}.out").stat().st_size:
        return None
    try:
        lines = (folder / f"{study}.log").read_text(encoding="utf-8", errors="replace").strip().splitlines()
    except OSError:
        lines = []
    return lines[-1] if lines else "The run ended without a word; start it again."


def free_name(store: Path, wish: str = "study") -> str:
    """`wish`, or with a number where there is such a study."""
    folder = studies_folder(store)
    number, name = 1, wish
    while (folder / f"{name}.journal").exists():
        number += 1
        name = f"{wish}-{number}"
    return name


def _spawn(folder: Path, plan: Plan, command: list[str], lock: int) -> subprocess.Popen[bytes]:
    """The process inherits the lock; it gets neither the signals of this one's terminal nor its end."""
    _CHILDREN[:] = [child for child in _CHILDREN if child.poll() is None]
    with (folder / f"{plan.study}.out").open("wb") as out, (folder / f"{plan.study}.log").open("wb") as log:
        try:
            child = subprocess.Popen(  # noqa: S603
                command, stdin=subprocess.DEVNULL, stdout=out, stderr=log, start_new_session=True, pass_fds=(lock,)
            )
        except ValueError as error:
            raise BadInput("The filter holds a character that no command takes; leave it out.") from error
    _CHILDREN.append(child)
    return child


def _folder(store: Path) -> Path:
    return studies_folder(store) / "runs"


@contextmanager
def _held(folder: Path, study: str) -> Iterator[int]:
    """The lock of the store's runs; it stays held as long as a process that inherited it lives."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise BadInput(f"Cannot write in {folder} ({error.strerror}); a run needs a folder of yours.") from error
    try:
        if not _locks_soon(descriptor):
            raise StoreLocked("A tuning run of this store goes on; wait for it, or stop it first.")
        write_atomic(folder / "newest", study.encode(), 0o600)
        yield descriptor
    finally:
        os.close(descriptor)


def _locks_soon(descriptor: int) -> bool:
    """Somebody who looks whether a run goes on holds the lock for a moment, too."""
    for _ in range(_TRIES):
        if _locks(descriptor, fcntl.LOCK_EX):
            return True
        time.sleep(0.02)
    return False


def _locks(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _write(folder: Path, run: Run) -> None:
    write_atomic(folder / f"{run.plan.study}.run", json.dumps(asdict(run), ensure_ascii=False).encode(), 0o600)
