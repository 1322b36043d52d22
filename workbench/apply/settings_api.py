"""The settings API of a server: `GET` and `PUT /api/settings`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import urlunsplit

import httpx2

from workbench.addresses import http_parts, shown_address
from workbench.errors import BadConfig, BadInput
from workbench.params import KEYS, Value

TOKEN_VARIABLE = "WORKBENCH_SERVER_TOKEN"  # noqa: S105
TIMEOUT_SECONDS = 15.0
_PATH = "/api/settings"


class SettingsApi:
    """The settings of the server at `address`; the token goes into the header of the requests and nowhere else.

    BadConfig for what is no http address; each call raises BadInput with what the server said, in one sentence.
    """

    def __init__(self, address: str, token: str | None = None, timeout: float = TIMEOUT_SECONDS) -> None:
        self._url = _endpoint(address)
        self.shown = shown_address(self._url).removesuffix(_PATH)
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        try:
            self._client = httpx2.Client(headers=headers, timeout=timeout)
        except (UnicodeError, ValueError):
            raise BadConfig(f"{TOKEN_VARIABLE} holds characters that no token has; set it anew.") from None

    @classmethod
    def from_environment(cls, address: str) -> SettingsApi:
        """With the token of WORKBENCH_SERVER_TOKEN."""
        return cls(address, os.environ.get(TOKEN_VARIABLE) or None)

    def __repr__(self) -> str:
        return f"SettingsApi({self.shown!r})"

    def read(self) -> dict[str, Any]:
        """The values that the server runs with, by key, those of the recall alone."""
        document = self._asked("GET")
        values = document.get("values")
        if not isinstance(values, dict):
            raise BadInput(f"{self.shown} does not answer as a Lore server: it names no settings.")
        return {name: values[name] for name in KEYS if name in values}

    def write(self, patch: Mapping[str, Value]) -> None:
        """Set values, all in one request."""
        self._asked("PUT", {"patch": dict(patch)})

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def _asked(self, method: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        try:
            response = self._client.request(method, self._url, json=body)
        except httpx2.TimeoutException:
            raise BadInput(f"{self.shown} does not answer; is the server running there?") from None
        except (httpx2.TransportError, httpx2.InvalidURL) as error:
            raise BadInput(
                f"Cannot reach {self.shown} ({type(error).__name__}); is the server running there?"
            ) from None
        if response.status_code in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
            raise BadInput(f"{self.shown} refuses the token; set {TOKEN_VARIABLE} to one that may change settings.")
        if response.status_code >= HTTPStatus.BAD_REQUEST:
            raise BadInput(f"{self.shown} refuses ({response.status_code}): {_said(response)}")
        document = _document(response)
        if document is None:
            raise BadInput(f"{self.shown} does not answer as a Lore server: no JSON object came back.")
        return document


def _endpoint(address: str) -> str:
    parts = http_parts(address)
    if parts is None:
        raise BadConfig("The address of the server is none; write it like http://localhost:18901.")
    return urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/").removesuffix(_PATH) + _PATH, "", ""))


def _document(response: httpx2.Response) -> dict[str, Any] | None:
    try:
        document = response.json()
    except ValueError:
        return None
    return document if isinstance(document, dict) else None


def _said(response: httpx2.Response) -> str:
    """What the server names as the reason, on one line."""
    document = _document(response) or {}
    reason = next((document[name] for name in ("error", "detail", "message") if document.get(name)), response.text)
    text = " ".join(str(reason.get("message", reason) if isinstance(reason, dict) else reason).split())
    return (text[:300] or "it gives no reason").rstrip(".") + "."
