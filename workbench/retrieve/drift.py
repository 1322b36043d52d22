"""What changed between a logged recall and now, by memory: how far a replay of the log can be trusted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from workbench.retrieve.versions import build_versions
from workbench.store import Database, compose

DRIFT = "drift"
_MEANINGS = {
    "edited_since": "the text was edited since",
    "priority_changed_since": "priority or disclosure changed since",
    "created_after": "dated after the recall that found them",
    "deleted_since": "deleted since",
    "moved_since": "moved to another address since",
    "keyword_added_since": "got a keyword since",
    "keyword_removed_since": "lost a keyword since",
    "view_rebuilt_since": "indexed anew since",
    "stamps_reset": "dated anew by a rebuild since, so that they look younger than they are",
    "model_changed": "now embedded by another model",
}
FLAGS = tuple(_MEANINGS)


@dataclass(frozen=True)
class FlagCount:
    """Logged (query, address) rows for which a flag holds, those of them that were shown, and those of which it is not
    known."""

    rows: int
    shown: int
    unknown: int


@dataclass(frozen=True)
class Drift:
    """`rows` logged (query, address) pairs, `shown` of them shown; `assumed` of them rest on a version whose history is
    not fully told. `flags` are by the names of FLAGS."""

    rows: int
    shown: int
    assumed: int
    flags: Mapping[str, FlagCount]

    def as_json(self) -> dict[str, Any]:
        """The entry `drift` of a document."""
        return asdict(self)

    def sentences(self) -> list[str]:
        """One sentence for each kind of change that there is, and one for what history does not tell."""
        of, among = ("shown memories", "") if self.rows == self.shown else ("logged candidates", ", {:,} of them shown")
        said = [
            f"{count.rows:,} of {self.rows:,} {of}{among.format(count.shown)}: {_MEANINGS[flag]}."
            for flag, count in self.flags.items()
            if count.rows
        ]
        if self.assumed:
            said.append(
                f"{self.assumed:,} of {self.rows:,} {of}: what stood at the time is assumed in part, because no row or "
                "event tells it."
            )
        return said


def write_drift(db: Database, selected: str | None, into: str = DRIFT, *, shown_only: bool = False) -> None:
    """Write the temporary table `into`: one row a logged (query_id, uri) of the queries in the table `selected` (None:
    all), with a column for each of FLAGS (NULL: not known), node_uuid, logged_shown and certainty. Builds the versions
    anew (build_versions)."""
    build_versions(db)
    picked = ("picked", f"SELECT query_id FROM {selected or 'wb.logged_queries'}")
    stages = (picked, "corpus/logged", "corpus/keyword_sets", "corpus/logged_then", "corpus/indexed", "corpus/drift")
    sql = compose(stages, "SELECT * EXCLUDE (held) FROM {last}")
    db.execute(f"CREATE OR REPLACE TEMP TABLE {into} AS {sql}", {"shown_only": shown_only})


def drift_counts(db: Database, selected: str | None = "selected", *, shown_only: bool = False) -> Drift:
    """Count the flags over the logged candidates of the queries in the table `selected` (None: all), or over those that
    were shown. Builds the versions anew and leaves the temporary table DRIFT."""
    write_drift(db, selected, shown_only=shown_only)
    counts = ", ".join(
        f"count(*) FILTER ({flag}), count(*) FILTER ({flag} AND logged_shown), count(*) FILTER ({flag} IS NULL)"
        for flag in FLAGS
    )
    rows, shown, assumed, *found = db.row(
        "SELECT count(*), count(*) FILTER (logged_shown), count(*) FILTER (certainty = 'assumed'), "
        f"{counts} FROM {DRIFT}"
    )
    flags = {flag: FlagCount(*found[3 * place : 3 * place + 3]) for place, flag in enumerate(FLAGS)}
    return Drift(rows, shown, assumed, flags)
