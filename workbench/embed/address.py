"""Where an embedding server listens."""

from __future__ import annotations

import re
from urllib.parse import SplitResult, urlunsplit

from workbench.addresses import http_parts
from workbench.errors import BadConfig

_VERSION = re.compile(r"/v\d+[a-z\d]*(/openai)?$")


def endpoint(base_url: str) -> str:
    """The address that embeddings are asked of: `base_url` with or without /v1 or /v1/embeddings. BadConfig for one
    that is no http address."""
    parts = http_parts(base_url)
    if parts is None:
        raise BadConfig("The address of the embedding server is none; write it like http://localhost:8000/v1.")
    path = parts.path.rstrip("/")
    if not path.endswith("/embeddings"):
        path += "/embeddings" if _VERSION.search(path) else "/v1/embeddings"
    return urlunsplit(SplitResult(parts.scheme, parts.netloc, path, parts.query, ""))
