"""Which files are transcripts, told by their content."""

from __future__ import annotations

import gzip
import lzma
import os
import re
import zlib
from collections.abc import Iterator
from pathlib import Path

import msgspec

from workbench.importers.compressed import open_plain
from workbench.importers.jsonlines import UNREADABLE, Mended, line_of

CLAUDE_CODE, CODEX = "claudecode", "codex"
ENDINGS = (".jsonl", ".jsonl.gz", ".jsonl.xz")
UNPACKING = (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile)
_HEAD = 64 * 1024
_CODEX_LINES = frozenset({"session_meta", "response_item", "event_msg", "turn_context"})
# A first line may be longer than what is looked at.
_CUT_CODEX = re.compile(rb'"type"\s*:\s*"(?:session_meta|response_item)"')
_CUT_CLAUDE_CODE = re.compile(rb'"(?:sessionId|parentUuid|leafUuid)"\s*:')


_NOTHING = msgspec.Raw(b"null")


class _Line(msgspec.Struct):
    type: object = None
    payload: msgspec.Raw = _NOTHING
    sessionId: object = None  # noqa: N815  # a name in the file
    parentUuid: object = msgspec.UNSET  # noqa: N815
    leafUuid: object = None  # noqa: N815
    snapshot: msgspec.Raw = _NOTHING


_DECODER = msgspec.json.Decoder(_Line)


def is_transcript(head: bytes) -> str | None:
    """CLAUDE_CODE or CODEX where the first bytes of a file are those of such a transcript, else None."""
    for raw in head.splitlines(keepends=True):
        try:
            found = _kind(_DECODER.decode(line_of(1, raw, Mended()).content))
        except UNREADABLE:
            found = None if raw.endswith(b"\n") or not raw.lstrip().startswith(b"{") else _kind_of_cut(raw)
        if found:
            return found
    return None


def transcripts(path: Path) -> Iterator[tuple[Path, str | None]]:
    """The file `path`, or every file of a folder whose name ends like a transcript's, with its kind; links to folders
    are not followed."""
    if not path.is_dir():
        yield path, is_transcript(head_of(path))
        return
    for folder, below, names in os.walk(path):
        below.sort()
        for name in sorted(names):
            file = Path(folder, name)
            if name.lower().endswith(ENDINGS) and file.is_file():
                yield file, is_transcript(head_of(file))


def holds_transcripts(path: Path) -> bool:
    """Whether a folder holds a transcript, at any depth."""
    return any(kind for _, kind in transcripts(path))


def head_of(path: Path) -> bytes:
    """The first bytes of a file, decompressed; none where it cannot be read."""
    try:
        with open_plain(path) as file:
            return file.read1(_HEAD) if hasattr(file, "read1") else file.read(_HEAD)
    except (OSError, *UNPACKING):
        return b""


def _kind(line: _Line) -> str | None:
    if not isinstance(line.type, str):
        return None
    if line.payload != _NOTHING and line.type in _CODEX_LINES:
        return CODEX
    named = (line.sessionId, line.leafUuid, line.snapshot != _NOTHING)
    return CLAUDE_CODE if any(named) or line.parentUuid is not msgspec.UNSET else None


def _kind_of_cut(raw: bytes) -> str | None:
    if _CUT_CODEX.search(raw):
        return CODEX
    return CLAUDE_CODE if b'"type"' in raw and _CUT_CLAUDE_CODE.search(raw) else None
