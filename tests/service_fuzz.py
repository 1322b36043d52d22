"""Hostile requests to a running service, as bytes on the wire: it has no fault, and tells nothing without its token."""

from __future__ import annotations

import contextlib
import json
import random
import socket
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
from memory_store import Memories
from served import running

from workbench.store import writing

TOKEN = "the-token-of-the-fuzzed-service"  # noqa: S105
SECRET = "content-that-only-the-token-opens"  # noqa: S105
THREADS = 8
ODD = [
    "", " ", "\0", "a\udfff", "%_\\", "../../etc/passwd", "x" * 3_000, '{"$ref": 1}', "NaN", "\u202e", "💥" * 300,
    "'; DROP TABLE nodes; --", "core://a", "core://a/", "CORE://A", "boot", '<recall query_id="x">', "null", "refund",
    "\r\nX-Injected: 1", "ops://secret", "a" * 301, "𝕏\u0301", "Conversation info (untrusted metadata):\n```\n",
]  # fmt: skip
TRICKS = [
    "/../api/settings", "/api/../api/settings", "//api/settings", "/api//settings", "/%2e%2e/api/settings",
    "/health/../api/settings", "/health%2f..%2fapi/settings", "/health;/api/settings", "/health?x=/api/settings",
    "/api/settings%00", "/api/settings/", "/API/SETTINGS", "/api/health/../settings", "/docs/", "/openapi.json?x",
    "/static/../../etc/passwd", "/..%5c..%5cetc/passwd", "/mcp/", "/mcp/../api/settings", "*",
    "http://evil/api/settings", "http://localhost/health", "/health#/api/settings", "/%68ealth", "/" + "a" * 9_000,
    "/api/browse/node?uri=ops://secret",
]  # fmt: skip
BAD_TOKENS = [
    None, b"", b"Bearer", b"Bearer ", b"Basic " + TOKEN.encode(), b"Bearer " + TOKEN[:-1].encode(), TOKEN.encode(),
    b"Bearer " + TOKEN.upper().encode(), b"Bearer x" + TOKEN.encode(), b"Bearer " + b"x" * 5_000, b"Bearer \xff\xfe",
    b"Bearer null", b"Bearer " + TOKEN.encode() + b", Bearer x", b"Token " + TOKEN.encode(), b"Bearer\t\x00",
]  # fmt: skip
HOSTILE = [
    b"Content-Length: -1", b"Content-Length: 99999999999999999999", b"Transfer-Encoding: chunked",
    b"Transfer-Encoding: gzip, chunked", b"Expect: 100-continue", b"Upgrade: websocket\r\nConnection: Upgrade",
    b"Upgrade: h2c", b"Host: evil.example", b"X: " + b"y" * 70_000, b"Content-Type: text/plain",
    b"Content-Type: multipart/form-data; boundary=", b"Content-Type: application/json; charset=utf-7",
    b"Content-Encoding: gzip", b"Accept: \xff", b"Cookie: " + b"a=b;" * 2_000, b"Range: bytes=0-", b": no name",
    b"No colon at all", b"X-Forwarded-For: 127.0.0.1\r\nX-Forwarded-Host: localhost", b"Origin: null",
    b"Mcp-Session-Id: ../../x", b"Mcp-Protocol-Version: 9", b"Last-Event-ID: 1", b"X-HTTP-Method-Override: DELETE",
]  # fmt: skip
METHODS = ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE", "CONNECT", "get", "\x01"]
_OPEN = (b"/health", b"/api/health", b"/%68ealth", b"/health HTTP/1.1", b"/%68ealth HTTP/1.1")


@dataclass(frozen=True)
class Sent:
    """One request as it goes over the wire; `known`: with the right token; `whole`: its length is the one it says."""

    raw: bytes
    known: bool
    whole: bool = True


