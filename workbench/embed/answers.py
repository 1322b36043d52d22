"""What an embedding server answers, read with the mistakes that servers make."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from workbench.embed.protocol import Floats, Refused
from workbench.errors import BadInput

_MESSAGE_CHARS = 200
_NO_MODEL = re.compile(
    r"\bmodel\b.*(not found|n[o']t exist|unknown|no such)|unknown model|model_not_found", re.IGNORECASE
)


def matrix_of(document: Any, count: int) -> Floats:
    """The vectors of an answer to `count` texts, in the order of the texts, shape (count, dimension).

    They come as lists of numbers or as base64 of little-endian float32, in any order, told apart by `index`. Refused
    where single vectors cannot be used, BadInput where the answer as a whole cannot.
    """
    items = document.get("data") if isinstance(document, dict) else None
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise BadInput("it answers something other than embeddings; check the address")
    if len(items) != count:
        raise BadInput(f"it answers {len(items)} vectors for {count} texts")
    places = [item.get("index", place) for place, item in enumerate(items)]
    if any(type(place) is not int for place in places) or sorted(places) != list(range(count)):
        raise BadInput("it does not number its vectors from 0 on, so that they cannot be told apart")
    rows = [
        _row(item.get("embedding")) for _, item in sorted(zip(places, items, strict=True), key=lambda pair: pair[0])
    ]
    lengths = sorted({len(row) for row in rows})
    if len(lengths) > 1:
        raise Refused(f"the server gives vectors of {lengths[0]} and of {lengths[-1]} numbers")
    return np.stack(rows)


def message_of(document: Any) -> tuple[str, str]:
    """(message, code) of an error answer, "" where it has none."""
    error = document.get("error", document) if isinstance(document, dict) else None
    if isinstance(error, str):
        return _one_line(error), ""
    if not isinstance(error, dict):
        return "", ""
    message = next((error[key] for key in ("message", "detail", "msg") if isinstance(error.get(key), str)), "")
    return _one_line(message), str(error.get("code") or error.get("type") or "")


def names_no_model(message: str, code: str) -> bool:
    """Whether an error says that the server has no such model."""
    return bool(_NO_MODEL.search(message) or _NO_MODEL.search(code))


def _row(embedding: Any) -> Floats:
    if isinstance(embedding, str):
        return _decoded(embedding)
    if not isinstance(embedding, Sequence) or not embedding:
        raise Refused("the server gives no vector for it")
    try:
        with np.errstate(over="ignore"):
            row = np.array(embedding, dtype=np.float64).astype(np.float32)
    except (TypeError, ValueError) as error:
        raise Refused("the server gives a vector that holds something other than numbers") from error
    if row.ndim != 1:
        raise Refused("the server gives a vector that is no plain list of numbers")
    return row


def _decoded(text: str) -> Floats:
    try:
        return np.frombuffer(base64.b64decode(text, validate=True), dtype="<f4").astype(np.float32)
    except (binascii.Error, ValueError) as error:
        raise Refused("the server gives a vector that is not base64 of 32-bit numbers") from error


def _one_line(message: str) -> str:
    return " ".join(message.split())[:_MESSAGE_CHARS].rstrip(".")
