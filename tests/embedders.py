"""Embedders for tests: vectors made of the characters of a text, and what goes wrong with them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from workbench.embed import Floats, Refused


def vector_of(text: str, dimension: int = 8) -> Floats:
    """A vector that depends on the text alone."""
    digest = hashlib.sha256(text.encode()).digest()
    row: Floats = ((np.frombuffer(digest, np.uint8)[:dimension] - 127.5) / 128).astype(np.float32)
    return row


@dataclass
class Fake:
    """`asked` records every batch; texts in `refused` are refused, texts in `odd` have that row; after `breaks_after`
    batches everything fails."""

    name: str = "fake"
    dimension: int | None = 8
    refused: frozenset[str] = frozenset()
    odd: dict[str, Floats] = field(default_factory=dict)
    breaks_after: int | None = None
    asked: list[list[str]] = field(default_factory=list)

    def embed(self, texts: Sequence[str]) -> Floats:
        if self.breaks_after is not None and len(self.asked) >= self.breaks_after:
            raise RuntimeError("the model is gone")
        self.asked.append(list(texts))
        if self.refused.intersection(texts):
            raise Refused("too long for the model")
        rows = [self.odd.get(text, vector_of(text, self.dimension or 8)) for text in texts]
        if len({len(row) for row in rows}) > 1:
            raise Refused("vectors of several lengths")
        return np.stack(rows)
