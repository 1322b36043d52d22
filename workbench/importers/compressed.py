"""Files that may be compressed, told by their first bytes."""

from __future__ import annotations

import gzip
import lzma
from pathlib import Path
from typing import BinaryIO, cast

_GZIP, _XZ = b"\x1f\x8b", b"\xfd7zXZ\x00"


def is_compressed(path: Path) -> bool:
    """Whether a file is gzip or xz."""
    return _magic(path).startswith((_GZIP, _XZ))


def open_plain(path: Path) -> BinaryIO:
    """The file's content, decompressed on the way."""
    magic = _magic(path)
    if magic.startswith(_GZIP):
        return cast(BinaryIO, gzip.open(path, "rb"))
    return cast(BinaryIO, lzma.open(path, "rb")) if magic.startswith(_XZ) else path.open("rb")


def _magic(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(len(_XZ))
