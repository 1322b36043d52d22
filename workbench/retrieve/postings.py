"""The inverted index in memory: at which documents a lexeme stands, and how often."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Counts = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Postings:
    """For each lexeme a slice of `documents` (numbers from 0 to `width` - 1) and of `positions`, how often it stands
    there."""

    slices: dict[str, slice]
    documents: npt.NDArray[np.int64]
    positions: Counts
    width: int

    @classmethod
    def of(cls, sorted_rows: pa.Table, width: int) -> Postings:
        """Read a table (lexeme, document, positions) that is sorted by lexeme."""
        lexemes = sorted_rows["lexeme"].combine_chunks()
        encoded = lexemes.dictionary_encode() if len(lexemes) else lexemes
        names = encoded.dictionary.to_pylist() if len(lexemes) else []
        codes = encoded.indices.to_numpy() if len(lexemes) else np.empty(0, np.int32)
        bounds = np.searchsorted(codes, np.arange(len(names) + 1))
        return cls(
            {name: slice(bounds[code], bounds[code + 1]) for code, name in enumerate(names)},
            sorted_rows["document"].to_numpy().astype(np.int64),
            sorted_rows["positions"].to_numpy().astype(np.int32),
            width,
        )

    def pairs(self, queries: Sequence[Sequence[str]]) -> Counts:
        """How many (lexeme, position) pairs each document has for each query, shape (queries, width)."""
        found = np.zeros((len(queries), self.width), np.int32)
        for row, lexemes in zip(found, queries, strict=True):
            for lexeme in lexemes:
                if (where := self.slices.get(lexeme)) is not None:
                    row[self.documents[where]] += self.positions[where]
        return found
