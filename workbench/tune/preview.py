"""What a tuning run would rest on, before the first trial."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.judge import Evidence, judge_log, session_totals
from workbench.metrics.power import Detectable
from workbench.replay.selection import Selection
from workbench.store import Database
from workbench.tune.request import TuneRequest
from workbench.tune.split import HOLDOUT, TRAIN, split


@dataclass(frozen=True)
class Preview:
    """Prompts and used memories of both parts of the split; `seen` says what loss the held-out ones can show."""

    train: int
    train_used: int
    holdout: int
    holdout_used: int
    seen: Detectable


def preview(db: Database, selection: Selection) -> Preview:
    """Split the prompts of `selection` as a run would and count what is used on either side."""
    evidence = Evidence.standard(db)
    selection.for_replay().materialise(db)
    judge_log(db, "selected", evidence)
    parts = split(db, TuneRequest().train_share)
    train = judge_log(db, TRAIN, evidence)
    holdout = judge_log(db, HOLDOUT, evidence)
    seen = Detectable.of(session_totals(db)["used"].to_pylist())
    return Preview(parts.train, train.used, parts.holdout, holdout.used, seen)
