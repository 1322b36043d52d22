"""What every request passes first: who may ask, how much, and from where."""

from __future__ import annotations

import hmac
import ipaddress
import json
from collections.abc import Awaitable, Callable, MutableMapping
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from workbench.errors import BadConfig, BadInput
from workbench.hooks.hosts import TOKEN_VARIABLE

MOST_BYTES = 2_000_000
OPEN_PATHS = ("/health", "/api/health")
_LEAST_TOKEN = 16

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]


class Guard:
    """An ASGI application before `app`: bodies over MOST_BYTES are refused, and whoever does not know `token`.

    Without a token only this machine may ask, and no page of another site through a browser on it.
    """

    def __init__(self, app: App, token: str | None) -> None:
        self._app, self._token = app, token.encode() if token else None

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Pass the request on, or answer it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        refusal = None if scope["path"] in OPEN_PATHS else self._refusal(_headers(scope))
        if refusal:
            await _answer(send, *refusal)
            return
        body = await _body(receive)
        if body is None:
            await _answer(send, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"A body has at most {MOST_BYTES:,} bytes.")
            return
        await self._app(scope, _replayed(body, receive), send)

    def _refusal(self, headers: dict[bytes, bytes]) -> tuple[HTTPStatus, str] | None:
        if self._token is not None:
            scheme, _, given = headers.get(b"authorization", b"").partition(b" ")
            if scheme.lower() == b"bearer" and hmac.compare_digest(given.strip(), self._token):
                return None
            return HTTPStatus.UNAUTHORIZED, "Send the token of this service as Authorization: Bearer TOKEN."
        origin = headers.get(b"origin")
        if is_local(_host(headers.get(b"host", b""))) and (origin is None or is_local(_origin(origin))):
            return None
        return HTTPStatus.FORBIDDEN, "Without a token this service answers this machine alone."


def checked_token(token: str | None, host: str) -> None:
    """Refuse what a service at `host` must not ask for.

    BadInput for none where others could read, BadConfig for one that is easy to guess.
    """
    if token is None:
        if not is_local(host):
            raise BadInput(
                f"The service would be readable to all at {host}; give it a token with --token-file FILE or in "
                f"{TOKEN_VARIABLE}, or leave --host at localhost."
            )
        return
    if len(token) < _LEAST_TOKEN or not token.isascii() or not token.isprintable() or " " in token:
        raise BadConfig(f"The token needs at least {_LEAST_TOKEN} characters without spaces; make another one.")


def is_local(host: str) -> bool:
    """Whether a host name or address is this machine's own."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _headers(scope: MutableMapping[str, Any]) -> dict[bytes, bytes]:
    return {name.lower(): value for name, value in scope["headers"]}


def _host(header: bytes) -> str:
    return _origin(b"http://" + header)


def _origin(header: bytes) -> str:
    try:
        return urlsplit(header.decode("ascii")).hostname or ""
    except ValueError:
        return ""


async def _body(receive: Receive) -> bytes | None:
    """The whole body; None where it is too long."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return b"".join(parts)
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > MOST_BYTES:
            return None
        if not message.get("more_body"):
            return b"".join(parts)


def _replayed(body: bytes, receive: Receive) -> Receive:
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay


async def _answer(send: Send, status: HTTPStatus, sentence: str) -> None:
    body = json.dumps({"error": sentence}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status is HTTPStatus.UNAUTHORIZED:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": int(status), "headers": headers})
    await send({"type": "http.response.body", "body": body})
