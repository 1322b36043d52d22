"""Why a hook had nothing to say: one line a failure in a file beside the store, which only its owner reads."""

from __future__ import annotations

import contextlib
import os
from datetime import UTC, datetime
from pathlib import Path

MOST_BYTES = 256 * 1024


def log_file(store: Path) -> Path:
    """The log of the hooks over a store."""
    return store.with_name(f"{store.name}.hook.log")


def log(store: Path, runtime: str, event: str, reason: str) -> None:
    """Keep a reason. The file that is full becomes `….1`; a log that cannot be written fails nobody."""
    file = log_file(store)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    line = " ".join(f"{now} {runtime} {event}: {reason}".split())
    with contextlib.suppress(OSError, ValueError):
        if file.exists() and file.stat().st_size > MOST_BYTES:
            file.replace(file.with_name(f"{file.name}.1"))
        handle = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(handle, line.encode(errors="backslashreplace") + b"\n")
        finally:
            os.close(handle)
