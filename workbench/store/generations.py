"""A store published in generations: readers keep the one they opened, a writer replaces it whole or not at all."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import duckdb
from filelock import FileLock, Timeout

from workbench.errors import BadInput, StoreLocked
from workbench.store.database import Database, attach_read_only, connect
from workbench.store.migrations import check_version, migrate, newest_version, version_of

_LOG = logging.getLogger("workbench.store")
_WAIT_SECONDS = 600.0


@contextmanager
def in_memory() -> Iterator[Database]:
    """An empty store in memory, with the newest schema."""
    db = connect()
    try:
        migrate(db, 0)
        yield db
    finally:
        db.close()


@contextmanager
def reading(path: Path) -> Iterator[Database]:
    """The present generation of the store, read-only, kept until the block ends whatever is published meanwhile.

    An older store is upgraded first. BadInput when there is none, StoreVersion when it is newer than this program.
    """
    db = _opened(path)
    if version_of(db, str(path)) < newest_version():
        db.close()
        with writing(path, "upgrade of the store"):
            pass
        db = _opened(path)
    try:
        yield db
    finally:
        db.close()


@contextmanager
def writing(path: Path, purpose: str, wait_seconds: float = _WAIT_SECONDS) -> Iterator[Database]:
    """A private copy of the present generation (or a new store) that becomes the next one when the block succeeds.

    Writers queue: StoreLocked names the other one after `wait_seconds`. An exception in the block, or a kill at any
    moment, leaves the published store as it was. The file is readable by its owner alone.
    """
    path = path.absolute()
    _check_place(path)
    with _locked(path, purpose, wait_seconds):
        _remove_leftovers(path)
        folder = path.with_name(f"{path.name}.next-{os.getpid()}")
        draft = folder / path.name
        try:
            folder.mkdir(mode=0o700)
            _copied(path, draft)
            db = _opened_draft(path, draft)
            try:
                _upgraded(db, path)
                yield db
                db.execute("CHECKPOINT")
            finally:
                db.close()
            _publish(draft, path)
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _opened(path: Path) -> Database:
    if not path.exists():
        raise BadInput(f"There is no store at {path}; make one with `workbench import SOURCE --db {path}`.")
    _settle_journal(path)
    try:
        db = attach_read_only(path)
    except duckdb.Error as error:
        raise _unreadable(path, error) from error
    try:
        check_version(version_of(db, str(path)), str(path))
    except BaseException:
        db.close()
        raise
    return db


def _unreadable(path: Path, error: duckdb.Error) -> BadInput | StoreLocked:
    if "lock" in str(error).lower():
        return StoreLocked(f"Another program has {path} open for writing; close it there and try again.")
    return BadInput(f"{path} is not a store of the workbench; name another file with --db.")


def _check_place(path: Path) -> None:
    if path.is_dir():
        raise BadInput(f"{path} is a folder; name the file of the store with --db.")
    if not path.parent.is_dir():
        raise BadInput(f"The folder {path.parent} does not exist; make it or name another --db.")


@contextmanager
def _locked(path: Path, purpose: str, wait_seconds: float) -> Iterator[None]:
    """Hold the lock file beside the store; it says who holds it."""
    holder = path.with_name(f"{path.name}.lock")
    lock = FileLock(holder, mode=0o600)
    try:
        try:
            lock.acquire(timeout=0)
        except Timeout:
            if wait_seconds > 0:
                _LOG.warning("Waiting for %s.", _holder(holder))
            lock.acquire(timeout=wait_seconds)
    except Timeout as error:
        raise StoreLocked(
            f"{path} is being written by {_holder(holder)}; wait for it to end or stop it, then try again."
        ) from error
    except OSError as error:
        raise BadInput(
            f"Cannot write in {path.parent} ({error.strerror}); name a --db in a folder of yours."
        ) from error
    try:
        _announce(holder, purpose)
        yield
    finally:
        lock.release()


def _announce(holder: Path, purpose: str) -> None:
    since = datetime.now(UTC).isoformat(timespec="seconds")
    with contextlib.suppress(OSError):
        holder.write_text(json.dumps({"pid": os.getpid(), "purpose": purpose, "since": since}), encoding="utf-8")


def _holder(holder: Path) -> str:
    try:
        said = json.loads(holder.read_text(encoding="utf-8"))
        return f"process {said['pid']} ({said['purpose']}, since {said['since']})"
    except (OSError, ValueError, KeyError):
        return "another process"


def _remove_leftovers(path: Path) -> None:
    """Drafts of writers that died: we hold the lock, so nobody else writes one."""
    for leftover in path.parent.glob(f"{path.name}.next-*"):
        shutil.rmtree(leftover, ignore_errors=True)


def _copied(path: Path, draft: Path) -> None:
    """Copy the published file; a store that is new has none."""
    if not path.exists():
        return
    _settle_journal(path)
    try:
        with draft.open("xb") as target, path.open("rb") as source:
            shutil.copyfileobj(source, target, 16 * 1024 * 1024)
    except OSError as error:
        raise BadInput(
            f"Cannot copy {path} for writing ({error.strerror}); free some space or name another --db."
        ) from error


def _opened_draft(path: Path, draft: Path) -> Database:
    try:
        return connect(draft)
    except duckdb.Error as error:
        raise _unreadable(path, error) from error


def _upgraded(db: Database, path: Path) -> None:
    version = version_of(db, str(path))
    check_version(version, str(path))
    if version == newest_version():
        return
    if version:
        keep = path.with_name(f"{path.name}.v{version}.bak")
        shutil.copy2(path, keep)
        keep.chmod(0o600)
        _LOG.warning(
            "Upgrading %s from version %s to %s; the old file is kept as %s.", path, version, newest_version(), keep
        )
    migrate(db, version)


def _publish(draft: Path, path: Path) -> None:
    draft.chmod(0o600)
    with draft.open("rb") as file:
        os.fsync(file.fileno())
    draft.replace(path)
    with contextlib.suppress(OSError):
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _journal(path: Path) -> Path:
    return path.with_name(f"{path.name}.wal")


def _settle_journal(path: Path) -> None:
    """A journal beside the store is from another program that wrote into it: take it in, or set a broken one aside."""
    journal = _journal(path)
    if not journal.exists():
        return
    try:
        db = connect(path)
        db.execute("CHECKPOINT")
        db.close()
    except duckdb.Error as error:
        if "lock" in str(error).lower():
            raise _unreadable(path, error) from error
    if journal.exists():
        _set_aside(path, journal)


def _set_aside(path: Path, journal: Path) -> None:
    aside = journal.with_name(f"{journal.name}.broken-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}")
    journal.replace(aside)
    _LOG.warning(
        "The journal of %s cannot be read; it is set aside as %s and the last saved state is used.", path, aside
    )
