"""The vector of one text at the moment it is asked for."""

from __future__ import annotations

from workbench.embed.choose import Wanted, choose
from workbench.embed.protocol import Floats
from workbench.retrieve.embeddings import normalise, vectors
from workbench.retrieve.models import imported_model
from workbench.store import Database


def query_vector(db: Database, model: str, text: str) -> Floats | None:
    """The vector of `text` in `model`, float32 with shape (1, dimension): the one that the store holds, else one by the
    embedder that the environment names; None where that one has another model.

    Raises what the embedder raises: BadInput, BadConfig, Refused.
    """
    held = vectors(db, model, [text])
    if len(held.positions):
        return held.matrix
    embedder = choose(Wanted(), imported_model(db))
    return embedder.embed([normalise(text)]) if embedder.name == model and normalise(text) else None
