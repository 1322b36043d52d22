"""Addresses that carry a password never reach a message, a log or the store."""

from __future__ import annotations

import re

_IN_ADDRESS = re.compile(r"(?<=://)([^/?#\s:@]*):([^/?#\s]*)@")
_IN_WORDS = re.compile(r"(?i)\b(password|passwd|pwd|sslpassword)(\s*=\s*)('(?:[^'\\]|\\.)*'|[^&\s]+)")


def mask_address(text: str) -> str:
    """`text` with every password of an address or connection string replaced by ***."""
    return _IN_WORDS.sub(r"\1\2***", _IN_ADDRESS.sub(r"\1:***@", text))
