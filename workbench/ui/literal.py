"""User text for places that Streamlit reads as Markdown."""

from __future__ import annotations

from workbench.text import shown

_MARKUP = frozenset("\\`*_{}[]()<>#+-.!|~$:@^=&")


def literal(text: str) -> str:
    """Text on one line of which Streamlit shows every mark as it is."""
    return "".join("\\" + character if character in _MARKUP else character for character in shown(text))
