"""Addresses of servers, as they are asked and as they may be shown."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit, urlunsplit


def http_parts(address: str) -> SplitResult | None:
    """The parts of an http or https address; None for what is none."""
    try:
        parts = urlsplit(address.strip())
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        return None
    return parts if usable else None


def shown_address(url: str) -> str:
    """`url` without what may be secret: user, password, query."""
    parts = urlsplit(url)
    return urlunsplit(SplitResult(parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
