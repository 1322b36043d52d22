"""The best entries of each row of a matrix, without sorting the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

_STRIDE = 8
_SAMPLED = 16  # a sample of a row has to be several times as long as what is searched in it


def best_of_rows(
    values: npt.NDArray[Any], most: int, margin: float = 0
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """(row, column) of at least the `most` largest entries of each row, and of all within `margin` of those; by row.

    A sample of the columns tells how large an entry has to be; where that leaves too few, the row is searched whole.
    """
    width = values.shape[1]
    if width <= most:
        return _where(np.ones(values.shape, dtype=bool))
    sample = values[:, ::_STRIDE]
    wanted = 2 * most // _STRIDE + 1
    if sample.shape[1] < _SAMPLED * wanted:
        lowest = _nth_largest(values, most)
    else:
        lowest = _nth_largest(sample, wanted)
        few = np.count_nonzero(values >= lowest[:, None], axis=1) < most
        lowest[few] = _nth_largest(values[few], most)
    return _where(values >= (lowest - margin)[:, None])


def _where(mask: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    rows, columns = np.nonzero(mask)
    return rows, columns


def _nth_largest(values: npt.NDArray[Any], nth: int) -> npt.NDArray[Any]:
    place = values.shape[1] - nth
    found: npt.NDArray[Any] = np.partition(values, place, axis=1)[:, place]
    return found
