"""Ledgers by the thousand: labels are joined to the candidates once, then each configuration is one statement."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from workbench.judge.evidence import Evidence
from workbench.judge.labels import BEYOND, LOG, PROMPTS, Judged, judge_log, stage
from workbench.judge.ledger import Ledger
from workbench.replay.run import Settings, candidates_of, shown_chain
from workbench.store import Database, Stage, compose, sql_text

LABELLED = "labelled"


@dataclass(frozen=True)
class Labelled:
    """The temporary table `table` of labelled candidates, and the totals of the log that it was made from: over all,
    and by session (session, session_key, prompts, used, shown_unused, unknown)."""

    table: str
    log: Judged
    sessions: pa.Table


def label_candidates(
    db: Database,
    selected: str | None = "selected",
    evidence: Evidence | None = None,
    into: str = LABELLED,
    *,
    ordered: bool = True,
) -> Labelled:
    """Write the temporary table `into`: candidates of the selected queries with label, pair, session and client as
    integers, `ordered` by query, priority and address order: that takes as long as all the rest."""
    judged = judge_log(db, selected, evidence)
    chain = (*stage("prompts", PROMPTS), *stage("log", LOG), *stage("beyond", BEYOND), "judge/labelled")
    order = " ORDER BY query_id, priority, uri_order" if ordered else ""
    db.execute(f"CREATE OR REPLACE TEMP TABLE {into} AS {compose(chain, f'SELECT * FROM {{last}}{order}')}")
    return Labelled(into, judged, session_totals(db))


def session_totals(db: Database) -> pa.Table:
    """The totals of the judged log by session, as `Labelled.sessions`."""
    return db.arrow(compose((*stage("prompts", PROMPTS), *stage("log", LOG), "judge/session_totals")))


def _visible(labelled: Labelled) -> tuple[Stage, ...]:
    """The stages that display labelled candidates, without the projection to what a replay returns."""
    return tuple(shown_chain(candidates_of(None, labelled.table)))[:-1]


def quick_ledger(db: Database, settings: Settings, labelled: Labelled) -> Ledger:
    """The same ledger as `ledger`, by one statement."""
    sql = compose(_visible(labelled), sql_text("judge/quick_ledger"))
    return ledger_of(labelled.log, *db.row(sql, settings.bindings()))


def ledger_of(
    log: Judged, shown: int, used_kept: int, unused_kept: int, newly_shown: int, unjudged_kept: int, helpful: int,
    unhelpful: int, spoken: int,
) -> Ledger:  # fmt: skip
    """The ledger of what is shown, as quick_ledger.sql counts it, against the judged log."""
    return Ledger(
        prompts=log.prompts,
        shown=shown,
        used_kept=used_kept,
        used_lost=log.used - used_kept,
        unused_kept=unused_kept,
        removed=log.shown_unused - unused_kept,
        newly_shown=newly_shown,
        silent_prompts=log.prompts - spoken,
        unjudged_kept=unjudged_kept,
        unjudged_removed=log.unknown - unjudged_kept,
        newly_helpful=helpful,
        newly_unhelpful=unhelpful,
        missed=log.helpful_beyond - helpful,
    )


def quick_sessions(db: Database, settings: Settings, labelled: Labelled) -> pa.Table:
    """What `settings` shows by session, for a bootstrap: session (numbered as in the labelled table), shown, used_kept,
    unused_kept, newly_shown, unjudged_kept, newly_helpful, newly_unhelpful, spoken (prompts that show anything). Silent
    sessions are absent."""
    return db.arrow(compose(_visible(labelled), sql_text("judge/quick_sessions")), settings.bindings())
