"""What looks like a password, key or token is taken out of a prompt before it is kept."""

from __future__ import annotations

import re

from workbench.importers.address import mask_address

_KEYS = re.compile(
    r"\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}"  # keys of model services and of payment services
    r"|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|\bhf_[A-Za-z0-9]{20,}|\bnpm_[A-Za-z0-9]{20,}"
    r"|\bxox[abeprs]-[\w-]{10,}|\b(?:AKIA|ASIA)[A-Z0-9]{12,}|\bAIza[\w-]{20,}"
    r"|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"
)
_BEARER = re.compile(r"(?i)\b((?:bearer|basic)\s+)[A-Za-z0-9+/_.=~-]{12,}")
_NAMED = re.compile(
    r"(?i)((?:[\w-]*(?:password|passwd|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key))"
    r"[\"']?\s*[:=]\s*[\"']?)([^\s\"',;&]{6,})"
)
_PEM = ("-----BEGIN ", "PRIVATE KEY-----")


def masked(text: str) -> str:
    """`text` with whatever looks like a secret replaced by ***; what is none may be hit, never the rest of it."""
    text = mask_address(_without_private_keys(text))
    return _NAMED.sub(r"\1***", _BEARER.sub(r"\1***", _KEYS.sub("***", text)))


def _without_private_keys(text: str) -> str:
    """A private key ends at its last line, or with the text."""
    opening, closing = _PEM
    parts, position = [], 0
    while (start := text.find(opening, position)) >= 0:
        head = text.find("-----", start + len(opening))
        if head < 0 or not text.startswith(closing, head + 5 - len(closing)):
            parts.append(text[position : start + len(opening)])
            position = start + len(opening)
            continue
        end = text.find(closing, head + 5)
        parts += [text[position:start], "***"]
        position = len(text) if end < 0 else end + len(closing)
    return "".join([*parts, text[position:]])
