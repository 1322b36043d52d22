"""An embedding server on this machine that does what a test tells it to."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from embedders import vector_of

Reply = tuple[int, Any] | tuple[int, Any, dict[str, str]]
Asked = dict[str, Any]


@dataclass
class Server:
    """`replies` are used up first, one a request: each a reply or what makes one from the request; then vectors follow.

    `asked` holds the bodies of all requests, `keys` their Authorization headers, `paths` their addresses.
    """

    url: str = ""
    replies: list[Reply | Callable[[Asked], Reply]] = field(default_factory=list)
    always: Callable[[Asked], Reply] | None = None
    asked: list[Asked] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)

    def reply(self, body: Asked) -> Reply:
        chosen = self.replies.pop(0) if self.replies else (self.always or answer)
        return chosen(body) if callable(chosen) else chosen


def answer(body: Asked) -> Reply:
    """Vectors for all texts, backwards, in the encoding that was asked for."""
    items = [
        {"object": "embedding", "index": place, "embedding": encoded(vector_of(text).tolist(), body)}
        for place, text in enumerate(body["input"])
    ]
    return 200, {"object": "list", "model": body["model"], "data": items[::-1]}


def encoded(row: list[float], body: Asked) -> Any:
    if body.get("encoding_format") != "base64":
        return row
    import numpy as np

    return base64.b64encode(np.array(row, "<f4").tobytes()).decode()


def listed(*rows: Any) -> Reply:
    """An answer with these embeddings as they are."""
    return 200, {"data": [{"index": place, "embedding": row} for place, row in enumerate(rows)]}


def error(status: int, message: str, code: str | None = None, **headers: str) -> Reply:
    """An error as OpenAI writes it."""
    return status, {"error": {"message": message, "type": "invalid_request_error", "code": code}}, headers


@contextmanager
def serving() -> Iterator[Server]:
    """A server on a free port."""
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.asked.append(body)
            state.keys.append(self.headers["Authorization"])
            state.paths.append(self.path)
            status, document, *headers = state.reply(body)
            raw = document if isinstance(document, bytes) else json.dumps(document).encode()
            self.send_response(status)
            for name, value in (headers[0] if headers else {}).items():
                self.send_header(name.replace("_", "-"), value)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        state.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield state
        finally:
            server.shutdown()
            thread.join()
