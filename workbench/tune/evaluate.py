"""One configuration on one part of the log: which judged memories it keeps, and what it newly shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from workbench.judge import Evidence, Labelled, Ledger, label_candidates, quick_ledger
from workbench.params import Params
from workbench.replay.run import Settings, candidates_of
from workbench.store import Database, compose, sql_text
from workbench.tune.kernel import Kernel

Bits = NDArray[np.bool_]

STRATUM = 20


@dataclass(frozen=True, eq=False)
class Kept:
    """What a configuration shows: one bit for each judged pair of the log, the rest are counts. `set_aside` were shown
    by the log with evidence that does not count."""

    packed: NDArray[np.uint8]
    pairs: int
    newly_shown: int
    set_aside: int
    shown: int

    @classmethod
    def of(cls, judged: Bits, newly_shown: int, set_aside: int) -> Kept:
        """From one truth value a judged pair."""
        shown = int(judged.sum()) + newly_shown + set_aside
        return cls(np.packbits(judged), len(judged), newly_shown, set_aside, shown)

    @property
    def judged(self) -> Bits:
        """For each judged pair of the log, whether it is shown."""
        return np.unpackbits(self.packed, count=self.pairs).astype(bool)


@dataclass(frozen=True)
class Part:
    """The prompts of one side of the split, ready for many configurations.

    For each judged pair of the log, in order of time: `used` or not, the place of its client in `clients`, and its
    stratum (judged_pairs.sql).
    `set_aside`: how many pairs the log showed with evidence that does not count. `data` is a text that differs when any
    candidate or label of the part does.
    """

    db: Database
    labelled: Labelled
    kernel: Kernel
    in_force: Params
    pairs: NDArray[np.int64]
    used: Bits
    clients: Sequence[str]
    client_of: NDArray[np.int64]
    strata: NDArray[np.int64]
    set_aside: int
    data: str

    @property
    def prompts(self) -> int:
        return self.labelled.log.prompts

    def settings(self, params: Params) -> Settings:
        """What a replay of `params` runs with."""
        return Settings(params, self.in_force)

    def kept(self, params: Params) -> Kept:
        """What `params` shows on the part; any thread may ask."""
        shown = self.kernel.shown(self.settings(params))
        judged = np.zeros(len(self.used), dtype=bool)
        judged[shown[shown < len(judged)]] = True
        new = int((shown >= len(judged) + self.set_aside).sum())
        return Kept.of(judged, new, len(shown) - int(judged.sum()) - new)

    def newly_shown(self, params: Params) -> NDArray[np.int64]:
        """The numbers of the pairs that `params` shows and neither the log nor a replay of the configuration in
        force."""
        return np.setdiff1d(self._beyond_log(params), self._beyond_log(self.in_force))

    def _beyond_log(self, params: Params) -> NDArray[np.int64]:
        shown = self.kernel.shown(self.settings(params))
        return shown[shown >= len(self.used) + self.set_aside]

    def ledger(self, params: Params) -> Ledger:
        """The four-way ledger of `params` on this part."""
        return quick_ledger(self.db, self.settings(params), self.labelled)

    def lost_by_client(self, before: Kept, after: Kept) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Used memories that `before` shows and `after` does not, and those that `before` shows, for each of
        `clients`."""
        was = self.used & before.judged
        lost, used = self.client_of[was & ~after.judged], self.client_of[was]
        return np.bincount(lost, minlength=len(self.clients)), np.bincount(used, minlength=len(self.clients))

    def fingerprint(self, params: Params) -> object:
        """A number that differs when any score differs."""
        chain = (candidates_of(None, self.labelled.table), "score")
        return self.db.row(compose(chain, sql_text("tune/fingerprint")), self.settings(params).bindings())[0]


def make_part(db: Database, in_force: Params, selected: str, evidence: Evidence, name: str) -> Part:
    """Label the candidates of the queries in the table `selected` once, into the temporary table `name`."""
    labelled = replace(label_candidates(db, selected, evidence), table=name)
    db.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS {sql_text('tune/numbered')}")
    source = ("labelled", f"SELECT * FROM {name}")
    judged: pa.Table = db.arrow(compose((source,), sql_text("tune/judged_pairs")), {"least": STRATUM})
    clients, client_of = np.unique(judged["client"].to_numpy(zero_copy_only=False).astype(str), return_inverse=True)
    data: str = db.row(compose((source,), sql_text("tune/data")))[0]
    (aside,) = db.row(f"SELECT count(DISTINCT pair) FROM {name} WHERE label = -1")
    kernel = Kernel.of(db.arrow(compose((("numbered", f"SELECT * FROM {name}"),), sql_text("tune/kernel_rows"))))
    return Part(
        db, labelled, kernel, in_force, judged["pair"].to_numpy(), judged["used"].to_numpy(zero_copy_only=False),
        clients.tolist(), client_of, judged["stratum"].to_numpy(), aside, data,
    )  # fmt: skip
