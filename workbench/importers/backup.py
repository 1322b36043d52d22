"""Lore's backup file: one JSON object, also compressed, of any size in bounded memory."""

from __future__ import annotations

import gzip
import lzma
import mmap
import re
import shutil
import zlib
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, chain
from pathlib import Path

import msgspec

from workbench.errors import BadInput
from workbench.importers.compressed import is_compressed, open_plain
from workbench.importers.jsonlines import BOM, Mended, key_of, mend
from workbench.importers.options import ImportOptions
from workbench.importers.staging import CHUNK_BYTES, CHUNK_ROWS, Staging
from workbench.params.settings import looks_secret
from workbench.store import TABLES

FORMAT = "lore-backup-v1"
_REQUIRED = ("nodes", "memories", "edges", "paths")
_BUFFER = 1024 * 1024
_START = re.compile(rb"\s*\{\s*\"(format|created_at|tables|stats)\"\s*:")


class _Backup(msgspec.Struct):
    format: object = None
    tables: dict[str, list[msgspec.Raw] | None] = {}


Row = bytes | msgspec.Raw


def recognises(head: bytes) -> bool:
    """Whether the first bytes of a (decompressed) file are those of a backup object."""
    text = head.removeprefix(BOM)
    return _START.match(text) is not None or (text.lstrip().startswith(b"{") and b'"lore-backup-' in text)


def stage(path: Path, staging: Staging, options: ImportOptions) -> None:
    """Stage every known table of the backup; BadInput when it is cut off, of another format, or lacks a table."""
    del options
    plain = decompressed(path, staging)
    with plain.open("rb") as file:
        # Never closed by hand: the rows point into it as long as anything, be it a traceback, holds them.
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    staging.progress(0, len(content), f"reading {path.name}")
    # Inside strings a line end is escaped: one that stands for itself is white space of an indented backup.
    end = len(content) - 1
    one_line = content.find(b"\n", 0, end) < 0 and content.find(b"\r", 0, end) < 0
    _stage_tables(_decoded(path, content, staging.mended), path, one_line, staging)


def decompressed(path: Path, staging: Staging) -> Path:
    """The file itself, or a temporary plain copy of a gzip or xz file; BadInput when it is cut off."""
    if not is_compressed(path):
        return path
    target = staging.temporary("plain")
    try:
        with open_plain(path) as source, target.open("wb") as out:
            staging.progress(0, None, f"unpacking {path.name}")
            shutil.copyfileobj(source, out, 4 * 1024 * 1024)
    except (EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error) as error:
        raise BadInput(f"{path} cannot be unpacked ({error}); copy or export it again.") from error
    return target


def _decoded(path: Path, content: mmap.mmap, mended: Mended) -> _Backup:
    start = len(BOM) if content[: len(BOM)] == BOM else 0
    try:
        try:
            backup = msgspec.json.decode(memoryview(content)[start:], type=_Backup)
        except msgspec.DecodeError:
            # Halves of surrogate pairs are no valid JSON either; the usual backup without any is read only once.
            mend(content, mended)
            backup = msgspec.json.decode(memoryview(content)[start:], type=_Backup)
    except msgspec.ValidationError as error:
        raise BadInput(f"{path} is not a Lore backup: {error}; export the backup again.") from error
    except RecursionError as error:
        raise BadInput(
            f"{path} holds a value that is nested too deeply; no Lore server writes such a backup."
        ) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} is cut off or not valid JSON ({error}); copy or export it again.") from error
    if backup.format != FORMAT:
        raise BadInput(f"{path} has the format {backup.format!r}; this workbench reads {FORMAT}.")
    missing = [name for name in _REQUIRED if backup.tables.get(name) is None]
    if missing:
        raise BadInput(f"{path} has no table {missing[0]}; export the backup again with all its tables.")
    return backup


def _stage_tables(backup: _Backup, path: Path, one_line: bool, staging: Staging) -> None:
    ignored = sorted(set(backup.tables) - set(TABLES))
    if ignored:
        staging.warn(f"Tables that the workbench does not use: {', '.join(ignored)}.")
    total = sum(len(rows or ()) for rows in backup.tables.values())
    done = 0
    for name in TABLES:
        rows = backup.tables.pop(name, None)
        if rows is None:
            continue
        kept: Sequence[int] = range(len(rows))
        if name == "app_settings":
            kept = _without_secrets(rows, staging)
        start = 0
        while start < len(kept) or not start:
            staging.progress(done + start, total, f"reading {name}")
            sizes = _sizes_of_chunk(rows, kept, start)
            end = start + len(sizes)
            _stage_rows(name, rows, kept[start:end], path, one_line, max(sizes), staging)
            start = end
        done += len(rows)


def _sizes_of_chunk(rows: Sequence[msgspec.Raw], kept: Sequence[int], start: int) -> list[int]:
    """The sizes of the rows of the chunk that begins at `start`; it ends after CHUNK_ROWS rows or CHUNK_BYTES bytes."""
    sizes = [len(memoryview(rows[number])) for number in kept[start : start + CHUNK_ROWS]]
    return sizes[: max(1, bisect_right(list(accumulate(sizes)), CHUNK_BYTES))] or [0]


def _stage_rows(
    name: str, rows: Sequence[msgspec.Raw], kept: Sequence[int], path: Path, one_line: bool, longest: int,
    staging: Staging,
) -> None:  # fmt: skip
    """Stage the rows with the numbers `kept` by way of a file of one row a line."""
    chunk: Sequence[Row] = [rows[number] for number in kept]
    if not one_line:
        chunk = [bytes(row).replace(b"\n", b" ").replace(b"\r", b" ") for row in chunk]
    target = staging.temporary("rows.jsonl")
    with target.open("wb", buffering=_BUFFER) as out:
        out.writelines(chain.from_iterable((row, b"\n") for row in chunk))
    staging.add_jsonl(name, target, lambda row: f"{path.name}, row {kept[row - 1] + 1}", longest)


def _without_secrets(rows: Sequence[msgspec.Raw], staging: Staging) -> list[int]:
    """The numbers of the settings that may be kept; the others are named."""
    kept = []
    for number, row in enumerate(rows):
        key = key_of(row)
        if key is not None and looks_secret(key):
            staging.secrets.append(key)
        else:
            kept.append(number)
    return kept
