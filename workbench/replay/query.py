"""From a prompt to the query that the signals see (recall semantics, section 3)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from workbench.params import Params
from workbench.text import SPACE, trimmed

DEFAULT_QUERY_CHARS = 200

_ENVELOPE = re.compile(
    rf"[{SPACE}]*(?:Conversation info|Sender|Channel info|Reply info)[{SPACE}]*\(untrusted metadata\)[{SPACE}]*:"
    rf"[{SPACE}]*```.*?```",
    re.IGNORECASE | re.DOTALL,
)

# A question mark that no address goes on behind, or a particle that ends a question in Chinese.
_ASKS = re.compile(r"[?？؟](?![\w/=&%])|[吗嗎呢](?=\W|$)")


@dataclass(frozen=True)
class Query:
    """`text` is what the server logs, `searched` the part that the signals see.

    Lengths count UTF-16 units as the server does. Half of a surrogate pair reaches the server's database as U+FFFD, and
    so it stands in `searched`.
    """

    text: str
    searched: str
    chars: int
    original_chars: int
    limit: int

    @property
    def truncated(self) -> bool:
        return self.original_chars > self.chars

    @property
    def unsearched(self) -> str:
        """The part of `text` that no signal sees; a character of which half was searched is part of it."""
        end = len(self.searched)
        half = self.searched.endswith("\ufffd") and self.text[end - 1] > "\uffff"
        return self.text[end - half :]

    @property
    def asked_outside(self) -> bool:
        """Whether the prompt asks its question behind the searched part, and none within: a hint, from its marks."""
        return self.truncated and bool(_ASKS.search(self.unsearched)) and not _ASKS.search(self.searched)


@lru_cache(16)  # a recall asks several times, and a prompt may have megabytes
def prepare(prompt: str, max_query_chars: int = DEFAULT_QUERY_CHARS) -> Query:
    """Strip a leading run of chat-platform metadata blocks, trim, and keep the first `max_query_chars` UTF-16 units."""
    text = trimmed(strip_envelopes(prompt))
    searched = cut_utf16(text, max_query_chars)
    length = utf16_length(text)
    return Query(text, searched, min(length, max_query_chars), length, max_query_chars)


def limit_bindings(in_force: Params) -> dict[str, Any]:
    """The bound values of logged/query_limits.sql."""
    return {"max_query_chars": in_force["recall.safety.max_query_chars"], "default_query_chars": DEFAULT_QUERY_CHARS}


def strip_envelopes(prompt: str) -> str:
    """`prompt` without its leading metadata blocks; unchanged when nothing would be left or a block has no end."""
    end = 0
    while block := _ENVELOPE.match(prompt, end):
        end = block.end()
    rest = prompt[end:]
    return rest if trimmed(rest) else prompt


def utf16_length(text: str) -> int:
    """How many UTF-16 units `text` has: characters beyond U+FFFF count twice."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def cut_utf16(text: str, limit: int) -> str:
    """The first `limit` UTF-16 units of `text`; half of a surrogate pair becomes U+FFFD."""
    units = text[:limit].encode("utf-16-le", "surrogatepass")[: 2 * limit]
    return units.decode("utf-16-le", "replace")
