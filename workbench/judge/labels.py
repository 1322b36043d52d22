"""The judged log: a label for every (query, node) that production showed."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.judge.evidence import Evidence
from workbench.store import Database, Stage, compose, sql_text

LOG = "judged_log"
PROMPTS = "judged_prompts"


@dataclass(frozen=True)
class Judged:
    """What the log holds, in (query, node) pairs; `unknown` pairs were shown but their evidence is set aside.

    `linked` and `blanket` count marked pairs by the kind of mark, `late_prompts` recalls that nobody received.
    """

    prompts: int
    shown: int
    used: int
    shown_unused: int
    unknown: int
    linked: int
    blanket: int
    late_prompts: int


def stage(name: str, table: str) -> tuple[Stage, ...]:
    """The stage under which a statement reads `table` as `name`; none where they are the same."""
    return () if name == table else ((name, f"SELECT * FROM {table}"),)


def judge_log(
    db: Database,
    selected: str | None = "selected",
    evidence: Evidence | None = None,
    into: str = LOG,
    prompts: str = PROMPTS,
) -> Judged:
    """Write the temporary tables `into` (one row a shown (query, node) with its label) and `prompts` (one row a query
    of the table `selected`; None: all). Labels are used, shown_unused and unknown. Without `evidence` the standard one
    counts."""
    bound = (evidence or Evidence.standard(db)).bindings()
    picked = f"SELECT query_id FROM {selected or 'wb.logged_queries'}"
    db.execute(f"CREATE OR REPLACE TEMP TABLE {prompts} AS {compose((('picked', picked), 'judge/prompts'))}", bound)
    chain: tuple[Stage, ...] = (*stage("prompts", prompts), "judge/judge")
    db.execute(f"CREATE OR REPLACE TEMP TABLE {into} AS {compose(chain)}", bound)
    return Judged(*db.row(compose((*stage("log", into), *stage("prompts", prompts)), sql_text("judge/judged_counts"))))