class Requests:
    """Requests by number: the same number gives the same request."""

    def __init__(self, schema: Mapping[str, Any], seed: int = 1) -> None:
        self._schema, self._seed = schema, seed
        self._operations = [(path, method) for path, methods in schema["paths"].items() for method in methods]

    def __call__(self, number: int) -> Sent:
        """The request of that number."""
        draw = random.Random(f"{self._seed} {number}")
        kinds: list[Callable[[random.Random], Sent]] = [
            self._fitting, self._garbled, self._odd_query, self._unknown, self._tricky, self._hostile, self._tool,
            _large,
        ]  # fmt: skip
        return draw.choices(kinds, [45, 10, 12, 15, 10, 5, 2.7, 0.3])[0](draw)

    def _fitting(self, draw: random.Random) -> Sent:
        path, method = draw.choice(self._operations)
        return _request(method.upper(), path, self._body(draw, path, method))

    def _garbled(self, draw: random.Random) -> Sent:
        path, method = draw.choice(self._operations)
        body = bytearray(self._body(draw, path, method))
        for _ in range(draw.randint(1, 4)):
            place = draw.randint(0, len(body))
            body[place : place + draw.randint(0, 3)] = draw.randbytes(draw.randint(0, 3))
        return _request(method.upper(), path, bytes(body))

    def _odd_query(self, draw: random.Random) -> Sent:
        path, _ = draw.choice(self._operations)
        names = ["query", "uri", "domain", "path", "limit", "mode", "session_id", "query_id", "x"]
        said = {draw.choice(names): _text(draw) for _ in range(draw.randint(0, 4))}
        query = str(httpx2.QueryParams({name: text.encode(errors="replace").decode() for name, text in said.items()}))
        return _request(draw.choice(METHODS), f"{path}?{query}", draw.randbytes(draw.randint(0, 40)))

    def _unknown(self, draw: random.Random) -> Sent:
        path, method = draw.choice(self._operations)
        token = draw.choice(BAD_TOKENS)
        headers = [] if token is None else [b"Authorization: " + token]
        headers += draw.sample(HOSTILE, draw.randint(0, 1))
        place = draw.choice([path, *TRICKS, "/mcp", "/docs", "/openapi.json"])
        return _request(method.upper(), place, self._body(draw, path, method), headers, known=False)

    def _tricky(self, draw: random.Random) -> Sent:
        path = draw.choice(TRICKS) if draw.random() < 0.7 else "/" + _text(draw)
        return _request(draw.choice(METHODS), path.replace(" ", "%20"), b"")

    def _hostile(self, draw: random.Random) -> Sent:
        path, method = draw.choice(self._operations)
        return _request(method.upper(), path, self._body(draw, path, method), draw.sample(HOSTILE, draw.randint(1, 3)))

    def _tool(self, draw: random.Random) -> Sent:
        name = draw.choice(["lore_search", "lore_get_node", "lore_boot", "x"])
        call = {
            "jsonrpc": draw.choice(["2.0", "1", None]), "id": draw.choice([1, "x", None, []]),
            "method": draw.choice(["tools/call", "tools/list", "initialize", "ping", ""]),
            "params": draw.choice([{"name": name, "arguments": _anything(draw)}, _anything(draw)]),
        }  # fmt: skip
        headers = [b"Accept: application/json, text/event-stream", b"Mcp-Session-Id: " + str(draw.random()).encode()]
        return _request("POST", "/mcp", _json(draw, call), headers[: draw.randint(0, 2)])

    def _body(self, draw: random.Random, path: str, method: str) -> bytes:
        content = self._schema["paths"][path][method].get("requestBody", {}).get("content", {})
        shape = content["application/json"]["schema"] if content else {}
        return _json(draw, self._value(draw, shape))

    def _value(self, draw: random.Random, shape: Mapping[str, Any]) -> Any:
        """What a part of the service's own schema allows, and now and then what it does not."""
        if draw.random() < 0.04:
            return _anything(draw)
        if "$ref" in shape:
            return self._value(draw, self._schema["components"]["schemas"][shape["$ref"].rpartition("/")[2]])
        if "anyOf" in shape:
            return self._value(draw, draw.choice(shape["anyOf"]))
        if "enum" in shape:
            return draw.choice(shape["enum"])
        if shape.get("type") == "array":
            return [self._value(draw, shape["items"]) for _ in range(draw.randint(0, 3))]
        if "properties" in shape:
            needed, parts = shape.get("required", ()), shape["properties"].items()
            return {name: self._value(draw, part) for name, part in parts if name in needed or draw.random() < 0.4}
        return _plain(draw, shape)


def _plain(draw: random.Random, shape: Mapping[str, Any]) -> Any:
    kind = shape.get("type")
    if kind == "string":
        return _text(draw)
    if kind == "integer":
        return draw.choice([0, 1, -1, 3, shape.get("minimum", -5), shape.get("maximum", 10**9), 10**30])
    if kind == "number":
        return draw.choice([0.0, 0.5, 1.0, shape.get("minimum", -1e9), shape.get("maximum", 1e9), float("nan"), 1e308])
    if kind == "boolean":
        return draw.random() < 0.5
    return None if kind == "null" else _anything(draw)


def _anything(draw: random.Random, depth: int = 0) -> Any:
    plain: list[Any] = [None, True, 0, -1, 10**40, 1.5, float("inf"), _text(draw)]
    if depth > 2 or draw.random() < 0.6:
        return draw.choice(plain)
    parts = [_anything(draw, depth + 1) for _ in range(draw.randint(0, 3))]
    return parts if draw.random() < 0.5 else {_text(draw): part for part in parts}


def _text(draw: random.Random) -> str:
    if draw.random() < 0.6:
        return draw.choice(ODD)
    return "".join(
        chr(draw.choice([draw.randint(32, 126), draw.randint(0, 0xD7FF)])) for _ in range(draw.randint(0, 30))
    )


