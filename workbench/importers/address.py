"""Addresses that carry a password never reach a message, a log or the store."""

from __future__ import annotations

import json
import re
from typing import Any

from workbench.params.settings import looks_secret

# A password may hold what belongs percent-encoded; digits before a slash are the port of an address without one.
_IN_ADDRESS = re.compile(r"(?<=://)([^/?#\s:@]*):(?!\d{1,5}[/?#])(\S*)@")
_IN_WORDS = re.compile(
    r"(?i)((?:password|passwd|pwd|secret|token|api[_-]?key|access[_-]?key)\s*=\s*)('(?:[^'\\]|\\.)*'|[^&\s]+)"
)


def mask_address(text: str) -> str:
    """`text` with every password of an address or connection string replaced by ***."""
    return _IN_WORDS.sub(r"\1***", _IN_ADDRESS.sub(r"\1:***@", text))


def mask_document(text: str) -> str:
    """JSON text with the passwords and secret members in it replaced; text that is not JSON is masked as a whole."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return mask_address(text)
    masked = _masked(document)
    return text if masked == document else json.dumps(masked, ensure_ascii=False)


def _masked(value: Any) -> Any:
    if isinstance(value, str):
        return mask_address(value)
    if isinstance(value, dict):
        return {
            mask_address(name): "***" if isinstance(part, str) and looks_secret(name) else _masked(part)
            for name, part in value.items()
        }
    return [_masked(part) for part in value] if isinstance(value, list) else value
