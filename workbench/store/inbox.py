"""What arrives one by one between two publications: an append-only journal beside the store.

Entries go to `current.jsonl` in the folder `<store>.inbox`. A publication that takes them in first gives that file a
name of its own, which no later file gets, and records the name in the store: the store thus knows exactly which files
it holds, whatever is killed when. The files are removed once that store is published. Who finds the folder locked puts
its entries down in a file with a name of its own, whole from the start.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from workbench.errors import BadInput, StoreLocked
from workbench.store.database import Database
from workbench.store.generations import reading

_LOG = logging.getLogger("workbench.store")
_CURRENT = "current.jsonl"
_WAIT_SECONDS = 30.0
_GLANCES = 5
_APPEND_SECONDS = 0.2  # an agent waits for it
_REMEMBERED_DAYS = 7  # longer than any reader takes between reading the inbox and opening the store

Handler = Callable[[Database, Sequence[dict[str, Any]]], None]


@dataclass(frozen=True)
class Entry:
    """One record of the inbox; `position` is its file there and where in it the line begins."""

    kind: str
    record: dict[str, Any]
    position: tuple[str, int]


class Inbox:
    """The inbox of the store at a path. Any number of processes may append, read and fold at once."""

    def __init__(self, store: Path) -> None:
        self._store = store.resolve()
        self._folder = self._store.with_name(f"{self._store.name}.inbox")

    def append(self, kind: str, record: Mapping[str, Any]) -> None:
        """Keep one record. It is on the disk when this returns, and not at all when it raises."""
        self.append_all([(kind, record)])

    def append_all(self, entries: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
        """Keep several records, (kind, record), in one go: all of them, or none when it raises. Nobody who holds the
        folder keeps it waiting for long."""
        lines = b"".join(
            json.dumps({"kind": kind, "record": dict(record)}, separators=(",", ":")).encode() + b"\n"
            for kind, record in entries
        )
        try:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            try:
                with self._alone(_APPEND_SECONDS):
                    _append_lines(self._folder / _CURRENT, lines)
            except StoreLocked:
                _put_down(self._folder / self._own_name(), lines)
            _sync(self._folder)
        except OSError as error:
            raise BadInput(f"Cannot write to {self._folder} ({error.strerror}); mend that and try again.") from error

    @property
    def size(self) -> int:
        """How many bytes wait or are about to be removed."""
        try:
            return sum(file.stat().st_size for file in self._files())
        except OSError:  # a publication removed one meanwhile
            return 0

    def read(self) -> list[Entry]:
        """All entries whose files are still there, oldest first, also those that the store holds already. StoreLocked
        where another process holds them for long."""
        if not self._folder.is_dir():
            return []
        with self._alone():
            return self._read()

    def glance(self) -> list[Entry]:
        """The same without a lock, so that nobody waits: what is appended meanwhile may be missing, and none is told
        while files change as fast as they are read."""
        for _ in range(_GLANCES):
            before = self._names()
            with contextlib.suppress(OSError):
                found = self._read()
                if self._names() == before:
                    return found
        return []

    def _read(self) -> list[Entry]:
        held = [(file, file.read_bytes()) for file in self._files()]
        return [entry for file, content in held for entry in _entries(file, content)]

    def _names(self) -> set[tuple[str, int]]:
        """The files by name and by what they are: a publication gives the current one another name."""
        with contextlib.suppress(OSError):
            return {(file.name, file.stat().st_ino) for file in self._files()}
        return set()

    @contextmanager
    def pending(self) -> Iterator[tuple[Database, list[Entry]]]:
        """The store and the entries that it has not taken in yet: each entry is in one of the two, never in both."""
        entries = self.read()  # before the store is opened: a file that is folded meanwhile is then known there
        with reading(self._store) as db:
            folded = _folded(db)
            yield db, [entry for entry in entries if entry.position[0] not in folded]

    def fold(self, db: Database, handlers: Mapping[str, Handler]) -> int:
        """Hand the pending entries to the handlers, each its own kind, oldest first, in one call; how many there were.

        Handlers run in their order in `handlers`. `db` is the draft of a publication. If that fails, all entries are
        still pending. BadInput, and nothing handed over, when an entry is of a kind that has no handler.
        """
        if not self._folder.is_dir():
            return 0
        entries = self._set_apart(_folded(db))
        if unknown := sorted({entry.kind for entry in entries} - set(handlers)):
            raise BadInput(
                f"{self._folder} holds entries of kind {unknown[0]!r}, which this program does not know; "
                "update the workbench."
            )
        for kind, handler in handlers.items():
            if records := [entry.record for entry in entries if entry.kind == kind]:
                handler(db, records)
        self._record(db, {entry.position[0] for entry in entries})
        return len(entries)

    def _record(self, db: Database, files: set[str]) -> None:
        """Note in the draft that it holds these files; they are removed when it is published."""
        for file in sorted(files):
            db.execute("INSERT INTO wb.inbox_folded (file, folded_at) VALUES ($file, now())", {"file": file})
        db.execute(
            "DELETE FROM wb.inbox_folded WHERE folded_at < now() - to_days($days)"
            " AND NOT list_contains($present, file)",
            {"days": _REMEMBERED_DAYS, "present": [file.name for file in self._files()]},
        )
        known = _folded(db)
        db.when_published(lambda: self._remove(known))

    def _set_apart(self, folded: set[str]) -> list[Entry]:
        """Give the current file its own name, and read all that the store does not hold."""
        with self._alone():
            current = self._folder / _CURRENT
            if current.exists():
                current.rename(self._folder / self._own_name())
                _sync(self._folder)
            files = [file for file in self._files() if file.name not in folded]
        # Nobody appends to these any more, and only a publication removes them: others may go on meanwhile.
        return [entry for file in files for entry in _entries(file, file.read_bytes())]

    def _remove(self, folded: set[str]) -> None:
        """Remove files that the published store holds; one that cannot be stays known there."""
        with self._alone(), contextlib.suppress(OSError):
            for file in self._files():
                if file.name in folded:
                    file.unlink()

    def _files(self) -> list[Path]:
        """The files of the inbox, oldest first: digits sort before `current`."""
        return sorted(self._folder.glob("*.jsonl"))

    @staticmethod
    def _own_name() -> str:
        """A name that no other file gets."""
        return f"{time.time_ns():020}-{os.getpid()}.jsonl"

    @contextmanager
    def _alone(self, wait_seconds: float = _WAIT_SECONDS) -> Iterator[None]:
        lock = FileLock(self._folder / "lock", mode=0o600)
        try:
            lock.acquire(timeout=wait_seconds)
        except Timeout as error:
            raise StoreLocked(f"Another process holds {self._folder}; wait for it to end or stop it.") from error
        try:
            yield
        finally:
            lock.release()


def _folded(db: Database) -> set[str]:
    return {file for (file,) in db.rows("SELECT file FROM wb.inbox_folded")}


def _append_lines(path: Path, lines: bytes) -> None:
    """Write behind whole lines, whole or not at all. What a writer that died left unfinished is cut off."""
    with open(path, "a+b", buffering=0, opener=_private) as file:
        end = _end_of_lines(file)
        file.truncate(end)
        try:
            rest = memoryview(lines)
            while rest:
                rest = rest[file.write(rest) :]
            os.fsync(file.fileno())
        except OSError:
            file.truncate(end)
            raise


def _put_down(path: Path, lines: bytes) -> None:
    """Make a file of whole lines, whole or not at all; readers know only names that end in `.jsonl`."""
    partial = path.with_suffix(".partial")
    try:
        _append_lines(partial, lines)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _end_of_lines(file: FileIO) -> int:
    """Where the last whole line of a file ends."""
    end = file.seek(0, os.SEEK_END)
    while end:
        file.seek(end - 1)
        if file.read(1) == b"\n":
            break
        end -= 1
    return end


def _entries(path: Path, content: bytes) -> Iterator[Entry]:
    """The entries in the content of a file. An unfinished last line was never promised to anyone."""
    position = 0
    for line in content.splitlines(keepends=True):
        if line.endswith(b"\n"):
            try:
                read = json.loads(line)
                yield Entry(read["kind"], read["record"], (path.name, position))
            except (ValueError, TypeError, KeyError):
                _LOG.warning("%s: the line at byte %d cannot be read and is left out.", path, position)
        position += len(line)


def _sync(folder: Path) -> None:
    """Make the names of a folder outlive a power cut."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
