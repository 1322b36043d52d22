"""A store published in generations: readers keep the one they opened, a writer replaces it whole or not at all."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from glob import escape
from pathlib import Path

import duckdb
from filelock import FileLock, Timeout

from workbench.errors import BadInput, StoreLocked
from workbench.store.database import Database, attach_read_only, complaint, connect
from workbench.store.draft import Draft, is_locked, unreadable
from workbench.store.journal import is_complete, journal_of
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

    An older store is upgraded first, a broken journal beside it set aside. BadInput when there is no store,
    StoreVersion when it is newer than this program.
    """
    path = _place(path)
    if not path.exists():
        raise BadInput(f"There is no store at {path}; make one with `workbench import SOURCE --db {path}`.")
    if _journal_is_broken(path):
        _republish(path, "repair of the store")
    db = _attached(path)
    if version_of(db, str(path)) < newest_version():
        db.close()
        _republish(path, "upgrade of the store")
        db = _attached(path)
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
    path = _place(path)
    with _locked(path, purpose, wait_seconds), _unless_full(path):
        _remove_leftovers(path)
        draft = Draft(path)
        try:
            db = draft.open()
            try:
                yield db
                db.checkpoint()
            finally:
                db.close()
            draft.publish()
            db.published()
        finally:
            draft.discard()


@contextmanager
def settled(path: Path, purpose: str) -> Iterator[None]:
    """Keep writers out, `purpose` saying why, while the file of the store holds all that was published."""
    if journal_of(path).exists():
        _republish(path, "taking in a journal")
    with _locked(_place(path), purpose, _WAIT_SECONDS):
        yield


def _republish(path: Path, purpose: str) -> None:
    with writing(path, purpose):
        pass


def _attached(path: Path) -> Database:
    try:
        db = attach_read_only(path)
    except duckdb.Error as error:
        raise unreadable(path, error) from error
    try:
        check_version(version_of(db, str(path)), str(path))
    except BaseException:
        db.close()
        raise
    return db


def _journal_is_broken(path: Path) -> bool:
    journal = journal_of(path)
    try:
        if not journal.exists():
            return False
        if not is_complete(journal):
            return True
        attach_read_only(path).close()
    except OSError:  # a writer took it in meanwhile, or it cannot be read: then the store says so itself
        return False
    except duckdb.Error as error:
        return not is_locked(error)
    return False


def _place(path: Path) -> Path:
    """The real path of a store, links followed; BadInput where none can be."""
    path = path.resolve()
    if "?" in str(path) or not _is_utf8(path):
        raise BadInput(
            f"A store cannot be called {os.fsencode(path).decode(errors='replace')}: the database takes no question "
            "mark and only UTF-8 in a name; name another --db."
        )
    try:
        if path.is_dir():
            raise BadInput(f"{path} is a folder; name the file of the store with --db.")
        if not path.parent.is_dir():
            raise BadInput(f"The folder {path.parent} does not exist; make it or name another --db.")
        if path.exists() and not path.is_file():
            raise BadInput(f"{path} is not a file that can hold a store; name another --db.")
    except OSError as error:
        raise BadInput(f"Cannot reach {path} ({error.strerror}); name a --db in a folder of yours.") from error
    return path


def _is_utf8(path: Path) -> bool:
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return True


@contextmanager
def _unless_full(path: Path) -> Iterator[None]:
    """BadInput where the next generation finds no room."""
    try:
        yield
    except (OSError, duckdb.Error) as error:
        if sentence := complaint(error):
            raise BadInput(f"{sentence} {path} is unchanged.") from error
        raise


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
        _announce(holder, json.dumps({"pid": os.getpid(), "purpose": purpose, "since": _now()}))
        yield
    finally:
        _announce(holder, "")
        _release(lock, holder, keep=path.exists())


def _release(lock: FileLock, holder: Path, *, keep: bool) -> None:
    """Let the next writer in. The file of the lock goes where no store came to be: whoever waits for it notices."""
    if not keep:
        with contextlib.suppress(OSError):  # Windows removes no file that is open; it stays then
            holder.unlink()
    lock.release()


def _announce(holder: Path, who: str) -> None:
    with contextlib.suppress(OSError):
        holder.write_text(who, encoding="utf-8")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _holder(holder: Path) -> str:
    try:
        said = json.loads(holder.read_text(encoding="utf-8"))
        return f"process {said['pid']} ({said['purpose']}, since {said['since']})"
    except (OSError, ValueError, KeyError):
        return "another process"


def _remove_leftovers(path: Path) -> None:
    """Drafts of writers that died: we hold the lock, so nobody else writes one."""
    for leftover in path.parent.glob(f"{escape(path.name)}.next-*"):
        shutil.rmtree(leftover, ignore_errors=True)
