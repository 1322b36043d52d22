"""Which embedding models the vectors of a store are of, and which of them compare with each other."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from workbench.retrieve.embeddings import dimension, vectors
from workbench.store import Database, compose, sql_text

_ROWS = "embed/embedded_rows"
_NO_VECTOR = "without a vector"
_KINDS = ("views", "glossary", "texts", "queries")


@dataclass(frozen=True)
class ModelRows:
    """Rows whose vectors are alike: how many views, keyword rows, texts that were embedded here and logged queries.

    `dimension` is the length of their vectors, None where they have none. `usable`: they compare with the prompts under
    `model` when that is the one replayed; `reason` says why not.
    """

    model: str | None
    dimension: int | None
    usable: bool
    reason: str | None
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_KINDS, 0))

    def as_json(self) -> dict[str, Any]:
        """One flat entry."""
        flat = asdict(self)
        return {**flat, **flat.pop("counts")}


@dataclass(frozen=True)
class Census:
    """All vectors of a store; `model` is the one of the imported server, None where nothing tells."""

    model: str | None
    rows: tuple[ModelRows, ...]

    def as_json(self) -> dict[str, Any]:
        """The entry `embeddings` of a status."""
        return {"model": self.model, "models": [row.as_json() for row in self.rows], "advice": self.advice()}

    def advice(self) -> list[str]:
        """A sentence on each kind of row of which some do not compare."""
        said = []
        for kind, name in (("views", "views"), ("glossary", "keyword rows")):
            usable = sum(row.counts[kind] for row in self.rows if row.usable)
            left_out = [row for row in self.rows if not row.usable and row.counts[kind]]
            if left_out and (usable or any(row.reason != _NO_VECTOR for row in left_out)):
                total = usable + sum(row.counts[kind] for row in left_out)
                why = ", ".join(f"{row.counts[kind]:,} {row.reason}" for row in left_out)
                said.append(
                    f"{usable:,} of {total:,} {name} compare with prompts; not those with other vectors ({why}). Embed "
                    "them anew on the server, or all texts under one model here with `workbench embed`."
                )
        return said


def imported_model(db: Database) -> str | None:
    """The embedding model of the imported server: its setting, else what most rows with a vector, else what most logged
    queries name; None where nothing does."""
    rows = db.rows(sql_text("embed/imported_model"))
    return str(rows[0][0]) if rows else None


def model_census(db: Database) -> Census:
    """Count the vectors of the store by model, length and fault; odd rows are counted like any other."""
    model = imported_model(db)
    length = dimension(db, model) if model else None
    found: dict[tuple[str | None, int | None, bool, str | None], dict[str, int]] = defaultdict(
        lambda: dict.fromkeys(_KINDS, 0)
    )
    for kind, name, held, declared, fault, number in db.rows(compose((_ROWS, "embed/census"))):
        # The log does not hold the vectors of its prompts.
        its_length = length if kind == "queries" and name == model else held
        reason = None if kind == "texts" else _reason(model, length, name, its_length, declared, fault)
        found[name, its_length or None, reason is None, reason][kind] += number
    for kind, held_by, number in _rebuilt(db, model):
        its_length = dimension(db, held_by) if held_by else None
        found[held_by, its_length, held_by is not None, None if held_by else _NO_VECTOR][kind] += number
    return Census(model, tuple(ModelRows(*key, counts) for key, counts in sorted(found.items(), key=str)))


def _rebuilt(db: Database, model: str | None) -> Iterator[tuple[str, str | None, int]]:
    """Rows that are none of the server's, by kind: the model that their text was embedded with here, the server's where
    there is one, None where it was not; and how many."""
    rows = db.rows(f"SELECT kind, text FROM ({compose((_ROWS,))}) WHERE rebuilt ORDER BY ALL")
    by_use = "SELECT model FROM wb.embeddings GROUP BY model ORDER BY count(*) DESC, model LIMIT 1"
    wanted = model or next((name for (name,) in db.rows(by_use)), None)
    held = set(vectors(db, wanted, [text for _, text in rows]).positions) if wanted and rows else set()
    counts = Counter((kind, wanted if position in held else None) for position, (kind, _) in enumerate(rows))
    for (kind, held_by), number in counts.items():
        yield kind, held_by, number


def _reason(
    model: str | None,
    length: int | None,
    name: str | None,
    its_length: int | None,
    declared: int | None,
    fault: str | None,
) -> str | None:
    """Why a row does not compare; None when it does."""
    if fault == "no vector" or (length is None and name == model):
        return _NO_VECTOR
    if name != model:
        return f"of the model {name}" if name else "without the name of a model"
    if its_length != length:
        promised = f" although {declared} are declared" if declared and declared != its_length else ""
        return f"of {its_length} numbers instead of {length}{promised}"
    return f"whose vector {fault}" if fault else None
