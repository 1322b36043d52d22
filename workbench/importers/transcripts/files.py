"""Transcripts into the store: file by file, line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import TextIOWrapper
from pathlib import Path
from typing import BinaryIO, Protocol, TextIO
from zoneinfo import ZoneInfo

from workbench.errors import BadInput
from workbench.importers.compressed import open_plain
from workbench.importers.jsonlines import BLANK, UNFINISHED, UNREADABLE, Line, Mended, line_of, said
from workbench.importers.options import ImportOptions
from workbench.importers.staging import Staging
from workbench.importers.transcripts import claude_code, codex
from workbench.importers.transcripts.find import CODEX, UNPACKING, transcripts
from workbench.importers.transcripts.rows import Rows
from workbench.importers.transcripts.secrets import masked
from workbench.importers.transcripts.track import Noticed, Track
from workbench.text import counted

# A line may hold a picture or a whole file; what is longer is named and left out.
LONGEST_LINE = 64 * 1024 * 1024
_LINE_ENDS = ("\n", "\r")
_TYPE = re.compile(r"[\w .-]{1,60}")


def stage(path: Path, staging: Staging, options: ImportOptions) -> None:
    """Read the transcript `path`, or every one below the folder `path`, into the agent tables of the store."""
    rows, noticed = Rows(staging.db), Noticed()
    files = list(transcripts(path))
    others = [file for file, kind in files if kind is None and file.stat().st_size]
    found = [(file, kind) for file, kind in files if kind is not None]
    for number, (file, kind) in enumerate(found):
        staging.progress(number, len(found), f"reading {file.name}")
        where = str(file.relative_to(path)) if path.is_dir() else file.name
        track = Track(kind, rows, noticed, ZoneInfo(options.zone), options.redact)
        _read(file, where, kind, track, staging)
        track.close()
    staging.tables.update(rows.merge(options.since))
    _say(staging, noticed, others)


def _read(file: Path, where: str, kind: str, track: Track, staging: Staging) -> None:
    name = file.name.partition(".jsonl")[0]
    reader = codex.Reader(track, name) if kind == CODEX else claude_code.Reader(track, name)
    try:
        with open_plain(file) as source:
            for number, reason in unusable(source, reader, staging.mended, track.noticed):
                if reason == UNFINISHED:
                    track.noticed.unfinished.append(where)
                else:
                    staging.reject(f"{where}:{number}", reason)
    except UNPACKING as error:
        staging.reject(where, f"cannot be unpacked to its end ({error}); copy it again")
    except OSError as error:
        raise BadInput(f"Cannot read {file} ({error.strerror or error}); check its permissions.") from error


class Reader(Protocol):
    """Reads one transcript line by line."""

    def read(self, content: bytes) -> None:
        """Take one line. Raises what the JSON reader raises."""


def unusable(file: BinaryIO, reader: Reader, mended: Mended, noticed: Noticed) -> Iterator[tuple[int, str]]:
    """Give every line of a file to `reader`; yields the number of each that cannot be used, with the reason. Such
    a line counts once: what was `noticed` of its time is forgotten."""
    for line in lines(file, mended):
        reason, before = line.reason, (noticed.untimed, noticed.unzoned)
        if not reason:
            try:
                reader.read(line.content)
            except UNREADABLE as error:
                reason = said(error)
                noticed.untimed, noticed.unzoned = before
        if reason and reason != BLANK:
            yield line.number, reason


def lines(file: BinaryIO, mended: Mended) -> Iterator[Line]:
    """The lines of a file, whose ends are those of any system; of one longer than LONGEST_LINE only its number and that
    reason."""
    # One character a byte, so that the bytes come back as they were.
    text = TextIOWrapper(file, "latin-1", newline="")
    try:
        yield from _lines(text, mended)
    finally:
        text.detach()  # else it would close the file


def _lines(text: TextIO, mended: Mended) -> Iterator[Line]:
    number = 0
    while raw := text.readline(LONGEST_LINE):
        number += 1
        if len(raw) < LONGEST_LINE or raw.endswith(_LINE_ENDS):
            # JSON escapes a line end inside of a text: one that stands for itself ends the line.
            ended = f"{raw[:-1]}\n" if raw.endswith("\r") else raw
            yield line_of(number, ended.encode("latin-1"), mended)
            continue
        while (more := text.readline(LONGEST_LINE)) and not more.endswith(_LINE_ENDS):
            pass
        yield Line(number, b"", f"longer than {LONGEST_LINE // 1024 // 1024} MiB" if more else UNFINISHED)


def _say(staging: Staging, noticed: Noticed, others: list[Path]) -> None:
    if noticed.unknown:
        types = ", ".join(f"{_named(name)} ({count})" for name, count in sorted(noticed.unknown.items())[:20])
        number = noticed.unknown.total()
        lines_of = counted(number, "line")
        not_read = "was not read" if number == 1 else "were not read"
        staging.warn(f"{lines_of} of types that the workbench does not know {not_read}: {types}.")
    if noticed.untimed:
        untimed = counted(noticed.untimed, "line has", "lines have")
        staging.warn(f"{untimed} no time that can be read; what they hold is linked by ids only.")
    if noticed.unzoned:
        unzoned = counted(noticed.unzoned, "time stamp names no zone; it was", "time stamps name no zone; they were")
        staging.warn(f"{unzoned} read in the zone of --zone.")
    if noticed.without_address:
        empty = counted(
            noticed.without_address,
            "call of lore_get_node names no address; it opens",
            "calls of lore_get_node name no address; they open",
        )
        staging.warn(f"{empty} nothing.")
    if noticed.unfinished:
        files = counted(len(noticed.unfinished), "file ends", "files end")
        names = ", ".join(noticed.unfinished[:20])
        staging.warn(f"{files} in an unfinished line, which will be read next time: {names}.")
    if noticed.secrets:
        staging.warn(f"{counted(noticed.secrets, 'text')} held what looks like a secret; it was replaced by ***.")
    if others:
        names = ", ".join(file.name for file in others[:20])
        staging.warn(f"{counted(len(others), 'file is', 'files are')} no transcript of a known agent: {names}.")


def _named(kind: str) -> str:
    return masked(kind) if _TYPE.fullmatch(kind) else "(none that has a name)"
