"""The journal of a study: records that Optuna appends to a file, in the one process that holds the study."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from optuna.storages.journal import JournalFileBackend

from workbench.errors import BadInput


class Journal(JournalFileBackend):
    """Appends without a lock and without waiting for the disk.

    The study's own lock is held while it runs and vanishes with the process; the link that Optuna would leave behind
    after a kill stops the next run for good where the path is relative. A kill loses nothing that was appended, so a
    record need not be flushed to the disk before the next one; two dozen are written a trial.
    """

    def append_logs(self, logs: list[dict[str, Any]]) -> None:
        """Add records at the end of the file."""
        with Path(self._file_path).open("ab") as file:
            file.write("".join(json.dumps(log, separators=(",", ":")) + "\n" for log in logs).encode())


def mend(path: Path) -> None:
    """Cut off the unfinished last line that a kill may leave; BadInput when another line is damaged."""
    if not path.exists():
        return
    content = path.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    for number, line in enumerate(whole.splitlines(), 1):
        try:
            json.loads(line)
        except ValueError as error:
            raise BadInput(
                f"The journal {path} is damaged in line {number}; move it away or choose another --study."
            ) from error
    if len(whole) < len(content):
        with path.open("r+b") as file:
            file.truncate(len(whole))
