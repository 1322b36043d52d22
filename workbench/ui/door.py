"""A password before the app, for whoever lets others than this machine reach it."""

from __future__ import annotations

import asyncio
import binascii
import hashlib
import hmac
import secrets
from base64 import b64decode
from collections.abc import Awaitable, Callable, MutableMapping
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from typing import Any

from workbench.errors import BadInput

PASSWORD_VARIABLE = "WORKBENCH_UI_PASSWORD_FILE"  # noqa: S105
_COOKIE = "workbench_door"
_LEAST = 8
_WAIT_SECONDS = 1.0
_OPEN_PATHS = ("/_stcore/health",)

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]


def read_password(file: Path) -> str:
    """The password in the first line of `file`; BadInput where it cannot be read or is easy to guess."""
    try:
        password = file.read_text(encoding="utf-8").strip("\r\n")
    except (OSError, ValueError) as error:
        raise BadInput(f"Cannot read the password from {file}; check its name and permissions.") from error
    if len(password) < _LEAST or "\n" in password:
        raise BadInput(f"The password in {file} needs one line of at least {_LEAST} characters; make another one.")
    return password


class Door:
    """An ASGI application before `app`: browsers ask for the password once (HTTP Basic, any user name) and are known by
    a cookie from then on, until the app ends. A wrong password waits a second for its answer."""

    def __init__(self, app: App, password: str) -> None:
        self._app, self._password = app, _digest(password.encode())
        self._pass = secrets.token_urlsafe(32)

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Let the request in, or answer it."""
        if scope["type"] not in ("http", "websocket") or scope["path"] in _OPEN_PATHS:
            await self._app(scope, receive, send)
            return
        headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        if self._knows_cookie(headers.get(b"cookie", "")):
            await self._app(scope, receive, send)
        elif self._knows_password(headers.get(b"authorization", "")):
            await self._app(scope, receive, self._with_cookie(send))
        else:
            await self._refuse(scope["type"], b"authorization" in headers, receive, send)

    def _knows_cookie(self, header: str) -> bool:
        try:
            found = SimpleCookie(header).get(_COOKIE)
        except CookieError:
            return False
        return found is not None and hmac.compare_digest(found.value.encode(), self._pass.encode())

    def _knows_password(self, header: str) -> bool:
        scheme, _, coded = header.partition(" ")
        try:
            _, _, password = b64decode(coded, validate=True).partition(b":")
        except (binascii.Error, ValueError):
            return False
        return scheme.lower() == "basic" and hmac.compare_digest(_digest(password), self._password)

    def _with_cookie(self, send: Send) -> Send:
        cookie = f"{_COOKIE}={self._pass}; Path=/; HttpOnly; SameSite=Strict".encode()

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), (b"set-cookie", cookie)]}
            await send(message)

        return sending

    async def _refuse(self, kind: str, tried: bool, receive: Receive, send: Send) -> None:
        if tried:
            await asyncio.sleep(_WAIT_SECONDS)
        if kind == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = [
            (b"www-authenticate", b'Basic realm="Recall workbench", charset="UTF-8"'),
            (b"content-type", b"text/plain; charset=utf-8"),
        ]
        await send({"type": "http.response.start", "status": HTTPStatus.UNAUTHORIZED, "headers": headers})
        await send({"type": "http.response.body", "body": b"This app asks for a password."})


def _digest(password: bytes) -> bytes:
    """Digests are of one length, so that comparing them tells nothing of the length of a password."""
    return hashlib.sha256(password).digest()
