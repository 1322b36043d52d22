"""What a replay shows, held against the judged log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from workbench.judge.evidence import Evidence
from workbench.judge.labels import BEYOND, LOG, PROMPTS, Judged, judge_log, stage
from workbench.judge.ledger import Ledger
from workbench.replay.run import SHOWN, Replay, Settings, replay_shown
from workbench.store import Database, compose, sql_text

OUTCOMES = "outcomes"


def outcomes(
    db: Database,
    shown: str = SHOWN,
    log: str = LOG,
    prompts: str = PROMPTS,
    beyond: str = BEYOND,
    into: str = OUTCOMES,
) -> None:
    """Write the temporary table `into`: one row a (query, node) that the log or the table `shown` of a replay holds,
    with its outcome and its place in either list."""
    tables = {"log": log, "now_shown": shown, "prompts": prompts, "beyond": beyond}
    chain = (*(one for name, table in tables.items() for one in stage(name, table)), "judge/outcomes")
    db.execute(f"CREATE OR REPLACE TEMP TABLE {into} AS {compose(chain)}")


def judged_replay(
    db: Database,
    settings: Settings,
    selected: str | None = "selected",
    evidence: Evidence | None = None,
    into: str = OUTCOMES,
) -> Judged:
    """Judge the log of the selected queries (None: all), replay them under `settings`, and write the temporary table
    `into` with the outcomes; the time limit is that of the configuration in force."""
    return judged_replays(db, {into: settings}, selected, evidence)


def judged_replays(
    db: Database,
    named: Mapping[str, Settings],
    selected: str | None = "selected",
    evidence: Evidence | None = None,
    replay: Replay = replay_shown,
) -> Judged:
    """The same for several configurations of one log, which is judged once: the outcomes of each go into the temporary
    table that names it. `replay` writes what a configuration shows."""
    in_force = next(iter(named.values())).in_force
    judged = judge_log(db, selected, (evidence or Evidence()).under(in_force))
    for into, settings in named.items():
        replay(db, settings, selected, SHOWN)
        outcomes(db, into=into)
    return judged


def read_ledgers(
    db: Database, by: Literal["client", "session", ""] = "", table: str = OUTCOMES, prompts: str = PROMPTS
) -> dict[str, Ledger]:
    """Ledgers of the outcomes in `table`, by client ("" names none), by session key, or one under ""."""
    sql = compose((*stage("prompts", prompts), *stage("outcomes", table)), sql_text("judge/ledger"))
    ledgers = {part: Ledger(*counts) for part, *counts in db.rows(sql, {"by": by})}
    return ledgers if by else {"": ledgers.get("", Ledger(0, 0, 0, 0, 0, 0, 0, 0))}


def ledger(
    db: Database, settings: Settings, selected: str | None = "selected", evidence: Evidence | None = None
) -> Ledger:
    """The ledger of `settings` over the selected queries (None: all)."""
    judged_replay(db, settings, selected, evidence)
    return read_ledgers(db)[""]


def ledgers_by(
    db: Database,
    settings: Settings,
    selected: str | None = "selected",
    evidence: Evidence | None = None,
    by: Literal["client", "session"] = "client",
) -> dict[str, Ledger]:
    """The ledgers of `settings` by client ("" for queries that name none) or by session key."""
    judged_replay(db, settings, selected, evidence)
    return read_ledgers(db, by)
