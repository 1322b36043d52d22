"""Where an embedding server listens."""

from __future__ import annotations

import re
from urllib.parse import SplitResult, urlsplit, urlunsplit

from workbench.errors import BadConfig

_VERSION = re.compile(r"/v\d+[a-z\d]*(/openai)?$")


def endpoint(base_url: str) -> str:
    """The address that embeddings are asked of: `base_url` with or without /v1 or /v1/embeddings. BadConfig for one
    that is no http address."""
    try:
        parts = urlsplit(base_url.strip())
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        usable = False
    if not usable:
        raise BadConfig("The address of the embedding server is none; write it like http://localhost:8000/v1.")
    path = parts.path.rstrip("/")
    if not path.endswith("/embeddings"):
        path += "/embeddings" if _VERSION.search(path) else "/v1/embeddings"
    return urlunsplit(SplitResult(parts.scheme, parts.netloc, path, parts.query, ""))


def shown_address(url: str) -> str:
    """`url` without what may be secret: user, password, query."""
    parts = urlsplit(url)
    return urlunsplit(SplitResult(parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
