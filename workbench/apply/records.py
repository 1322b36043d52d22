"""What was put in force, kept beside the store: the way back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from workbench.errors import BadInput
from workbench.params import Value
from workbench.params.files import write_atomic

PENDING, APPLIED, FAILED, UNDONE = "pending", "applied", "failed", "undone"


@dataclass(frozen=True)
class Record:
    """One application: `before` and `after` are values by key, `server` its address without secrets; `state` is
    pending (the server was about to be written), applied, failed (the former values are back) or undone; `forecast` is
    what was expected of it (workbench.check.forecast)."""

    number: int
    server: str
    source: str
    before: Mapping[str, Value]
    after: Mapping[str, Value]
    state: str
    at: str
    forecast: Mapping[str, Any] | None = None

    def as_json(self) -> dict[str, object]:
        """The document that is kept."""
        return asdict(self)


def records_folder(store: Path) -> Path:
    """Where the applications of a store are kept."""
    return store.with_name(f"{store.name}.applied")


def keep(
    folder: Path,
    server: str,
    source: str,
    before: Mapping[str, Value],
    after: Mapping[str, Value],
    forecast: Mapping[str, Any] | None = None,
) -> Record:
    """Write down, before the server is touched, what it had, what it is to get, and what that is to bring."""
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise BadInput(f"Cannot make {folder} ({error.strerror}); the former values must be kept somewhere.") from error
    number = max((record.number for record in records(folder)), default=0) + 1
    record = Record(number, server, source, dict(before), dict(after), PENDING, datetime.now(UTC).isoformat(), forecast)
    _write(folder, record)
    return record


def settle(folder: Path, record: Record, state: str) -> Record:
    """Note how it ended."""
    settled = replace(record, state=state)
    _write(folder, settled)
    return settled


def records(folder: Path) -> list[Record]:
    """All applications, oldest first. BadInput for a file that is none."""
    found = []
    for path in sorted(folder.glob("*.json")) if folder.is_dir() else []:
        try:
            found.append(Record(**json.loads(path.read_text(encoding="utf-8"))))
        except (OSError, ValueError, TypeError) as error:
            raise BadInput(f"{path} is not a record of an application; put it back or move it away.") from error
    return found


def _write(folder: Path, record: Record) -> None:
    text = json.dumps(record.as_json(), indent=1, ensure_ascii=False)
    write_atomic(folder / f"{record.number:06}.json", text.encode(), mode=0o600)
