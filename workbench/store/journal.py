"""The journal that another program left beside a store: what it committed since it last wrote into the file."""

from __future__ import annotations

import contextlib
import logging
import os
from datetime import UTC, datetime
from pathlib import Path

_LOG = logging.getLogger("workbench.store")
_END_OF_HEADER = b"\xff\xff"
_ENTRY_HEAD = 16  # the entry's size and its checksum, 8 bytes each


def journal_of(path: Path) -> Path:
    """Where DuckDB keeps the journal of `path`."""
    return path.with_name(f"{path.name}.wal")


def is_complete(journal: Path) -> bool:
    """Whether a journal ends where an entry ends. DuckDB reads a cut one as far as it goes, without a word."""
    with journal.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        header = file.read(64).find(_END_OF_HEADER)
        position = header + len(_END_OF_HEADER)
        while header >= 0 and position < size:
            file.seek(position)
            position += _ENTRY_HEAD + int.from_bytes(file.read(_ENTRY_HEAD)[:8], "little")
        return header >= 0 and position == size


def set_aside(path: Path) -> None:
    """Move a broken journal of `path` out of the way, and say where it is."""
    journal = journal_of(path)
    aside = journal.with_name(f"{journal.name}.broken-{datetime.now(UTC):%Y%m%dT%H%M%SZ}")
    journal.replace(aside)
    with contextlib.suppress(OSError):  # another user's file stays as it is
        aside.chmod(0o600)
    _LOG.warning(
        "The journal of %s cannot be read to its end; it is set aside as %s, and the last state that could be read "
        "is used.",
        path,
        aside,
    )
