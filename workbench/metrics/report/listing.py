"""Lists beside the figures: queries page by page, and memories across their addresses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workbench.errors import BadInput
from workbench.judge import LOG, PROMPTS, Evidence, judge_log
from workbench.judge.labels import stage
from workbench.store import Database, compose, sql_text


@dataclass(frozen=True)
class Page:
    """Some of `total` rows; `has_more` says whether rows follow this page."""

    rows: Sequence[dict[str, Any]]
    total: int
    offset: int
    has_more: bool


def page(
    db: Database,
    selected: str | None = "selected",
    offset: int = 0,
    size: int = 20,
    evidence: Evidence | None = None,
) -> Page:
    """The selected queries, newest first, with what they showed, what was used, and what is deleted since."""
    if offset < 0 or size < 1:
        raise BadInput(f"A page starts at 0 or later and has at least one row, not offset {offset} and size {size}.")
    total = judge_log(db, selected, evidence).prompts
    stages = (*stage("prompts", PROMPTS), *stage("log", LOG), "logged/memory_now")
    rows = db.arrow(compose(stages, sql_text("report/page")), {"offset": offset, "size": size}).to_pylist()
    return Page(rows[:size], total, offset, len(rows) > size)


def memory_table(
    db: Database, selected: str | None = "selected", evidence: Evidence | None = None
) -> list[dict[str, Any]]:
    """Shown memories, most shown first: node, uris (all its addresses, logged and present), shown, used, twice (queries
    that showed it under two addresses), deleted."""
    judge_log(db, selected, evidence)
    stages = (*stage("prompts", PROMPTS), *stage("log", LOG), "logged/memory_now")
    rows: list[dict[str, Any]] = db.arrow(compose(stages, sql_text("report/memories"))).to_pylist()
    return rows
