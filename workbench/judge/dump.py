"""Every scored candidate of a replay with its label, for other tools."""

from __future__ import annotations

from pathlib import Path

from workbench.judge.labels import judge_log
from workbench.replay.run import Settings, candidates_of, full_chain
from workbench.store import Database, compose, sql_text


def dump(db: Database, settings: Settings, selected: str | None, path: Path) -> None:
    """Write every candidate of the selected queries (None: all) to the Parquet file `path`, whole or not at all.

    Signals are the merged ones, `lexical` undamped. The label is that of the standard evidence: used, shown_unused, or
    unknown for memories that were never shown or whose evidence is set aside.
    """
    judge_log(db, selected)
    db.copy_to(compose(full_chain(candidates_of(selected)), sql_text("judge/dump")), path, settings.bindings())
