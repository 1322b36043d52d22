"""A settings API that enforces ranges and a token, over real HTTP."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from workbench.params import KEYS, Params

TOKEN = "open-sesame"  # noqa: S105


@dataclass
class Server:
    """A server's settings; `stubborn` keys keep their value, `fail_after` writes part of a patch and then fails."""

    values: dict[str, Any] = field(default_factory=lambda: dict(Params.default().as_flat()))
    writes: list[dict[str, Any]] = field(default_factory=list)
    stubborn: set[str] = field(default_factory=set)
    fail_after: int | None = None
    address: str = ""

    def put(self, patch: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        self.writes.append(patch)
        for name, value in patch.items():
            if name in KEYS and not KEYS[name].low <= value <= KEYS[name].high:
                return 400, {"error": f"{name} out of range"}
        for number, (name, value) in enumerate(patch.items()):
            if self.fail_after is not None and number >= self.fail_after:
                self.fail_after = None
                return 500, {"error": {"message": "database is locked"}}
            if name not in self.stubborn:
                self.values[name] = value
        return 200, {"values": self.values}


@contextmanager
def settings_server() -> Iterator[Server]:
    """A server that runs until the block ends."""
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        def _answer(self, status: int, document: dict[str, Any]) -> None:
            body = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def _allowed(self) -> bool:
            allowed = self.path == "/api/settings" and self.headers.get("Authorization") == f"Bearer {TOKEN}"
            if not allowed:
                self._answer(401, {"error": "no"})
            return allowed

        def do_GET(self) -> None:
            if self._allowed():
                self._answer(200, {"schema": {}, "values": {**state.values, "llm.model": "x"}, "defaults": {}})

        def do_PUT(self) -> None:
            patch = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["patch"]
            if self._allowed():
                self._answer(*state.put(patch))

        def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002
            """Keep quiet."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=http.serve_forever, daemon=True).start()
    state.address = f"http://127.0.0.1:{http.server_port}"
    yield state
    http.shutdown()
    http.server_close()
