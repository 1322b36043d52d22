"""An embedding server that speaks OpenAI's `POST /v1/embeddings`."""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any, NoReturn

import httpx2

from workbench.addresses import shown_address
from workbench.embed.address import endpoint
from workbench.embed.answers import matrix_of, message_of, names_no_model
from workbench.embed.protocol import KEY_VARIABLE, Floats, Refused
from workbench.errors import BadConfig, BadInput

ATTEMPTS = 5
TIMEOUT_SECONDS = 60.0
LONGEST_WAIT_SECONDS = 120.0
_PROBE = "test"
_KEPT = "what is done is kept, run the command again later"
_OUT_OF_QUOTA = "insufficient_quota"
_REFUSING = (HTTPStatus.BAD_REQUEST, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, HTTPStatus.UNPROCESSABLE_ENTITY)


class HttpEmbedder:
    """Embeds with `model` of the server at `base_url`, which may end in /v1; its vectors are kept under `name`.

    `key` goes into the header of the requests and nowhere else: no error, log line or repr shows it. BadConfig for an
    address or a key that no request can carry.
    """

    dimension: int | None = None

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        name: str | None = None,
        key: str | None = None,
        timeout: float = TIMEOUT_SECONDS,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name = name or model
        self._url, self._model, self._timeout, self._sleep = endpoint(base_url), model, timeout, sleep
        self._where = shown_address(self._url)
        self._has_key, self._hide = bool(key), _hiding(key)
        self._encoding: dict[str, str] = {"encoding_format": "base64"}
        self._answered = False
        self._client = httpx2.Client(headers=_headers(key), timeout=timeout)
        weakref.finalize(self, self._client.close)

    def __repr__(self) -> str:
        return f"HttpEmbedder({self._where!r}, {self._model!r})"

    def embed(self, texts: Sequence[str]) -> Floats:
        """See Embedder. A server that is busy is asked again after a while, or after the time that it names."""
        if "" in texts:
            raise Refused("the text is empty")
        try:
            return self._embedded(texts)
        except Refused:
            if not self._answered:
                self._probe()
            raise

    def _probe(self) -> None:
        """BadInput where the server refuses even a harmless text, so that the texts are not to blame."""
        try:
            self._embedded([_PROBE])
        except Refused as refusal:
            raise BadInput(f"{self._where} embeds nothing: {refusal}.") from None

    def _embedded(self, texts: Sequence[str]) -> Floats:
        response = self._asked(texts)
        if response.status_code != HTTPStatus.OK:
            if not self._encoding or "encoding_format" not in response.text:
                self._complain(response)
            self._encoding = {}
            return self._embedded(texts)
        try:
            matrix = matrix_of(_document(response), len(texts))
        except BadInput as fault:
            raise BadInput(f"{self._where} cannot be used: {fault}.") from None
        self._answered = True
        return matrix

    def _asked(self, texts: Sequence[str]) -> httpx2.Response:
        """The answer of the server, asked again while it is busy."""
        body = {"model": self._model, "input": list(texts), **self._encoding}
        for attempt in range(ATTEMPTS):
            wait = 2.0**attempt
            try:
                response = self._client.post(self._url, json=body)
            except httpx2.TimeoutException:
                said = f"does not answer within {self._timeout:g} s"
            except (httpx2.ReadError, httpx2.WriteError, httpx2.RemoteProtocolError):
                said = "breaks the connection off"
            except (httpx2.TransportError, httpx2.InvalidURL) as error:
                reason = self._hide(str(error)) or type(error).__name__
                raise BadInput(f"Cannot reach {self._where} ({reason}); is the server running there?") from None
            else:
                if not _is_busy(response):
                    return response
                said = f"is busy ({response.status_code})"
                wait = _retry_after(response, wait)
            if wait > LONGEST_WAIT_SECONDS:
                raise BadInput(f"{self._where} {said} and asks to wait {wait:.0f} s; {_KEPT}.")
            if attempt < ATTEMPTS - 1:
                self._sleep(wait)
        raise BadInput(f"{self._where} {said}, {ATTEMPTS} times in a row; {_KEPT}.")

    def _complain(self, response: httpx2.Response) -> NoReturn:
        """Say in one sentence why the server did not embed."""
        status = response.status_code
        message, code = message_of(_document(response))
        because = f"{status}: {self._hide(message)}" if message else f"{status}"
        if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
            what = "refuses the key in" if self._has_key else "wants a key; put it into"
            raise BadConfig(f"{self._where} {what} the environment variable {KEY_VARIABLE} ({status}).")
        if names_no_model(message, code):
            raise BadConfig(f"{self._where} does not know the model {self._model} ({because}); name another --model.")
        if response.is_redirect:
            raise BadConfig(f"{self._where} answers from another address ({status}); name that one with --base-url.")
        if status == HTTPStatus.NOT_FOUND:
            raise BadConfig(f"{self._where} does not exist on that server ({because}); check --base-url.")
        if status in _REFUSING:
            raise Refused(f"the server refuses it ({because})")
        raise BadInput(f"{self._where} fails ({because}); {_KEPT}.")


def _headers(key: str | None) -> dict[str, str]:
    if not key:
        return {}
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise BadConfig(f"The environment variable {KEY_VARIABLE} holds characters that no key has; set it anew.")
    return {"Authorization": f"Bearer {key}"}


def _hiding(key: str | None) -> Callable[[str], str]:
    """A function that takes the key out of what a server says."""
    return lambda message: message.replace(key, "…") if key else message


def _document(response: httpx2.Response) -> Any:
    try:
        return response.json()
    except ValueError:
        return None


def _is_busy(response: httpx2.Response) -> bool:
    """Whether the same request may succeed later; a spent allowance will not come back by waiting."""
    if response.status_code == HTTPStatus.TOO_MANY_REQUESTS:
        return _OUT_OF_QUOTA not in message_of(_document(response))[1]
    return response.status_code == HTTPStatus.REQUEST_TIMEOUT or response.is_server_error


def _retry_after(response: httpx2.Response, otherwise: float) -> float:
    """The seconds that the server asks to wait: a number, or a date."""
    asked = response.headers.get("Retry-After", "").strip()
    try:
        return max(0.0, float(asked))
    except ValueError:
        pass
    try:
        until = parsedate_to_datetime(asked)
    except ValueError:
        return otherwise
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max(0.0, (until - datetime.now(UTC)).total_seconds())
