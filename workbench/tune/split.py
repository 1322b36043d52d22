"""The split by time: whole sessions train or are held out, and no prompt stands on both sides."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.store import Database, compose

TRAIN, HOLDOUT = "tune_train", "tune_holdout"


@dataclass(frozen=True)
class Split:
    """Prompts of each side, and those left out of the hold-out because the same text also trains."""

    train: int
    holdout: int
    repeats: int


def split(db: Database, train_share: float) -> Split:
    """Write the temporary tables TRAIN and HOLDOUT (query_id) from the judged prompts: the oldest `train_share` of the
    prompts, by the first prompt of their session, and the rest."""
    sides = compose(("tune/timed", "tune/sessions"))
    db.execute(f"CREATE OR REPLACE TEMP TABLE tune_sides AS {sides}", {"share": train_share})
    for name, side in ((TRAIN, "train"), (HOLDOUT, "holdout")):
        db.execute(
            f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT query_id, session_key FROM tune_sides WHERE side = $side",
            {"side": side},
        )
    return Split(*(int(count) for count in db.row(
        "SELECT count(*) FILTER (side = 'train'), count(*) FILTER (side = 'holdout'), count(*) FILTER (side = 'repeat')"
        " FROM tune_sides"
    )))  # fmt: skip
