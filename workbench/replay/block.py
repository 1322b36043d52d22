"""The block of recalled memories that an agent reads (recall semantics, section 8)."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

MOST_CUES = 3


def recall_block(
    items: Sequence[tuple[float, str, Sequence[str]]],
    *,
    session_id: str | None = None,
    query_id: str | None = None,
    phase: str | None = None,
    digits: int = 2,
) -> str:
    """One line a memory: score, address, at most three cues. Attributes stand there where they are known; no memories
    give no block, "". A quote in a value cannot end it.

    `items` are (score, URI, cues), best first.
    """
    if not items:
        return ""
    known = (("session_id", session_id), ("query_id", query_id), ("phase", phase))
    attributes = "".join(f' {name}="{escape(value)}"' for name, value in known if value)
    lines = [
        " | ".join((f"{score:.{digits}f}", uri, *([" · ".join(cues[:MOST_CUES])] if cues else [])))
        for score, uri, cues in items
    ]
    return "\n".join((f"<recall{attributes}>", *lines, "</recall>"))
