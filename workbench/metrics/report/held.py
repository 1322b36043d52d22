"""What the judged log has to answer questions with."""

from __future__ import annotations

from workbench.judge import LOG, PROMPTS
from workbench.judge.labels import HAND_LABELS, stage
from workbench.metrics.bootstrap import Interval
from workbench.metrics.power import HELD_OUT, Detectable
from workbench.metrics.report.rates import Part
from workbench.metrics.report.sufficiency import Held
from workbench.store import Database, compose, sql_text


def held(db: Database, overall: Part, clients: list[Part], auc: Interval | None) -> Held:
    """Of the judged log, whose figures are given."""
    use_rate = overall.use_rate_interval
    days, traces = db.row(compose((*stage("prompts", PROMPTS), *HAND_LABELS), sql_text("report/held")))
    return Held(
        overall.used,
        overall.prompts,
        [part.used for part in clients],
        days,
        held_out(db),
        None if use_rate is None else (use_rate.low, use_rate.high),
        None if auc is None else (auc.low, auc.high),
        traces,
    )


def held_out(db: Database) -> Detectable:
    """The losses that the newest HELD_OUT of the judged prompts could show, split as tuning does."""
    chain = (*stage("log", LOG), "tune/timed", "tune/sessions")
    return Detectable.of(
        [used for (used,) in db.rows(compose(chain, sql_text("report/held_out")), {"share": 1 - HELD_OUT})]
    )
