"""A folder of Markdown files as memories: repeatable, what did not change is left alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from workbench.errors import BadInput
from workbench.memories import rows
from workbench.memories.change import Progress, not_to_come, publishing, silent
from workbench.memories.markdown import DEFAULT_DOMAIN, KNOWN, MarkdownMemory, read_markdown
from workbench.memories.memory import split_uri
from workbench.memories.states import State, states
from workbench.store import Database, in_memory, reading, sql_text
from workbench.text import shown

_SUFFIXES = (".md", ".markdown")

Pending = list[tuple[MarkdownMemory, State | None]]


@dataclass
class Imported:
    """What became of the files of a folder: `read` = added + updated + skipped + rejected. Removed memories come back
    where their file was edited."""

    read: int = 0
    added: list[str] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    skipped: int = 0
    rejected: list[dict[str, str]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """The document of the command."""
        return dict(self.__dict__)


def import_folder(
    path: Path, folder: Path, domain: str = DEFAULT_DOMAIN, *, dry_run: bool = False, progress: Progress = silent
) -> Imported:
    """Take every Markdown file below `folder` as a memory into the store at `path`, in one publication.

    A file that was taken before and is the same skips, whatever became of its memory since; another one updates it.
    A file that cannot be used is rejected with the reason. BadInput where the folder holds none that can.
    """
    split_uri(f"{domain}://x")
    report = Imported()
    found = _files(folder, domain, report)
    if report.read == 0:
        raise BadInput(f"{folder} holds no Markdown files; name a folder with files that end in .md.")
    if not found:
        first = report.rejected[0]
        raise BadInput(f"No file of {folder} can be used; {first['where']}: {first['reason']}.")
    with reading(path) if path.exists() else in_memory() as db:
        pending = _plan(db, found)
    if pending and not dry_run:
        with publishing(path, f"import of {folder.name}", progress) as (db, notes):
            pending = _plan(db, found)
            _write(db, pending, progress)
        report.warnings += notes
    report.added = [one.memory.uri for one, state in pending if state is None or not state.active]
    report.updated = [one.memory.uri for one, state in pending if state and state.active]
    report.skipped = len(found) - len(pending)
    return report


def _files(folder: Path, domain: str, report: Imported) -> list[MarkdownMemory]:
    """The usable files in order of their names, one an address."""
    if not folder.is_dir():
        raise BadInput(f"{folder} is no folder; name one with Markdown files.")
    now = datetime.now(UTC)
    found: dict[str, MarkdownMemory] = {}
    where: dict[str, str] = {}
    for file in sorted(folder.rglob("*")):
        if file.suffix.lower() not in _SUFFIXES or not file.is_file():
            continue
        report.read += 1
        relative = file.relative_to(folder)
        name = shown(relative.as_posix())
        try:
            one = read_markdown(file, relative, domain)
            not_to_come(one.memory, now)
            if other := where.get(one.memory.uri):
                raise BadInput(f"it has the address {shown(one.memory.uri)}, as {other} has")
        except BadInput as problem:
            report.rejected.append({"where": name, "reason": str(problem).removesuffix(".")})
            continue
        found[one.memory.uri], where[one.memory.uri] = one, name
        report.warnings += _unknown(name, one.unknown)
    return list(found.values())


def _unknown(name: str, keys: Sequence[str]) -> list[str]:
    if not keys:
        return []
    listed = ", ".join(shown(key, 40) for key in keys)
    return [f"{name}: the front matter has keys that nothing reads ({listed}); known are {', '.join(KNOWN)}."]


def _plan(db: Database, found: Sequence[MarkdownMemory]) -> Pending:
    """The files that say something new, each with what its address holds now."""
    taken: dict[str, str] = dict(db.rows(sql_text("memories/imported_files")))
    held = states(db)
    pending: Pending = []
    for one in found:
        state = held.get(one.memory.uri)
        same = state is not None and state.active and state.holds(one.memory)
        if not same and taken.get(one.memory.uri) != one.digest:
            pending.append((one, state))
    return pending


def _write(db: Database, pending: Pending, progress: Progress) -> None:
    now = datetime.now(UTC)
    with db.transaction():
        for number, (one, state) in enumerate(pending):
            progress(number, len(pending), "writing memories")
            if state and state.active:
                rows.update(db, state, one.memory, now, file_sha256=one.digest)
            else:
                rows.create(db, state, one.memory, now, file_sha256=one.digest)
