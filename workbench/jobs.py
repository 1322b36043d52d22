"""Jobs that join several layers: an import with everything derived from it, and what a store is good for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from workbench.importers import ImportOptions, capabilities, load
from workbench.importers.address import mask_address
from workbench.replay.logged import materialise, settings_in_force
from workbench.replay.tokenizers import AUTO, TokenizerChoice, chosen, remember
from workbench.retrieve.corpus import write_corpus
from workbench.retrieve.drift import drift_counts
from workbench.retrieve.index import refresh_index
from workbench.retrieve.versions import history
from workbench.store import TABLES, Database, newest_version, reading, writing
from workbench.textsearch import tokenizer

Progress = Callable[[int, int | None, str], None]


class _DryRun(Exception):
    """Leaves a publication without publishing."""


def import_log(
    path: Path,
    source: str,
    options: ImportOptions | None = None,
    *,
    dry_run: bool = False,
    progress: Progress = lambda done, total, what: None,
) -> dict[str, Any]:
    """Take `source` into the store `path` and derive what replays read, in one publication.

    Returns the import report. Raises BadInput when the source cannot be used; the store is then unchanged, as it is
    after a dry run.
    """
    report: dict[str, Any] = {}
    options = options or ImportOptions()
    try:
        with writing(path, f"import of {Path(mask_address(source)).name}") as db:
            loaded = load(db, source, options, progress)
            report = loaded.as_json()
            settings = settings_in_force(db)
            report["warnings"] += settings.warnings
            progress(0, None, "deriving candidates")
            touched = "recall_queries" if loaded.memories_changed else "touched_queries"
            report["candidates"] = materialise(db, settings.params, f"SELECT query_id FROM {touched}")
            progress(0, None, "indexing texts")
            choice = _index(db, options.tokenizer)
            report |= {"tokenizer": choice.name, "tokenizer_choice": choice.as_json()}
            report["dry_run"] = dry_run
            if dry_run:
                raise _DryRun
    except _DryRun:
        pass
    return report


def _index(db: Database, wanted: str = AUTO) -> TokenizerChoice:
    """Inside a publication, settle the tokenizer and make the inverted index follow the memories."""
    choice = remember(db, wanted)
    words = tokenizer(choice.name)
    write_corpus(db, words)
    refresh_index(db, words)
    return choice


def status(path: Path) -> dict[str, Any]:
    """What the store at `path` holds, from where, how fresh, and what is possible with it."""
    with reading(path) as db:
        settings = settings_in_force(db)
        first, last = db.row("SELECT min(now)::VARCHAR, max(now)::VARCHAR FROM wb.logged_queries")
        drift = drift_counts(db, None, shown_only=True)
        past = history(db)
        return {
            "db": str(path),
            "version": newest_version(),
            "size_bytes": path.stat().st_size,
            "tables": {name: db.row(f"SELECT count(*) FROM {name}")[0] for name in TABLES},
            "first_query": first,
            "last_query": last,
            "traffic": dict(db.rows("SELECT traffic, count(*) FROM wb.logged_queries GROUP BY 1 ORDER BY 2 DESC")),
            "imports": _imports(db),
            "config": settings.params.changed_from(type(settings.params)()),
            "warnings": list(settings.warnings),
            "capabilities": capabilities(db),
            "history": past.as_json(),
            "drift": drift.as_json(),
            "doubts": [*past.sentences(), *drift.sentences()],
            "tokenizer_choice": chosen(db).as_json(),
        }


def _imports(db: Database) -> list[dict[str, Any]]:
    rows = db.rows("SELECT source, kind, finished_at::VARCHAR FROM wb.imports ORDER BY import_id")
    return [{"source": source, "kind": kind, "finished_at": finished} for source, kind, finished in rows]
