"""One import: recognise the source, stage it, type it, merge it, derive what it lacks."""

from __future__ import annotations

import errno
import gzip
import json
import lzma
import stat
import zlib
from collections.abc import Callable
from pathlib import Path

from workbench.errors import BadInput
from workbench.importers import backup, dump, folder, postgres, transcripts
from workbench.importers.address import mask_address
from workbench.importers.capabilities import capabilities
from workbench.importers.compressed import open_plain
from workbench.importers.options import ImportOptions, Progress
from workbench.importers.report import ImportReport
from workbench.importers.rollups import derive_rollups
from workbench.importers.staging import Staged, Staging, Unread
from workbench.importers.typed import type_rows
from workbench.importers.upsert import Counts, forget_changes, upsert
from workbench.store import TABLES, Database, sql_text
from workbench.text import counted

_HEAD = 64 * 1024
_TIMED = frozenset({"recall_queries", "recall_query_candidates", "recall_events", "memory_events"})
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_ADDRESSES = ("postgresql://", "postgres://")
TRANSCRIPTS = "transcripts"


def load(
    db: Database,
    source: str,
    options: ImportOptions | None = None,
    progress: Progress = lambda done, total, what: None,
) -> ImportReport:
    """Take `source` into the tables of `db`, a database that is being written.

    Leaves the temporary table touched_queries (query_id). Raises BadInput when the source cannot be used; whoever
    holds `db` then must not publish it.
    """
    chosen = options or ImportOptions()
    kind, stage = _recognised(source)
    if chosen.redact and kind != TRANSCRIPTS:
        raise BadInput("--redact is for transcripts of agents; the recall log itself needs the texts of its prompts.")
    forget_changes(db)
    with Staging(db, progress, lambda staging, staged: _merge(staging, staged, chosen)) as staging:
        _staged(source, lambda: stage(staging, chosen))
        staging.finish()
        counts = staging.tables
        unattributed = _derived(db, counts)
        _sentences(staging, counts, unattributed, chosen)
        report = ImportReport(
            mask_address(source), kind, counts, staging.rejected, staging.warnings, capabilities(db), chosen.tokenizer
        )
    _record(db, report)
    return report


Stage = Callable[[Staging, ImportOptions], None]


def _recognised(source: str) -> tuple[str, Stage]:
    """The kind of a source, by its content, and the function that stages it."""
    if source.startswith(_ADDRESSES):
        return "postgresql", lambda staging, options: postgres.stage(source, staging, options)
    path = Path(source)
    mode = _mode(source)
    is_folder = stat.S_ISDIR(mode)
    if folder.table_file(path) is not None or (is_folder and folder.holds_tables(path)):
        return "tables", lambda staging, options: folder.stage(path, staging, options)
    if transcripts.holds_transcripts(path) if is_folder else transcripts.is_transcript(_head(path)):
        return TRANSCRIPTS, lambda staging, options: transcripts.stage(path, staging, options)
    if is_folder:
        raise BadInput(
            f"{path} holds no table of Lore and no transcript of an agent; name files after tables, for example "
            "recall_events.parquet or paths.jsonl, or give the folder where the agent keeps its sessions."
        )
    head = _head(path)
    if backup.recognises(head):
        return "backup", lambda staging, options: backup.stage(path, staging, options)
    if dump.recognises(head, path):
        return "pg_dump", lambda staging, options: dump.stage(path, staging, options)
    raise BadInput(
        f"{path} is none of the known sources; give a Lore backup (JSON), a plain pg_dump, a folder of Parquet, JSONL "
        "or CSV tables, a postgresql:// address, or transcripts of Claude Code or Codex."
    )


def _mode(source: str) -> int:
    """What the source is in the file system; BadInput when it is nothing that can be read twice."""
    if not source.strip():
        raise BadInput("The name of the source is empty; give a backup, a dump, a folder of tables or an address.")
    try:
        mode = Path(source).stat().st_mode
    except (FileNotFoundError, NotADirectoryError, ValueError) as error:
        raise BadInput(
            f"There is no {mask_address(source)}; check the name of the file, or name a database as "
            "postgresql://USER@HOST/DATABASE."
        ) from error
    except OSError as error:
        raise BadInput(
            f"Cannot read {mask_address(source)} ({error.strerror}); check its name and permissions."
        ) from error
    if not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
        raise BadInput(f"{source} is a device or a pipe; write it to a file and import that.")
    return mode


