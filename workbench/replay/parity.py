"""The parity gate: a replay of the configuration in force has to reproduce the log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from workbench.replay.engine import EngineReplay, depth_of
from workbench.replay.run import Settings, candidates_of, full_chain
from workbench.store import Database, Stage, compose

REQUIRED_SHARE = 0.999
UNEXPLAINED = "unexplained"
CAUSES = (
    "configuration change (signal weights)",
    "configuration change (bonuses)",
    "tokenizer (token count not logged)",
    "signal rows missing from the log",
    "terms not logged, total differs",
    "clock",
    UNEXPLAINED,
)
_RANKED = "SELECT * FROM score WHERE score >= $min_score::DOUBLE"
_NEAR: Stage = ("parity_terms", "SELECT excluded, equal, unnest(near) FROM parity_near WHERE near IS NOT NULL")
_EACH = "SELECT excluded, equal, 1 AS rows FROM parity_rows"
_VISIBLE = "SELECT * FROM parity_terms WHERE score >= $min_display_score"
_SHOWN = "SELECT query_id, uri, logged_shown FROM {last} WHERE shown AND logged_score IS NOT NULL"


@dataclass(frozen=True)
class Parity:
    """How well a replay reproduces the log.

    `rows` are the logged candidates that can be compared, `rows_equal` those equal in every term and in total. `flips`
    counts the queries whose shown set differs. `causes` counts rows, `flip_causes` queries; `excluded` counts logged
    rows outside the comparison by the reason.
    """

    rows: int
    rows_equal: int
    flips: int
    unexplained_flips: int
    causes: Mapping[str, int] = field(default_factory=dict)
    flip_causes: Mapping[str, int] = field(default_factory=dict)
    excluded: Mapping[str, int] = field(default_factory=dict)

    @property
    def share(self) -> float | None:
        """Share of comparable rows that are equal, 0..1; None when nothing can be compared."""
        return self.rows_equal / self.rows if self.rows else None

    def passes(self, named_causes: frozenset[str] = frozenset()) -> bool:
        """Whether tuning may go on; differences with a cause that the operator has named are accepted."""
        accepted = self.rows_equal + sum(n for cause, n in self.causes.items() if cause in named_causes)
        flips = self.unexplained_flips if UNEXPLAINED not in named_causes else 0
        return self.rows > 0 and accepted / self.rows >= REQUIRED_SHARE and flips == 0

    def as_json(self) -> dict[str, Any]:
        """The document of `workbench parity --json`; causes by size."""
        return {
            "rows": self.rows,
            "rows_equal": self.rows_equal,
            "share": self.share,
            "flips": self.flips,
            "unexplained_flips": self.unexplained_flips,
            "passes": self.passes(),
            "causes": [{"cause": cause, "rows": n} for cause, n in self.causes.items()],
            "flip_causes": [{"cause": cause, "queries": n} for cause, n in self.flip_causes.items()],
            "excluded": [{"reason": reason, "rows": n} for reason, n in self.excluded.items()],
        }


def parity(db: Database, settings: Settings, selected: str | None = None) -> Parity:
    """Compare the replay of `settings`, the configuration in force, with the log of selected queries (None: all).

    All candidates are scored once, and of most only counts are kept. Causes are looked for only in queries that differ:
    ranking all candidates of a log that agrees costs ten times as much as comparing them.
    """
    candidates, bound = candidates_of(selected, settings.candidates), settings.bindings()
    compared: tuple[Stage, ...] = (candidates, "score", ("scored", _RANKED), "parity/compared")
    _write(db, "parity_near", (*compared, "parity/near"), bound)
    _write(db, "parity_shown", (_NEAR, ("ranked_input", _VISIBLE), "display"), bound, _SHOWN)
    _write(db, "parity_differing", (_NEAR, "parity/differing"), bound)
    chain = (
        *full_chain(candidates_of("parity_differing", settings.candidates)),
        ("scored", "SELECT * FROM display"), "parity/compared", "parity/parity_rows",
    )  # fmt: skip
    _write(db, "parity_rows", chain, bound)
    found = _counts(db, "SELECT excluded, equal, rows FROM parity_near", "parity/parity_flips")
    for table in ("parity_near", "parity_shown", "parity_differing", "parity_rows"):
        db.execute(f"DROP TABLE {table}")
    return found


def engine_parity(db: Database, replayed: EngineReplay, selected: str) -> Parity:
    """Compare the engine's candidates of the queries in the table `selected` with the log, term by term; memories that
    only one of both ranks are differences too."""
    settings = replayed.settings
    chain = (
        *full_chain(candidates_of(None, settings.candidates)),
        ("selected_queries", f"SELECT query_id FROM {selected}"),
        "logged/memory_now",
        "parity/engine_rows",
    )
    bound = settings.bindings() | {
        "model": replayed.model,
        "row_limit": depth_of(settings).row_limit,
        "rebuilt": any(replayed.rebuilt.values()),
    }
    _write(db, "parity_rows", chain, bound)
    found = _counts(db, _EACH, "parity/engine_flips")
    db.execute("DROP TABLE parity_rows")
    return found


def _write(
    db: Database, table: str, chain: Sequence[Stage], bound: Mapping[str, Any], select: str = "SELECT * FROM {last}"
) -> None:
    db.execute(f"CREATE OR REPLACE TEMP TABLE {table} AS {compose(chain, select)}", bound)


def _counts(db: Database, compared: str, flips_stage: str) -> Parity:
    """The counts of what the statement `compared` returns (excluded, equal, and how many rows are alike), and of the
    causes in the table parity_rows."""
    rows, equal = db.row(
        f"SELECT coalesce(sum(rows), 0)::BIGINT, coalesce(sum(rows) FILTER (equal), 0)::BIGINT FROM ({compared})"
        " WHERE excluded IS NULL"
    )
    flips = _counted(db, f"SELECT cause, 1 FROM ({compose((flips_stage,))})")
    return Parity(
        rows=rows,
        rows_equal=equal,
        flips=sum(flips.values()),
        unexplained_flips=flips.get(UNEXPLAINED, 0),
        causes=_counted(db, "SELECT cause, 1 FROM parity_rows WHERE excluded IS NULL AND NOT equal"),
        flip_causes=flips,
        excluded=_counted(db, f"SELECT excluded, rows FROM ({compared}) WHERE excluded IS NOT NULL"),
    )


def _counted(db: Database, select: str) -> dict[str, int]:
    """The sums by value of a statement that returns values and counts, largest first."""
    return dict(
        db.rows(
            f"SELECT value, sum(rows)::BIGINT AS n FROM ({select}) AS t(value, rows) GROUP BY value"
            " ORDER BY n DESC, value"
        )
    )
