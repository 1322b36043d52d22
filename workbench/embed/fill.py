"""Fill the store's cache of vectors, batch by batch: what is published stays, and a second run goes on behind it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from workbench.embed.protocol import Embedder, Floats, Refused
from workbench.errors import BadInput
from workbench.retrieve.embeddings import add, dimension, distinct, missing
from workbench.store import Database, reading, writing

BATCH = 64
PUBLISH_AFTER = 2000
# A publication copies the store: a large one is published less often, so that this share of the time goes into it.
_PUBLISHING_SHARE = 0.2

Progress = Callable[[int, int | None, str], None]


@dataclass(frozen=True)
class Refusal:
    """A text that has no vector, and why."""

    text: str
    reason: str


@dataclass
class Filled:
    """What `fill` did: of `texts` distinct normalised texts `present` had a vector of `model` already, `embedded` got
    one, and `refused` did not."""

    model: str
    dimension: int | None
    texts: int
    present: int
    embedded: int = 0
    refused: list[Refusal] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """The counts, and each refusal with the start of its text."""
        refused = [{"text": refusal.text[:80], "reason": refusal.reason} for refusal in self.refused]
        return {**self.__dict__, "refused": refused}


def fill(
    store: Path | Database,
    embedder: Embedder,
    texts: Sequence[str],
    *,
    batch: int = BATCH,
    publish_after: int = PUBLISH_AFTER,
    progress: Progress = lambda done, total, what: None,
) -> Filled:
    """Embed those of `texts` that have no vector of the embedder's name yet, `batch` at a time.

    `store` is the path of a store, published whenever `publish_after` texts are done (of a store that takes long to
    copy: when some more are), so that a kill loses no more; an error or a stop loses only the batch at hand. Or it is
    the draft of a publication that the caller runs. BadInput when the embedder's vectors have another length than those
    that the store holds of the same name.
    """
    filler = _Filler(store, embedder, distinct(texts), publish_after)
    waiting = filler.waiting
    for start in range(0, len(waiting), batch):
        progress(start, len(waiting), f"embedding with {embedder.name}")
        try:
            filler.take(waiting[start : start + batch])
        except BaseException:
            filler.publish()
            raise
        filler.publish_when_due()
    filler.publish()
    progress(len(waiting), len(waiting), f"embedding with {embedder.name}")
    return filler.filled


def survey(store: Path | Database, embedder: Embedder, texts: Sequence[str]) -> Filled:
    """What `fill` would find: how many of `texts` have a vector already. Nothing is embedded."""
    return _Filler(store, embedder, distinct(texts), PUBLISH_AFTER).filled


class _Filler:
    """The state of one filling: what waits to be embedded, and what is embedded and waits to be published."""

    def __init__(self, store: Path | Database, embedder: Embedder, texts: Sequence[str], publish_after: int) -> None:
        self._store, self._embedder, self._publish_after = store, embedder, publish_after
        with _readable(store) as db:
            self.waiting = missing(db, embedder.name, texts)
            held = dimension(db, embedder.name)
        self.filled = Filled(embedder.name, held, len(texts), len(texts) - len(self.waiting))
        self._agreed = False
        if self.waiting and embedder.dimension is not None:
            self._agree_on(embedder.dimension)
        self._texts: list[str] = []
        self._rows: list[Floats] = []
        self._published_at, self._publishing_took = time.monotonic(), 0.0

    def take(self, texts: Sequence[str]) -> None:
        """Embed texts; where they are refused together, halves of them, down to the ones that are to blame."""
        try:
            matrix = self._embedder.embed(texts)
        except Refused as refusal:
            if len(texts) == 1:
                self.filled.refused.append(Refusal(texts[0], str(refusal)))
                return
            half = len(texts) // 2
            self.take(texts[:half])
            self.take(texts[half:])
            return
        if not self._agreed or (self._embedder.dimension is None and len(texts) > 1):
            self._agree_on(matrix.shape[1])
        for text, row in zip(texts, matrix, strict=True):
            if reason := _fault(row, self.filled.dimension):
                self.filled.refused.append(Refusal(text, reason))
            else:
                self._texts.append(text)
                self._rows.append(row)

    def publish_when_due(self) -> None:
        """Publish what is due by number, and by time where publishing is slow."""
        elapsed = time.monotonic() - self._published_at
        if len(self._texts) >= self._publish_after and elapsed * _PUBLISHING_SHARE >= self._publishing_took:
            self.publish()

    def publish(self) -> None:
        """Publish what is embedded."""
        if not self._texts:
            return
        began = time.monotonic()
        with _writable(self._store, f"embedding with {self._embedder.name}") as db:
            self.filled.embedded += add(
                db, self._embedder.name, self._texts, np.stack(self._rows).astype(np.float32, copy=False)
            )
        self._texts, self._rows = [], []
        self._published_at = time.monotonic()
        self._publishing_took = self._published_at - began

    def _agree_on(self, found: int) -> None:
        """Take the length that the embedder gives, unless the store's vectors of the same name have another one."""
        if self.filled.dimension not in (None, found):
            raise BadInput(
                f"{self._embedder.name} gives {found} numbers a text, but its vectors in the store have "
                f"{self.filled.dimension}: another model goes by this name now; keep its vectors apart under another "
                "name with --name."
            )
        self.filled.dimension, self._agreed = found, True


def _fault(row: Floats, length: int | None) -> str:
    """Why a vector cannot be compared with others; "" when it can."""
    if len(row) != length:
        return f"its vector has {len(row)} numbers instead of {length}"
    if not np.isfinite(row).all():
        return "its vector holds a number that is not finite"
    return "" if row.any() else "its vector is zero"


@contextmanager
def _readable(store: Path | Database) -> Iterator[Database]:
    if isinstance(store, Database):
        yield store
    else:
        with reading(store) as db:
            yield db


@contextmanager
def _writable(store: Path | Database, purpose: str) -> Iterator[Database]:
    if isinstance(store, Database):
        yield store
    else:
        with writing(store, purpose) as db:
            yield db
