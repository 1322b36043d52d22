"""The nearest vectors by cosine similarity: one matrix product a chunk, then the best of each row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from workbench.retrieve.best import best_of_rows

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

# The product in single precision differs from the exact one by less than this for vectors of length 1.
_MARGIN = 4e-6
# Beyond these decimals equal vectors can differ, by their place in the product.
_DECIMALS = 12


@dataclass(frozen=True)
class Near:
    """Pairs of a query row and the number of a vector, with their similarity, -1..1."""

    query: Numbers
    number: Numbers
    similarity: Doubles


NONE_NEAR = Near(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.float64))


@dataclass(frozen=True)
class Vectors:
    """Rows to search in: `numbers` names them, `unit` holds them scaled to length 1, shape (rows, dimensions)."""

    numbers: Numbers
    unit: Floats

    def nearest(self, queries: Floats, most: int, allowed: Mask | None = None) -> Near:
        """For each of the unit rows `queries` the `most` nearest rows, and some more behind them.

        `allowed` has shape (queries, rows): where it is False, the row does not exist for the query. Similarities are
        computed in double precision from the single-precision rows, equal rows have equal ones.
        """
        if not len(self.numbers) or not len(queries):
            return NONE_NEAR
        product = queries @ self.unit.T
        if allowed is not None:
            product[~allowed] = -np.inf
        query, row = best_of_rows(product, most, _MARGIN)
        if allowed is not None:
            exists = allowed[query, row]
            query, row = query[exists], row[exists]
        return Near(query, self.numbers[row], self._similarities(queries, query, row))

    def _similarities(self, queries: Floats, query: Numbers, row: Numbers) -> Doubles:
        starts = np.searchsorted(query, np.arange(len(queries) + 1))
        exact = np.empty(len(query))
        for number, one in enumerate(queries.astype(np.float64)):
            chosen = slice(starts[number], starts[number + 1])
            exact[chosen] = self.unit[row[chosen]].astype(np.float64) @ one
        return np.round(exact, _DECIMALS)


NO_VECTORS = Vectors(np.empty(0, np.int64), np.empty((0, 0), np.float32))


def unit(rows: npt.NDArray[np.floating]) -> Floats:
    """`rows` scaled to length 1 in single precision."""
    wide = rows.astype(np.float64)
    scaled: Floats = (wide / np.linalg.norm(wide, axis=1, keepdims=True)).astype(np.float32)
    return scaled


def usable(rows: npt.NDArray[np.floating]) -> Mask:
    """Which rows have a direction: finite and not zero."""
    result: Mask = np.isfinite(rows).all(axis=1) & (np.abs(rows) > 0).any(axis=1)
    return result
