"""Lists beside the figures: queries page by page, and memories across their addresses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from workbench.errors import BadInput
from workbench.judge import LOG, PROMPTS, Evidence, judge_log
from workbench.judge.labels import stage
from workbench.store import Database, compose, sql_text

Outcome = Literal["used", "unused", "silent", "late"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
_NEWEST_FIRST = "SELECT * FROM {last} ORDER BY now DESC, query_id LIMIT $size::BIGINT + 1 OFFSET $offset::BIGINT"


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
    outcome: Outcome | None = None,
    domain: str | None = None,
) -> Page:
    """The selected queries, newest first, with what they showed, what was used, and what is deleted since.

    `outcome` keeps those that ended so: `used`; shown in vain (`unused`); nothing shown (`silent`); delivered to nobody
    (`late`). `domain` keeps those that showed a memory of it.
    """
    if offset < 0 or size < 1:
        raise BadInput(f"A page starts at 0 or later and has at least one row, not offset {offset} and size {size}.")
    judge_log(db, selected, evidence)
    stages = (*stage("prompts", PROMPTS), *stage("log", LOG), "logged/memory_now", "report/page")
    kept = {"outcome": outcome, "domain": domain}
    (total,) = db.row(compose(stages, "SELECT count(*) FROM {last}"), kept)
    rows = db.arrow(compose(stages, _NEWEST_FIRST), {**kept, "offset": offset, "size": size}).to_pylist()
    return Page(rows[:size], total, offset, len(rows) > size)


def domains(db: Database, selected: str | None = "selected") -> list[str]:
    """The domains of the memories that the selected queries showed."""
    judge_log(db, selected)
    return [name for (name,) in db.rows(f"SELECT DISTINCT split_part(uri, '://', 1) FROM {LOG} ORDER BY 1")]


def memory_table(
    db: Database, selected: str | None = "selected", evidence: Evidence | None = None
) -> list[dict[str, Any]]:
    """Shown memories, most shown first: node, uris (all its addresses, logged and present), shown, used, twice (queries
    that showed it under two addresses), deleted."""
    judge_log(db, selected, evidence)
    stages = (*stage("prompts", PROMPTS), *stage("log", LOG), "logged/memory_now")
    rows: list[dict[str, Any]] = db.arrow(compose(stages, sql_text("report/memories"))).to_pylist()
    return rows
