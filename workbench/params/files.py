"""Writing a file whole or not at all."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

from workbench.errors import BadInput

_NAME = re.compile(r"[\w.-]{1,80}")


def is_file_name(name: str) -> bool:
    """Whether what somebody called `name` can be kept in a file called so: letters, digits, dot, dash and underscore, 1
    to 80 of them, and not dots alone."""
    return bool(_NAME.fullmatch(name) and name.strip("."))


def write_atomic(path: Path, content: bytes, mode: int = 0o644) -> None:
    """Replace `path` by `content`; on a failure the old file stays as it was and BadInput says why.

    An existing file keeps its permissions, a new one gets `mode`; a link stays a link to the replaced file.
    """
    try:
        path = path.resolve()
        keep = path.stat().st_mode & 0o777 if path.exists() else mode
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            Path(name).chmod(keep)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise BadInput(
            f"Cannot write {path}: {error.strerror or error}; choose a folder that exists and that you may write to."
        ) from error
