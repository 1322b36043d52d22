"""What a model sees of (query, memory) pairs: signals and bonuses as score.sql gives them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from workbench.judge import Evidence, judge_log
from workbench.judge.labels import stage
from workbench.params import Params
from workbench.replay.run import Settings
from workbench.store import Database, Stage, compose, sql_text

Doubles = NDArray[np.float64]
Whole = NDArray[np.int64]
Bits = NDArray[np.bool_]
Names = NDArray[np.str_]

FEATURES = ("exact", "glossary_semantic", "dense", "lexical", "view", "priority", "multi_view", "recency")
SHOWN = "estimate_shown"
_NUMBERS = "estimate_numbers"
_LOG, _PROMPTS, _BEYOND = "estimate_log", "estimate_prompts", "estimate_beyond"


@dataclass(frozen=True, eq=False)
class Pairs:
    """One entry a pair: its `values` in the order of FEATURES, and its client ("" names none)."""

    values: Doubles
    clients: Names

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True, eq=False)
class ShownPairs(Pairs):
    """Pairs that production showed: used or not, the session as a number, the place in the list (1 is the first)."""

    used: Bits
    sessions: Whole
    places: Whole

    def part(self, chosen: Bits) -> ShownPairs:
        """Those for which `chosen` is true."""
        return ShownPairs(
            self.values[chosen], self.clients[chosen], self.used[chosen], self.sessions[chosen], self.places[chosen]
        )


def shown_pairs(db: Database, in_force: Params, selected: str, evidence: Evidence | None = None) -> ShownPairs:
    """The pairs shown for the queries of the table `selected` whose label counts, by query and node. Signals are read
    and bonuses computed under the configuration in force."""
    judge_log(db, selected, evidence or Evidence.standard(db), _LOG, _PROMPTS, _BEYOND)
    chain = (*stage("log", _LOG), *stage("prompts", _PROMPTS), "estimate/shown_pairs")
    db.execute(f"CREATE OR REPLACE TEMP TABLE {SHOWN} AS {compose(chain)}")
    rows = db.arrow(f"SELECT used, session, client, place FROM {SHOWN} ORDER BY number")
    return ShownPairs(
        _values(db, in_force, SHOWN), _names(rows["client"]), rows["used"].to_numpy(zero_copy_only=False).astype(bool),
        rows["session"].to_numpy().astype(np.int64), rows["place"].to_numpy().astype(np.int64),
    )  # fmt: skip


def wanted_pairs(db: Database, in_force: Params, wanted: str) -> Pairs:
    """The pairs of the table `wanted` (number from 0, query_id, node, client), in the order of number; each must be a
    logged candidate."""
    clients = db.arrow(f"SELECT coalesce(client, '') AS client FROM {wanted} ORDER BY number")["client"]
    return Pairs(_values(db, in_force, wanted), _names(clients))


def numbered_pairs(db: Database, in_force: Params, table: str, numbers: Whole) -> Pairs:
    """The pairs `numbers` (ascending, each once) of a table of candidates that numbers them."""
    db.register("given", pa.table({"number": numbers}))
    db.execute(f"CREATE OR REPLACE TEMP TABLE {_NUMBERS} AS SELECT number FROM given")
    db.unregister("given")
    own = f"SELECT c.* FROM {table} AS c SEMI JOIN {_NUMBERS} AS n ON n.number = c.number"
    clients = f"SELECT coalesce(any_value(client), '') AS client FROM ({own}) GROUP BY number ORDER BY number"
    return Pairs(_features(db, in_force, (("candidates", own),)), _names(db.arrow(clients)["client"]))


def _values(db: Database, in_force: Params, wanted: str) -> Doubles:
    """FEATURES of the pairs of a table, by number, from the signals of the log."""
    own = sql_text("estimate/wanted_candidates")
    return _features(db, in_force, (("wanted", f"SELECT * FROM {wanted}"), ("candidates", own)))


def _features(db: Database, in_force: Params, candidates: tuple[Stage, ...]) -> Doubles:
    chain = (*candidates, "score", "estimate/features")
    table = db.arrow(compose(chain), Settings(in_force, in_force).bindings())
    return np.column_stack([table[name].to_numpy().astype(np.float64) for name in FEATURES])


def _names(column: pa.ChunkedArray) -> Names:
    found: Names = column.to_numpy(zero_copy_only=False).astype(str)
    return found
