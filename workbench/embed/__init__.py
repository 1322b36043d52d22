"""Embedders behind one small protocol, and what fills the store's cache of vectors with them."""

from workbench.embed.fill import Filled, Refusal, fill, survey
from workbench.embed.protocol import Embedder, Floats, Refused

__all__ = ["Embedder", "Filled", "Floats", "Refusal", "Refused", "fill", "survey"]