def _head(path: Path) -> bytes:
    """The first bytes of a file, decompressed."""
    try:
        with open_plain(path) as file:
            head = file.read(_HEAD)
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise BadInput(f"{path} cannot be unpacked ({error}); copy or export it again.") from error
    except OSError as error:
        raise BadInput(f"Cannot read {path} ({error.strerror}); check its permissions.") from error
    if not head:
        raise BadInput(f"{path} is empty; export or copy it again.")
    return head


def _staged(source: str, work: Callable[[], None]) -> None:
    """Run an adapter; what it cannot read is said in one sentence. A full disk is no fault of the source."""
    try:
        work()
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise BadInput(f"{mask_address(source)} cannot be unpacked ({error}); copy or export it again.") from error
    except OSError as error:
        if error.errno in _NO_ROOM:
            raise
        raise BadInput(
            f"Cannot read {mask_address(source)}: {error.strerror or error}; check it and try again."
        ) from error


def _merge(staging: Staging, staged: Staged, options: ImportOptions) -> None:
    """Type and merge a chunk of staged rows."""
    name = staged.name
    typed = type_rows(staging, staged, options.zone)
    since = options.since if name in _TIMED else None
    upsert(staging.db, staging.tables[name], name, staged.raw, typed, since)
    staging.db.execute(f"DROP VIEW {typed}")


def _derived(db: Database, counts: dict[str, Counts]) -> int:
    """Derive missing rollups, and list the queries that this import touched; transcripts touch none."""
    if not counts.keys() & TABLES.keys():
        db.execute("CREATE OR REPLACE TEMP TABLE touched_queries AS SELECT query_id FROM recall_queries LIMIT 0")
        return 0
    unattributed = derive_rollups(db, "changed_recall_events", counts)
    db.execute(f"CREATE OR REPLACE TEMP TABLE touched_queries AS {sql_text('import/touched_queries')}")
    return unattributed


def _sentences(staging: Staging, counts: dict[str, Counts], unattributed: int, options: ImportOptions) -> None:
    """Say what the operator should know of the source as a whole."""
    db, mended = staging.db, staging.mended
    for where, unread in staging.unread.items():
        _say_unread(staging, where, unread, options.zone)
    if staging.secrets:
        staging.warn(f"Secrets were left out: {', '.join(sorted(set(staging.secrets)))}.")
    if mended.nul:
        staging.warn(f"{mended.nul} NUL characters are shown as ␀, because no database keeps them.")
    if mended.surrogates:
        staging.warn(f"{mended.surrogates} halves of surrogate pairs were replaced by the mark U+FFFD.")
    if unattributed:
        staging.warn(f"{unattributed} recall events name no query; they are unattributed and count nowhere.")
    for (sentence,) in db.rows(sql_text("import/doubts")) if counts.keys() & TABLES.keys() else ():
        staging.warn(sentence)
    if derived := counts.get("recall_queries", Counts()).derived:
        staging.warn(
            f"{counted(derived, 'query was', 'queries were')} derived from recall events, because no source held them."
        )


def _say_unread(staging: Staging, where: str, unread: Unread, zone: str) -> None:
    """What was noticed in the column `where`."""
    if unread.lost:
        staging.warn(f"{where}: {counted(unread.lost, 'value')} cannot be used and became empty.")
    if unread.unzoned:
        unzoned = counted(unread.unzoned, "time stamp names no zone; it was", "time stamps name no zone; they were")
        staging.warn(f"{where}: {unzoned} read as {zone} (--zone).")
    if unread.ahead:
        staging.warn(f"{where}: {counted(unread.ahead, 'time stamp lies', 'time stamps lie')} in the future.")


def _record(db: Database, report: ImportReport) -> None:
    db.execute(
        "INSERT INTO wb.imports SELECT coalesce(max(import_id), 0) + 1, $source, $kind, now(), $report FROM wb.imports",
        {"source": report.source, "kind": report.kind, "report": json.dumps(report.as_json(), ensure_ascii=False)},
    )
