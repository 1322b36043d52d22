"""Commands in processes of their own, one at a time for each folder; they outlive the page, the tab and the app."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from workbench.errors import BadInput, StoreLocked

_STOPS_WITHIN = 15.0
_TRIES = 5
_CHILDREN: list[subprocess.Popen[bytes]] = []


@contextmanager
def held(folder: Path, busy: str) -> Iterator[int]:
    """The lock of a folder of runs, to be handed to `spawn`; it stays held as long as a process that inherited it
    lives. StoreLocked with the sentence `busy` while one does, BadInput where the folder cannot be written."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise BadInput(f"Cannot write in {folder} ({error.strerror}); a run needs a folder of yours.") from error
    try:
        if not _locks_soon(descriptor):
            raise StoreLocked(busy)
        yield descriptor
    finally:
        os.close(descriptor)


def spawn(folder: Path, name: str, arguments: Sequence[str], lock: int, more: Mapping[str, str] | None = None) -> int:
    """Start the command `workbench ARGUMENTS` with what `more` adds to its environment; returns its process id.

    What it prints goes to NAME.out and NAME.log of the folder. It inherits the lock, and gets neither the signals of
    this process's terminal nor its end. BadInput for an argument that no command takes.
    """
    _CHILDREN[:] = [child for child in _CHILDREN if child.poll() is None]
    command = [sys.executable, "-m", "workbench", *arguments]
    with (folder / f"{name}.out").open("wb") as out, (folder / f"{name}.log").open("wb") as log:
        try:
            child = subprocess.Popen(  # noqa: S603
                command, stdin=subprocess.DEVNULL, stdout=out, stderr=log, start_new_session=True, pass_fds=(lock,),
                env={**os.environ, **(more or {})},
            )  # fmt: skip
        except ValueError as error:
            raise BadInput("The filter holds a character that no command takes; leave it out.") from error
    _CHILDREN.append(child)
    return child.pid


def is_running(folder: Path) -> bool:
    """Whether a process of the folder goes on: it holds the lock, and lets go however it ends."""
    lock = folder / "lock"
    if not lock.exists():
        return False
    with lock.open("rb") as file:
        return not _locks(file.fileno(), fcntl.LOCK_SH)


def end(folder: Path, pid: int) -> None:
    """Ask the process that goes on to end, and wait until it has."""
    os.kill(pid, signal.SIGTERM)
    until = time.monotonic() + _STOPS_WITHIN
    while is_running(folder) and time.monotonic() < until:
        time.sleep(0.05)


def complaint(folder: Path, name: str) -> str | None:
    """Why a run that is over has no result, in its own words; None where it has one."""
    if (folder / f"{name}.out").exists() and (folder / f"{name}.out").stat().st_size:
        return None
    try:
        lines = (folder / f"{name}.log").read_text(encoding="utf-8", errors="replace").strip().splitlines()
    except OSError:
        lines = []
    return lines[-1] if lines else "The run ended without a word; start it again."


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
