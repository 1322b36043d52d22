"""Which texts of a store want a vector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.retrieve.embeddings import dimension, distinct, missing
from workbench.store import Database, compose

KINDS = ("views", "glossary", "queries")


@dataclass(frozen=True)
class Texts:
    """Distinct normalised texts of one kind that want a vector; `on_rows` more have one on their rows."""

    kind: str
    wanted: Sequence[str]
    on_rows: int = 0

    def count(self, db: Database, model: str) -> dict[str, int]:
        """{texts, missing}: how many there are, and how many have no vector of `model`."""
        return {"texts": len(self.wanted) + self.on_rows, "missing": len(missing(db, model, self.wanted))}


def row_texts(db: Database, model: str) -> dict[str, Texts]:
    """The texts of active views and keywords by kind, for `model`."""
    rows = db.rows(
        compose(("embed/embedded_rows", "embed/row_texts"), "SELECT * FROM {last} ORDER BY kind, text"),
        {"model": model, "length": dimension(db, model)},
    )
    return {
        kind: Texts(
            kind,
            distinct(text for its, text, on_rows in rows if its == kind and not on_rows),
            sum(on_rows for its, _, on_rows in rows if its == kind),
        )
        for kind in ("views", "glossary")
    }
