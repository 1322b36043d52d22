"""The vector of one text at the moment it is asked for."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict

from workbench.embed.choose import KIND_VARIABLE, Wanted, choose
from workbench.embed.protocol import Embedder, Floats
from workbench.errors import WorkbenchError
from workbench.retrieve.embeddings import normalise, vectors
from workbench.retrieve.models import imported_model
from workbench.store import Database

REMEMBERED = 512
REST_SECONDS = 30.0


class LiveVectors:
    """Vectors of single texts for a process that is asked again and again, by several threads.

    The embedder is made once; the newest texts are remembered. One that failed is left alone for REST_SECONDS.
    """

    def __init__(self) -> None:
        self._alone = threading.Lock()
        self._embedder: Embedder | None = None
        self._known: OrderedDict[tuple[str, str], Floats | None] = OrderedDict()
        self._rests_until = 0.0
        self._fault: WorkbenchError | None = None
        self._other: str | None = None

    @property
    def lacking(self) -> str | None:
        """Why the last text that had to be embedded has no vector; None where it has one."""
        return str(self._fault) if self._fault else self._other

    def of(self, db: Database, model: str, text: str) -> Floats | None:
        """See query_vector."""
        held = vectors(db, model, [text])
        if len(held.positions):
            return held.matrix
        with self._alone:
            if self._fault and time.monotonic() < self._rests_until:
                raise self._fault
            key = model, normalise(text)
            if key not in self._known:
                self._known[key] = self._embedded(db, *key)
            self._known.move_to_end(key)
            while len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
            return self._known[key]

    def _embedded(self, db: Database, model: str, text: str) -> Floats | None:
        try:
            self._embedder = self._embedder or choose(Wanted(), imported_model(db))
            same = self._embedder.name == model
            found = self._embedder.embed([text]) if same and text else None
        except WorkbenchError as fault:
            self._fault, self._rests_until = fault, time.monotonic() + REST_SECONDS
            raise
        self._fault, self._other = None, None if same else (
            f"The store is embedded with {model} and the embedder that is set makes vectors of {self._embedder.name}: "
            f"set {KIND_VARIABLE}, or run `workbench embed`."
        )  # fmt: skip
        return found


def query_vector(db: Database, model: str, text: str) -> Floats | None:
    """The vector of `text` in `model`, float32 with shape (1, dimension): the one that the store holds, else one by the
    embedder that the environment names; None where that one has another model.

    Raises what the embedder raises: BadInput, BadConfig, Refused.
    """
    return LiveVectors().of(db, model, text)
