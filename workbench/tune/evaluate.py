"""One configuration on one part of the log: which judged memories it keeps, and what it newly shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from workbench.judge import Evidence, Labelled, Ledger, label_candidates, quick_ledger
from workbench.params import Params
from workbench.replay.run import Settings, candidates_of, shown_chain
from workbench.store import Database, compose, sql_text

Bits = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Kept:
    """What a configuration shows: `judged` has one bit for each judged pair of the log, the rest are counts."""

    judged: Bits
    newly_shown: int
    set_aside: int

    @property
    def shown(self) -> int:
        return int(self.judged.sum()) + self.newly_shown + self.set_aside


@dataclass(frozen=True)
class Part:
    """The prompts of one side of the split, ready for many configurations.

    `used` has one bit for each judged pair: used or not. `clients` names the client of each.
    """

    db: Database
    labelled: Labelled
    in_force: Params
    pairs: NDArray[np.int64]
    used: Bits
    clients: Sequence[str]

    @property
    def prompts(self) -> int:
        return self.labelled.log.prompts

    def settings(self, params: Params) -> Settings:
        """What a replay of `params` runs with."""
        return Settings(params, self.in_force)

    def kept(self, params: Params) -> Kept:
        """Replay the part under `params`, in one statement."""
        chain = shown_chain(candidates_of(None, self.labelled.table))[:-1]
        shown = self.db.arrow(compose(chain, sql_text("tune/shown_pairs")), self.settings(params).bindings())
        labels = shown["label"].to_numpy(zero_copy_only=False)
        judged_pairs = shown["pair"].to_numpy()[(labels == 0) | (labels == 1)]
        return Kept(
            np.isin(self.pairs, judged_pairs, assume_unique=True), shown["label"].null_count, int((labels == -1).sum())
        )

    def ledger(self, params: Params) -> Ledger:
        """The four-way ledger of `params` on this part."""
        return quick_ledger(self.db, self.settings(params), self.labelled)

    def fingerprint(self, params: Params) -> object:
        """A number that differs when any score differs."""
        chain = (candidates_of(None, self.labelled.table), "score")
        return self.db.row(compose(chain, sql_text("tune/fingerprint")), self.settings(params).bindings())[0]


def make_part(db: Database, in_force: Params, selected: str, evidence: Evidence, name: str) -> Part:
    """Label the candidates of the queries in the table `selected` once, into the temporary table `name`."""
    labelled = label_candidates(db, selected, evidence, into=name)
    judged: pa.Table = db.arrow(
        f"SELECT pair, any_value(label) = 1 AS used, coalesce(any_value(client), '') AS client FROM {name}"
        " WHERE label IN (0, 1) GROUP BY pair ORDER BY pair"
    )
    return Part(
        db, labelled, in_force, judged["pair"].to_numpy(), judged["used"].to_numpy(zero_copy_only=False),
        judged["client"].to_pylist(),
    )  # fmt: skip


@dataclass(frozen=True)
class Goal:
    """What a search maximises: the change of net help per prompt, every newly shown memory counted as unhelpful; and
    what it must not do. `present` is what the present configuration shows."""

    part: Part
    present: Kept
    noise_cost: float
    max_newly_shown: float
    tolerated_loss: float

    def gain(self, kept: Kept) -> float:
        """Net help a prompt above that of the present configuration."""
        used = self.part.used
        more_used = int((used & kept.judged).sum()) - int((used & self.present.judged).sum())
        more_noise = int((~used & kept.judged).sum()) - int((~used & self.present.judged).sum())
        more_noise += kept.newly_shown - self.present.newly_shown
        return (more_used - self.noise_cost * more_noise) / max(self.part.prompts, 1)

    def violations(self, kept: Kept) -> dict[str, float]:
        """By how much each limit is overstepped; 0 or less is within it."""
        used = self.part.used
        lost = int((used & self.present.judged & ~kept.judged).sum())
        return {
            "used_lost": lost - self.tolerated_loss * int(used.sum()),
            "newly_shown": kept.newly_shown - self.max_newly_shown * max(kept.shown, 1),
            "shown": float(kept.shown - self.present.shown),
        }
