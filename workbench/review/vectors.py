"""Vectors of texts that the store holds none of: asked from the embedder where there is one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from workbench.embed.choose import Wanted, choose
from workbench.errors import WorkbenchError
from workbench.replay.engine import vectors_of
from workbench.retrieve.embeddings import dimension, normalise
from workbench.retrieve.models import imported_model
from workbench.retrieve.nearest import Floats, usable
from workbench.store import Database

Embed = Callable[[Sequence[str]], Floats]


def embedder_of(db: Database, model: str | None) -> Embed | None:
    """What embeds texts in `model`: the embedder that the environment names, where it has that model; else None."""
    if model is None:
        return None
    try:
        embedder = choose(Wanted(), imported_model(db))
    except WorkbenchError:
        return None
    return embedder.embed if embedder.name == model else None


def filled_vectors(db: Database, model: str | None, texts: Sequence[str], embed: Embed | None) -> Floats | None:
    """As vectors_of, with what `embed` makes of the texts that the store has no vector of; what it refuses is NaN."""
    found = vectors_of(db, model, texts)
    if embed is None or model is None or not texts:
        return found
    if found is None:
        found = np.full((len(texts), dimension(db, model) or 0), np.nan, np.float32)
    lacking = [place for place in np.nonzero(~usable(found))[0].tolist() if normalise(texts[place])]
    if not lacking:
        return found
    try:
        made = embed([normalise(texts[place]) for place in lacking])
    except WorkbenchError:
        return found
    if found.shape[1] != made.shape[1]:
        return found
    found[lacking] = made
    return found
