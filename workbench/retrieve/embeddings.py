"""The vectors that the store keeps for texts, one a model and normalised text: looked up and added here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from workbench.store import Database, sql_text
from workbench.textsearch.characters import well_formed

Floats = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]

# What JavaScript calls white space and Python does not; str.split() has the rest. Folding by both finds a text
# whichever of them wrote it down.
_ONLY_JAVASCRIPT = re.compile("\ufeff")
_WANTED = "wanted_texts"


@dataclass(frozen=True)
class Found:
    """Vectors that were found: row i of `matrix` belongs to the text at `positions[i]` of what was asked for.

    `matrix` is float32 with shape (found, dimension); positions ascend.
    """

    positions: Numbers
    matrix: Floats


def normalise(text: str) -> str:
    """`text` as the server embeds it: runs of white space are one space, none at the ends, lone surrogates U+FFFD."""
    return " ".join(_ONLY_JAVASCRIPT.sub(" ", well_formed(text)).split())


def distinct(texts: Iterable[str]) -> list[str]:
    """The normalised texts, each once, in order of first appearance."""
    return list(dict.fromkeys(map(normalise, texts)))


def vectors(db: Database, model: str, texts: Sequence[str]) -> Found:
    """The vectors of `model` for `texts`, in any spelling that normalises to what was embedded.

    Vectors of another length than most of those found are left out, so that all rows can be compared.
    """
    found = _looked_up(db, "embed/vectors", model, [normalise(text) for text in texts])
    if not found.num_rows:
        return Found(np.empty(0, np.int64), np.empty((0, 0), np.float32))
    lengths = pc.list_value_length(found["vector"]).to_numpy()
    common = np.bincount(lengths).argmax()
    if (lengths != common).any():
        found = found.filter(pa.array(lengths == common))
    flat = found["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
    return Found(found["position"].to_numpy(), flat.astype(np.float32, copy=False).reshape(-1, common))


def missing(db: Database, model: str, texts: Iterable[str]) -> list[str]:
    """Which texts have no vector of `model` yet: normalised, each once, in order of first appearance."""
    wanted = distinct(texts)
    found = set(_looked_up(db, "embed/held", model, wanted)["position"].to_pylist())
    return [text for position, text in enumerate(wanted) if position not in found]


def dimension(db: Database, model: str) -> int | None:
    """How many numbers a vector of `model` has: the length of most that the store holds, on rows or of texts; None
    when it holds none."""
    rows = db.rows(sql_text("embed/dimension"), {"model": model})
    return int(rows[0][0]) if rows else None


def add(db: Database, model: str, texts: Sequence[str], matrix: Floats) -> int:
    """Keep row i of `matrix` as the vector of `texts[i]`, inside a publication; how many were new.

    A text that has a vector of `model` already keeps that one. The texts are normalised and distinct.
    """
    if not len(texts):
        return 0
    rows = pa.table({
        "text": pa.array(texts, pa.string()),
        "vector": pa.FixedSizeListArray.from_arrays(pa.array(matrix.reshape(-1), pa.float32()), matrix.shape[1]),
    })  # fmt: skip
    before = _count(db)
    db.register(_WANTED, rows)
    try:
        db.execute(f"INSERT INTO wb.embeddings BY NAME {sql_text('embed/added')}", {"model": model})
    finally:
        db.unregister(_WANTED)
    return _count(db) - before


def _looked_up(db: Database, stage: str, model: str, texts: Sequence[str]) -> pa.Table:
    positions = pa.array(range(len(texts)), pa.int64())
    db.register(_WANTED, pa.table({"position": positions, "text": pa.array(texts, pa.string())}))
    try:
        return db.arrow(sql_text(stage), {"model": model})
    finally:
        db.unregister(_WANTED)


def _count(db: Database) -> int:
    count: int = db.row("SELECT count(*) FROM wb.embeddings")[0]
    return count