def _json(draw: random.Random, value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=draw.random() < 0.5).encode(errors="surrogatepass")


def _request(method: str, path: str, body: bytes, headers: Sequence[bytes] = (), *, known: bool = True) -> Sent:
    """The bytes of a request; what `headers` name stands before what would be said otherwise."""
    lines = [f"{method} ".encode() + path.encode(errors="surrogatepass") + b" HTTP/1.1", *headers]
    said = b"\r\n".join(headers).lower()
    lines += [] if b"host:" in said else [b"Host: localhost"]
    lines += [] if b"content-type:" in said else [b"Content-Type: application/json"]
    lines += [] if b"content-length:" in said or b"chunked" in said else [b"Content-Length: %d" % len(body)]
    lines += [b"Authorization: Bearer " + TOKEN.encode()] if known else []
    whole = b"content-length:" not in said and b"chunked" not in said
    return Sent(b"\r\n".join([*lines, b"Connection: close", b"", b""]) + body, known, whole)


def _large(draw: random.Random) -> Sent:
    body = draw.choice([
        b'{"query": "' + b"x" * 2_100_000 + b'"}', b"[" * 300_000, b'{"query": ' * 100_000, b"\0" * 2_500_000,
        b'{"query": "x", "limit": ' + b"9" * 100_000 + b"}", b'{"query": "' + "漢".encode() * 600_000 + b'"}',
    ])  # fmt: skip
    path = draw.choice(["/api/browse/recall", "/api/browse/search", "/api/lifecycle/event", "/mcp"])
    known = draw.random() < 0.7
    return _request("POST", path, body, known=known)


def answered(port: int, sent: Sent) -> bytes:
    """The whole answer to a request; b"" where the service hung up without one."""
    parts: list[bytes] = []
    with socket.create_connection(("127.0.0.1", port), timeout=120) as wire:
        with contextlib.suppress(OSError):  # it need not listen to the end of what it refuses
            wire.sendall(sent.raw)
            if not sent.whole:  # or it would wait for the rest
                wire.shutdown(socket.SHUT_WR)
        with contextlib.suppress(ConnectionResetError):
            while part := wire.recv(65_536):
                parts.append(part)
    return b"".join(parts)


def fault(sent: Sent, answer: bytes) -> str | None:
    """What is wrong with an answer; None where nothing is."""
    status = answer[9:12].decode("latin-1")
    if status.startswith("5"):
        return "a fault of the service"
    if b"Traceback" in answer or b"root:" in answer or b".duckdb" in answer:
        return "it tells of the machine"
    if not sent.known and SECRET.encode() in answer:
        return "content without the token"
    open_to_all = sent.raw.split(b"\r\n")[0].split(b"?")[0].endswith(_OPEN)
    if not sent.known and status not in ("", "400", "401", "413") and not open_to_all:
        return f"status {status} without the token"
    return None


@contextlib.contextmanager
def fuzzed_service(folder: Path, seed: int = 1) -> Iterator[tuple[int, Requests]]:
    """The port of a service over a small store, and requests for it."""
    store = folder / "store.duckdb"
    with writing(store, "test") as db:
        memories = Memories(db)
        memories.add("core://a", priority=0, keywords=["refund", "x", "%"], views={"gist": "money back"})
        memories.add("ops://secret", priority=1, keywords=[SECRET], views={"question": SECRET})
    token = folder / "token"
    token.write_text(TOKEN, encoding="utf-8")
    with running(store, "--token-file", str(token)) as (address, _):
        headers = {"Authorization": f"Bearer {TOKEN}"}
        schema = httpx2.get(f"{address}/openapi.json", headers=headers).raise_for_status().json()
        yield int(address.rpartition(":")[2]), Requests(schema, seed)
        with httpx2.Client(base_url=address, headers=headers, timeout=300) as client:  # it goes on as if nothing was
            assert client.get("/health").json()["status"] == "ok"
            assert SECRET in client.get("/api/browse/search", params={"query": SECRET}).text


def fuzzed(port: int, requests: Requests, numbers: Sequence[int]) -> tuple[Counter[str], list[str]]:
    """How many answers there were by status, and what was wrong with which request."""
    statuses: Counter[str] = Counter()
    wrong: list[str] = []

    def send(number: int) -> None:
        sent = requests(number)
        answer = answered(port, sent)
        statuses[f"{'' if sent.known else 'no token, '}{answer[9:12].decode('latin-1') or 'hung up'}"] += 1
        if found := fault(sent, answer):
            wrong.append(f"request {number}: {found}: {sent.raw[:200]!r} got {answer[:300]!r}")

    with ThreadPoolExecutor(THREADS) as threads:
        list(threads.map(send, numbers))
    return statuses, wrong
