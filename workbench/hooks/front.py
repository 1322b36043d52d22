"""The process that a runtime starts: it lets another one do the work, and ends in time whatever that one does.

A hook that fails may fail the prompt, and one that exits with 2 makes some runtimes throw the prompt away. So this ends
with 0 always, and prints nothing where there is nothing.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.hooks.hosts import EVENTS, HOSTS, notice, output
from workbench.hooks.log import log

LIMIT_SECONDS = 9.0
MOST_SECONDS = 10.0
DEFAULT_DB = "workbench.duckdb"
_OPTIONS = ("--db", "--url", "--limit")


@dataclass(frozen=True)
class Call:
    """One hook: `store` is the store's path, `url` a running service instead, `limit` in seconds."""

    runtime: str
    event: str
    store: Path
    url: str | None = None
    limit: float = LIMIT_SECONDS

    def arguments(self) -> list[str]:
        """What another process is started with to do the same."""
        url = ["--url", self.url] if self.url else []
        return [self.runtime, self.event, "--db", str(self.store), *url, "--limit", str(self.limit)]


class Misused(Exception):
    """A hook that is called wrongly; the message says how."""


def main(arguments: Sequence[str]) -> int:
    """Run one hook with RUNTIME EVENT [--db PATH] [--url URL] [--limit SECONDS]; always 0."""
    try:
        try:
            printed(run(read_call(arguments)))
        except Misused as problem:
            sys.stderr.write(f"{problem}\n")
            log(_store(None), "hook", "?", str(problem))
    except Exception as fault:  # such as a working folder that is gone
        sys.stderr.write(f"The hook could not be run ({type(fault).__name__}: {fault}).\n")
    return 0


def run(call: Call) -> str:
    """What a hook prints: what its worker says in time, else a notice that the recall was skipped."""
    try:
        ended = subprocess.run(worker(call), stdout=subprocess.PIPE, timeout=call.limit, check=False)  # noqa: S603
    except subprocess.TimeoutExpired as late:
        if late.stdout and late.stdout.endswith(b"\n"):  # it has said all, and only its end takes long
            return str(late.stdout.decode("utf-8", "replace"))
        sentence = f"Recall took longer than {call.limit:g} s and was skipped."
        log(call.store, call.runtime, call.event, sentence)
        return output(call.runtime, call.event, notice(sentence))
    except OSError as error:
        log(call.store, call.runtime, call.event, f"cannot start a process ({error})")
        return ""
    if ended.returncode:
        log(call.store, call.runtime, call.event, f"the worker ended with {ended.returncode}")
        return ""
    return ended.stdout.decode("utf-8", "replace")


def worker(call: Call) -> list[str]:
    """The command that does the work. Without -P, Python would import what lies in the folder of the project."""
    return [sys.executable, "-P", "-m", "workbench.hooks.worker", *call.arguments()]


def read_call(arguments: Sequence[str]) -> Call:
    """The call that the arguments make. Misused says what is wrong with them."""
    places: list[str] = []
    options: dict[str, str] = {}
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        name, mark, value = word.partition("=")
        if name not in _OPTIONS:
            places.append(word)
        elif mark or rest:
            options[name] = value if mark else rest.pop(0)
        else:
            raise Misused(f"{name} needs a value.")
    if len(places) != 2 or places[0] not in HOSTS or places[1] not in EVENTS:
        raise Misused(f"Call a hook as `workbench hook RUNTIME EVENT`: {', '.join(HOSTS)}; {', '.join(EVENTS)}.")
    return Call(places[0], places[1], _store(options.get("--db")), options.get("--url"), _limit(options.get("--limit")))


def printed(text: str) -> None:
    """Print what a runtime reads, as UTF-8; one that no longer listens is content."""
    if not text or sys.stdout is None:
        return
    try:
        sys.stdout.buffer.write(text.removesuffix("\n").encode("utf-8", "replace") + b"\n")
        sys.stdout.buffer.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _store(option: str | None) -> Path:
    return Path(option or os.environ.get("WORKBENCH_DB") or DEFAULT_DB).absolute()


def _limit(option: str | None) -> float:
    try:
        limit = float(option) if option else LIMIT_SECONDS
    except ValueError:
        limit = -1.0
    if not 0 < limit <= MOST_SECONDS:
        raise Misused(f"--limit must be a number of seconds up to {MOST_SECONDS:g}, not {option}.")
    return limit
