"""The split by time: whole sessions train or are held out, and no prompt stands on both sides."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.store import Database, compose, sql_text

TRAIN, HOLDOUT = "tune_train", "tune_holdout"


@dataclass(frozen=True)
class Split:
    """Prompts of each side, those left out of the hold-out because the same text also trains, and the first and last
    day (UTC) of all of them."""

    train: int
    holdout: int
    repeats: int
    first_day: str | None
    last_day: str | None


def split(db: Database, train_share: float) -> Split:
    """Write the temporary tables TRAIN and HOLDOUT (query_id, session_key) from the judged prompts: the oldest
    `train_share` of the prompts, by the first prompt of their session, and the rest."""
    sides = compose(("tune/timed", "tune/sessions"))
    db.execute(f"CREATE OR REPLACE TEMP TABLE tune_sides AS {sides}", {"share": train_share})
    for name, side in ((TRAIN, "train"), (HOLDOUT, "holdout")):
        db.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS {sql_text('tune/side')}", {"side": side})
    return Split(*db.row(sql_text("tune/side_counts")))
