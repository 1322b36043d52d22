"""A copy of a store that can take its place."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime
from pathlib import Path

from workbench.errors import BadInput
from workbench.store.draft import clone
from workbench.store.generations import reading, settled


def default_backup(path: Path) -> Path:
    """Where a backup of the store at `path` goes unless somebody names a file: beside it, with the time (UTC)."""
    return path.with_name(f"{path.stem}-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.duckdb")


def back_up(path: Path, target: Path) -> int:
    """Write the present generation of the store at `path` to the new file `target`; returns its size in bytes.

    What waits in the inbox is not in it: fold first. Writers wait meanwhile. BadInput where there is no store, or where
    `target` exists or cannot be written; nothing of it is then left behind.
    """
    with reading(path):  # says what is wrong with the store, and upgrades an older one
        pass
    try:
        if target.exists():
            raise BadInput(f"{target} exists already; name a new file for the backup.")
        with settled(path, "backup"):
            _copy(path, target)
        return target.stat().st_size
    except OSError as error:
        raise BadInput(f"Cannot write {target} ({error.strerror}); name a file in a folder of yours.") from error


def _copy(path: Path, target: Path) -> None:
    part = target.with_name(f"{target.name}.part")
    try:
        clone(path, part)
        part.chmod(0o600)
        part.rename(target)
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
