"""What turns texts into vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from workbench.errors import WorkbenchError
from workbench.retrieve.embeddings import Floats

__all__ = ["KEY_VARIABLE", "Embedder", "Floats", "Refused"]

# The only place that the key of an embedding server is taken from.
KEY_VARIABLE = "WORKBENCH_EMBEDDING_KEY"


class Refused(WorkbenchError):
    """These texts cannot be embedded together; the message says why. Others, or fewer of them, may well be."""


class Embedder(Protocol):
    """A model. `name` is the one that its vectors are kept under; vectors of two names are never compared.

    `dimension` is the length of its vectors where that is known before the first text.
    """

    @property
    def name(self) -> str: ...

    @property
    def dimension(self) -> int | None: ...

    def embed(self, texts: Sequence[str]) -> Floats:
        """One row a text, in order: float32, shape (len(texts), dimension); a row without direction holds NaN or zeros.

        `texts` is not empty and holds normalised texts. Refused where the fault may lie in one of them, BadInput or
        BadConfig where no text can be embedded.
        """
        ...
