"""Lore's backup file: one JSON object, also compressed, of any size in bounded memory."""

from __future__ import annotations

import lzma
import mmap
import re
import shutil
import zlib
from collections.abc import Sequence
from pathlib import Path

import msgspec

from workbench.errors import BadInput
from workbench.importers.compressed import is_compressed, open_plain
from workbench.importers.jsonlines import BOM, mend
from workbench.importers.options import ImportOptions
from workbench.importers.staging import Staging
from workbench.params.settings import looks_secret
from workbench.store import TABLES

FORMAT = "lore-backup-v1"
_REQUIRED = ("nodes", "memories", "edges", "paths")
_CHUNK = 20_000
_START = re.compile(rb"\s*\{\s*\"(format|created_at|tables|stats)\"\s*:")


class _Backup(msgspec.Struct):
    format: object = None
    tables: dict[str, list[msgspec.Raw]] = {}


class _Setting(msgspec.Struct):
    key: object = None


def recognises(head: bytes) -> bool:
    """Whether the first bytes of a (decompressed) file are those of a backup object."""
    return _START.match(head.removeprefix(BOM)) is not None


def stage(path: Path, staging: Staging, options: ImportOptions) -> None:
    """Stage every known table of the backup; BadInput when it is cut off, of another format, or lacks a table."""
    del options
    plain = decompressed(path, staging)
    with plain.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY) as content:
        mend(content, staging.mended)
        _stage_tables(_decoded(path, content), path, staging)


def decompressed(path: Path, staging: Staging) -> Path:
    """The file itself, or a temporary plain copy of a gzip or xz file; BadInput when it is cut off or empty."""
    if not path.stat().st_size:
        raise BadInput(f"{path} is empty; export the backup again.")
    if not is_compressed(path):
        return path
    target = staging.temporary("plain")
    try:
        with open_plain(path) as source, target.open("wb") as out:
            staging.progress(0, None, f"unpacking {path.name}")
            shutil.copyfileobj(source, out, 4 * 1024 * 1024)
    except (EOFError, OSError, lzma.LZMAError, zlib.error) as error:
        raise BadInput(f"{path} cannot be unpacked ({error}); copy or export it again.") from error
    return target


def _decoded(path: Path, content: mmap.mmap) -> _Backup:
    start = len(BOM) if content[: len(BOM)] == BOM else 0
    try:
        backup = msgspec.json.decode(memoryview(content)[start:], type=_Backup)
    except msgspec.ValidationError as error:
        raise BadInput(f"{path} is not a Lore backup: {error}; export the backup again.") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} is cut off or not valid JSON ({error}); copy or export it again.") from error
    if backup.format != FORMAT:
        raise BadInput(f"{path} has the format {backup.format!r}; this workbench reads {FORMAT}.")
    missing = [name for name in _REQUIRED if name not in backup.tables]
    if missing:
        raise BadInput(f"{path} has no table {missing[0]}; export the backup again with all its tables.")
    return backup


def _stage_tables(backup: _Backup, path: Path, staging: Staging) -> None:
    ignored = sorted(set(backup.tables) - set(TABLES))
    if ignored:
        staging.warn(f"Tables that the workbench does not use: {', '.join(ignored)}.")
    total = sum(len(rows) for rows in backup.tables.values())
    done = 0
    for name in TABLES:
        rows = backup.tables.pop(name, None)
        if rows is None:
            continue
        staging.progress(done, total, f"reading {name}")
        done += len(rows)
        if name == "app_settings":
            rows = _without_secrets(rows, staging)
        target = staging.temporary(f"{name}.jsonl")
        longest = _write_lines(rows, target)
        del rows
        staging.add_jsonl(name, target, path.name, longest=longest)
        target.unlink()


def _without_secrets(rows: Sequence[msgspec.Raw], staging: Staging) -> list[msgspec.Raw]:
    kept = []
    for row in rows:
        key = msgspec.json.decode(row, type=_Setting).key
        if isinstance(key, str) and looks_secret(key):
            staging.secrets.append(key)
        else:
            kept.append(row)
    return kept


def _write_lines(rows: Sequence[msgspec.Raw], target: Path) -> int:
    """Write one row a line; returns the length of the longest."""
    longest = 0
    with target.open("wb") as out:
        for start in range(0, len(rows), _CHUNK):
            chunk: Sequence[bytes | msgspec.Raw] = rows[start : start + _CHUNK]
            text = b"\n".join(chunk)
            if text.count(b"\n") != len(chunk) - 1:
                # White space between the tokens of an indented backup; inside strings a line end is escaped.
                chunk = [bytes(row).replace(b"\n", b" ") for row in chunk]
                text = b"\n".join(chunk)
            longest = max(longest, *(len(memoryview(row)) for row in chunk))
            out.write(text)
            out.write(b"\n")
    return longest
