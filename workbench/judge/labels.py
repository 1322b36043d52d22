"""The judged log: a label for every (query, node) that production showed."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.judge.evidence import Evidence
from workbench.judge.misses import MISS_EVIDENCE, write_misses
from workbench.store import Database, Stage, compose, sql_text

LOG = "judged_log"
PROMPTS = "judged_prompts"
BEYOND = "judged_beyond"
_WRITTEN = (LOG, PROMPTS, BEYOND)
WAITING = "answers_waiting"
_NOTHING_OPENED = "SELECT NULL::VARCHAR AS query_id, NULL::VARCHAR AS node, NULL::VARCHAR AS uri LIMIT 0"
HAND_LABELS: tuple[Stage, ...] = ("logged/memory_now", "judge/answers", "judge/hand_labels")


@dataclass(frozen=True)
class Judged:
    """What the log holds, in (query, node) pairs; `unknown` pairs were shown but their evidence is set aside.

    `linked` and `blanket` count marked pairs by the kind of mark, `late_prompts` recalls that nobody received,
    `answered` shown pairs with a yes or no by hand, whether those count or not. `helpful_beyond` and `unhelpful_beyond`
    count pairs that were not shown and of which the evidence that counts says something.
    """

    prompts: int
    shown: int
    used: int
    shown_unused: int
    unknown: int
    linked: int
    blanket: int
    late_prompts: int
    answered: int = 0
    helpful_beyond: int = 0
    unhelpful_beyond: int = 0


def stage(name: str, table: str) -> tuple[Stage, ...]:
    """The stage under which a statement reads `table` as `name`; none where they are the same."""
    return () if name == table else ((name, f"SELECT * FROM {table}"),)


def expect_answers(db: Database) -> None:
    """Make the temporary table of answers that wait beside the store, where there is none: empty."""
    db.execute(f"CREATE TEMP TABLE IF NOT EXISTS {WAITING} AS SELECT * FROM wb.hand_labels LIMIT 0")


def _opened(db: Database) -> str:
    write_misses(db)
    return f"SELECT query_id, node, uri FROM {MISS_EVIDENCE}"


def judge_log(
    db: Database,
    selected: str | None = "selected",
    evidence: Evidence | None = None,
    into: str = LOG,
    prompts: str = PROMPTS,
    beyond: str = BEYOND,
) -> Judged:
    """Write the temporary tables `into` (one row a shown (query, node) with its label), `prompts` (one row a query of
    the table `selected`; None: all) and `beyond` (what is known of pairs that were not shown). Labels are used,
    shown_unused and unknown, beyond them helpful and unhelpful. Without `evidence` the standard one counts."""
    expect_answers(db)
    evidence = evidence or Evidence.standard(db)
    bound = evidence.bindings()
    known = (*HAND_LABELS, ("opened", _opened(db) if evidence.unlinked else _NOTHING_OPENED))
    picked = f"SELECT query_id FROM {selected or 'wb.logged_queries'}"
    db.execute(f"CREATE OR REPLACE TEMP TABLE {prompts} AS {compose((('picked', picked), 'judge/prompts'))}", bound)
    chain: tuple[Stage, ...] = (*stage("prompts", prompts), *known, "judge/judge")
    db.execute(f"CREATE OR REPLACE TEMP TABLE {into} AS {compose(chain)}", bound)
    logged = (*stage("prompts", prompts), *stage("log", into))
    db.execute(
        f"CREATE OR REPLACE TEMP TABLE {beyond} AS {compose((*logged, *known, 'judge/beyond'))}",
        {"hand": bound["hand"]},
    )
    return Judged(*db.row(compose((*logged, *stage("beyond", beyond)), sql_text("judge/judged_counts"))))


def narrow_log(db: Database, selected: str, whole: tuple[str, str, str]) -> None:
    """Write the temporary tables LOG, PROMPTS and BEYOND for the queries of the table `selected`, as judge_log does,
    from the tables `whole` (into, prompts, beyond) of a judged log that holds them: no label depends on other queries.
    """
    for table, source in zip(_WRITTEN, whole, strict=True):
        db.execute(
            f"CREATE OR REPLACE TEMP TABLE {table} AS SELECT * FROM {source} SEMI JOIN {selected} USING (query_id)"
        )
