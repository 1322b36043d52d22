"""Text search as PostgreSQL does it: tokenizers, queries that match any or all of their lexemes, and their rank."""

from __future__ import annotations

from workbench.errors import BadInput
from workbench.textsearch.jieba import Jieba
from workbench.textsearch.simple import Simple
from workbench.textsearch.tokenizer import AnyOf, Tokenizer

__all__ = ["NAMES", "AnyOf", "Tokenizer", "tokenizer"]

NAMES = ("simple", "jieba")

_TOKENIZERS: dict[str, Tokenizer] = {"simple": Simple(), "jieba": Jieba()}


def tokenizer(name: str) -> Tokenizer:
    """The tokenizer called `name`, one of `NAMES`; `BadInput` for another name.

    It costs nothing yet: what it needs, it loads at the first text.
    """
    try:
        return _TOKENIZERS[name]
    except KeyError:
        raise BadInput(f"There is no tokenizer {name!r}; there are: {', '.join(NAMES)}.") from None
