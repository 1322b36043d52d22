"""The next generation of a store: a private copy that takes the place of the published file in one step."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import shutil
import sys
from pathlib import Path

import duckdb

from workbench.errors import BadInput, StoreLocked
from workbench.store.database import Database, attach_read_only, connect
from workbench.store.journal import is_complete, journal_of, set_aside
from workbench.store.migrations import check_version, migrate, newest_version, version_of

_LOG = logging.getLogger("workbench.store")
_LOCKED = re.compile(r"could not set lock|used by another process|file handle conflict", re.IGNORECASE)
_BY_WHOM = re.compile(r"held in (\S+) \(PID (\d+)\)")

Signature = tuple[tuple[int, int, int] | None, ...]


class Draft:
    """A copy of `path`, or a new store, in a folder that only this user can read; the caller holds the lock file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.folder = path.with_name(f"{path.name}.next-{os.getpid()}")
        self.file = self.folder / "store.duckdb"  # its stem names the database, which no schema may be called
        self._seen: Signature = ()
        self._broken_journal = False
        self._older = 0

    def open(self) -> Database:
        """The copy with the newest schema, to be changed. What another program left in a journal is in it."""
        refuse_if_written_elsewhere(self.path)
        try:
            self.folder.mkdir(mode=0o700)
            self._seen = _signature(self.path)
            db = self._copied() if self.path.exists() else connect(self.file)
        except OSError as error:
            raise BadInput(
                f"Cannot copy {self.path} for writing ({error.strerror}); free some space or name another --db."
            ) from error
        try:
            version = version_of(db, str(self.path))
            check_version(version, str(self.path))
            self._older = version if version < newest_version() else 0
            migrate(db, version)
        except BaseException:
            db.close()
            raise
        return db

    def publish(self) -> None:
        """Put the closed copy in the place of the store. The file of an older store stays beside it."""
        refuse_if_written_elsewhere(self.path)
        if _signature(self.path) != self._seen:
            raise StoreLocked(
                f"Another program changed {self.path} meanwhile, so nothing was written; try again when it is done."
            )
        self.file.chmod(0o600)
        with self.file.open("rb") as file:
            os.fsync(file.fileno())
        if self._older:
            self._keep_older()
        self.file.replace(self.path)
        if journal_of(self.path).exists():
            self._settle_journal()
        _sync_folder(self.path.parent)

    def discard(self) -> None:
        """Remove what is left of the copy."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _copied(self) -> Database:
        journal = journal_of(self.path)
        clone(self.path, self.file)
        if not journal.exists():
            return _opened(self.file, self.path)
        self._broken_journal = not is_complete(journal)
        clone(journal, journal_of(self.file))
        try:
            return connect(self.file)
        except duckdb.Error:
            self._broken_journal = True
        journal_of(self.file).unlink(missing_ok=True)
        self.file.unlink()
        clone(self.path, self.file)
        return _opened(self.file, self.path)

    def _keep_older(self) -> None:
        """The published file under a second name: it stays when its own goes to the copy."""
        keep = self.path.with_name(f"{self.path.name}.v{self._older}.bak")
        keep.unlink(missing_ok=True)
        try:
            os.link(self.path, keep)
        except OSError:
            clone(self.path, keep)
        keep.chmod(0o600)
        _LOG.warning(
            "%s is upgraded from version %s to %s; the old file is kept as %s.",
            self.path,
            self._older,
            newest_version(),
            keep,
        )

    def _settle_journal(self) -> None:
        if self._broken_journal:
            set_aside(self.path)
        else:
            journal_of(self.path).unlink()


def refuse_if_written_elsewhere(path: Path) -> None:
    """StoreLocked when another program has the published file open for writing."""
    try:
        if path.exists():
            attach_read_only(path).close()
    except duckdb.Error as error:
        if is_locked(error):
            raise unreadable(path, error) from error


def is_locked(error: duckdb.Error) -> bool:
    """Whether the error says that another program has the file open."""
    return _LOCKED.search(str(error)) is not None


def unreadable(path: Path, error: duckdb.Error) -> BadInput | StoreLocked:
    """What to say where DuckDB cannot open `path`."""
    if is_locked(error):
        found = _BY_WHOM.search(str(error))
        whom = f" (process {found[2]}, {Path(found[1]).name})" if found else ""
        return StoreLocked(f"Another program has {path} open for writing{whom}; close it there and try again.")
    if "Permission denied" in str(error):
        return BadInput(f"You may not read {path}; name a store of yours with --db.")
    return BadInput(f"{path} is damaged or not a store of the workbench; name another file with --db.")


def _opened(file: Path, path: Path) -> Database:
    try:
        return connect(file)
    except duckdb.Error as error:
        raise unreadable(path, error) from error


def _signature(path: Path) -> Signature:
    """What changes when another program writes into the store or its journal."""
    return tuple(
        (found.st_ino, found.st_size, found.st_mtime_ns) if file.exists() and (found := file.stat()) else None
        for file in (path, journal_of(path))
    )


def clone(source: Path, target: Path) -> None:
    """Copy a file; where the file system can, both share their blocks until one changes."""
    with source.open("rb", buffering=0) as read, target.open("xb", buffering=0) as write:
        if sys.platform == "linux":
            with contextlib.suppress(OSError):
                while os.copy_file_range(read.fileno(), write.fileno(), 1 << 30):
                    pass
        shutil.copyfileobj(read, write, 16 * 1024 * 1024)  # the rest: everything where the call above is refused


def _sync_folder(folder: Path) -> None:
    with contextlib.suppress(OSError):  # not every system lets a folder be opened
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
