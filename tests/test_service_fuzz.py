"""Hostile requests: no fault of ours, nothing of the store told, and the service goes on."""

from __future__ import annotations

import asyncio
import json
import os
import random
import string
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from mcp import Client
from memory_store import Memories
from service_fuzz import SECRET, Sent, fault, fuzzed, fuzzed_service

from workbench.agents import Lore
from workbench.folding import fold
from workbench.service.http import application
from workbench.service.mcp import mcp_server
from workbench.store import reading, writing

ODD = [
    "", " ", "\0", "\ud800", "a\udfff", "%_\\", "../../etc/passwd", "x" * 5_000, '{"$ref": 1}', "NaN", "\u202e",
    "💥" * 300, "'; DROP TABLE nodes; --", "core://a", "core://a/", "CORE://A", "boot", '<recall query_id="x">', "null",
]  # fmt: skip
HEADERS = (
    "Content-Type",
    "Accept",
    "X-Forwarded-For",
    "Cookie",
    "Content-Length-Hint",
    "Mcp-Session-Id",
    "Range",
    "Origin-Agent",
)
FUZZ = settings(
    max_examples=int(os.environ.get("WORKBENCH_FUZZ", "100")),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("fuzz") / "store.duckdb"
    with writing(store, "test") as db:
        memories = Memories(db)
        memories.add("core://a", priority=0, keywords=["refund", "x", "%"], views={"gist": "money back"})
        memories.add("ops://b", priority=1, keywords=["null", "DROP"], views={"question": 'what is {"$ref"}'})
    return store


@pytest.fixture(scope="module")
def client(path: Path) -> Iterator[TestClient]:
    with Lore(path) as lore:
        app = application(lore, mcp_server(lore), None)
        with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as found:
            yield found


@pytest.fixture(scope="module")
def schema(client: TestClient) -> dict[str, Any]:
    found: dict[str, Any] = client.get("/openapi.json").json()
    return found


def texts() -> st.SearchStrategy[str]:
    return st.one_of(st.sampled_from(ODD), st.text(max_size=30))


def anything() -> st.SearchStrategy[Any]:
    plain = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), texts())
    return st.recursive(plain, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts(), inner, max_size=3))


def fitting(shape: dict[str, Any], schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """What a part of the service's own schema allows, and now and then what it does not."""
    if "$ref" in shape:
        return fitting(schema["components"]["schemas"][shape["$ref"].rpartition("/")[2]], schema)
    if "anyOf" in shape:
        return st.one_of(*(fitting(part, schema) for part in shape["anyOf"]))
    if "enum" in shape:
        return st.sampled_from(shape["enum"])
    if shape.get("type") == "array":
        return st.lists(fitting(shape["items"], schema), max_size=4)
    if "properties" in shape:
        return _object(shape, schema)
    plain: dict[str, st.SearchStrategy[Any]] = {
        "object": st.dictionaries(texts(), anything(), max_size=4),
        "integer": st.integers(shape.get("minimum"), shape.get("maximum")),
        "number": st.floats(shape.get("minimum"), shape.get("maximum")),
        "boolean": st.booleans(),
        "null": st.none(),
        "string": texts(),
    }
    return plain.get(shape.get("type", ""), anything())


def _object(shape: dict[str, Any], schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    parts = {name: fitting(part, schema) for name, part in shape["properties"].items()}
    needed = {name: parts[name] for name in shape.get("required", ())}
    others = {name: st.one_of(part, anything()) for name, part in parts.items() if name not in needed}
    return st.fixed_dictionaries(needed, optional=others)


def bodies(path: str, method: str, schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    content = schema["paths"][path][method].get("requestBody", {}).get("content", {})
    return fitting(content["application/json"]["schema"], schema) if content else anything()


def answered(client: TestClient, method: str, path: str, **request: Any) -> None:
    response = client.request(method, path, **request)
    assert response.status_code < 500, (method, path, request, response.text)
    assert "Traceback" not in response.text
    assert "root:" not in response.text


@FUZZ
@given(st.data())
def test_bodies_like_those_of_the_schema(client: TestClient, schema: dict[str, Any], data: st.DataObject) -> None:
    operations = [(path, method) for path, methods in schema["paths"].items() for method in methods]
    path, method = data.draw(st.sampled_from(operations))
    body = data.draw(bodies(path, method, schema))
    raw = (
        json.dumps(body).encode()
        if data.draw(st.booleans())
        else json.dumps(body, ensure_ascii=False).encode(errors="surrogatepass")
    )
    answered(client, method.upper(), path, content=raw, headers={"content-type": "application/json"})


@FUZZ
@given(st.data())
def test_bytes_queries_and_headers_of_any_kind(client: TestClient, schema: dict[str, Any], data: st.DataObject) -> None:
    paths = st.sampled_from([*schema["paths"], "/mcp", "/"]) | st.text(string.printable, max_size=20).map(
        lambda t: "/" + t
    )
    path = data.draw(paths)
    odd = st.text(string.printable.strip() + " ", max_size=40)
    query = data.draw(
        st.dictionaries(st.sampled_from(["query", "uri", "domain", "path", "limit", "mode", "x"]), odd, max_size=4)
    )
    headers = data.draw(st.dictionaries(st.sampled_from(HEADERS), odd.map(str.strip), max_size=3))
    method = data.draw(st.sampled_from(["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE"]))
    try:
        request = client.build_request(
            method, path, params=query, headers=headers, content=data.draw(st.binary(max_size=60))
        )
    except Exception:  # what no client can send
        return
    response = client.send(request)
    assert response.status_code < 500, (method, path, query, headers, response.text)


def test_hostile_bytes_on_the_wire(tmp_path: Path) -> None:
    """The same requests every time; tests/benchmarks/fuzz_service.py sends 100,000."""
    with fuzzed_service(tmp_path) as (port, requests):
        statuses, wrong = fuzzed(port, requests, range(int(os.environ.get("WORKBENCH_FUZZ", "300"))))
    assert wrong == []
    assert {"200", "404", "422", "no token, 401"} <= statuses.keys()


def test_the_fuzzer_knows_what_is_wrong() -> None:
    unknown, known = Sent(b"GET /api/settings HTTP/1.1\r\n", False), Sent(b"", True)
    for sent, answer in (
        (known, b"HTTP/1.1 500 Internal"), (known, b"HTTP/1.1 200 OK\r\n\r\nTraceback"),
        (unknown, b"HTTP/1.1 200 OK\r\n\r\n{}"), (unknown, b"HTTP/1.1 401 \r\n\r\n" + SECRET.encode()),
    ):  # fmt: skip
        assert fault(sent, answer)
    assert fault(known, b"HTTP/1.1 200 OK\r\n\r\n" + SECRET.encode()) is None
    assert fault(unknown, b"HTTP/1.1 401 Unauthorized") is None


def test_deep_and_long_documents(client: TestClient) -> None:
    headers = {"content-type": "application/json"}
    for raw in (
        b"[" * 100_000, b'{"query": ' * 50_000, b'{"query": "' + b"\\ud800" * 1000 + b'"}', b"\xff\xfe",
        b'{"query": 1e999}',
        b'{"query": "x", "limit": ' + b"9" * 5_000 + b"}", b'{"patch": {"recall.weights.w_exact": NaN}}',
    ):  # fmt: skip
        for path in ("/api/browse/recall", "/api/lifecycle/event", "/api/browse/search", "/mcp"):
            answered(client, "POST", path, content=raw, headers=headers)
        answered(client, "PUT", "/api/settings", content=raw, headers=headers)


def test_tools_are_called_with_anything(path: Path) -> None:
    """Over MCP, with arguments that fit and others: a result or an error, and the connection stays."""

    async def session(lore: Lore) -> int:
        seed = random.Random(2)
        async with Client(mcp_server(lore)) as agent:
            names = [tool.name for tool in (await agent.list_tools()).tools]
            for _ in range(150):
                values: list[Any] = [*ODD, None, 10**30, -1, 1.5, True, [], {}]
                fields = (
                    "uri",
                    "query",
                    "mode",
                    "limit",
                    "content_limit",
                    "session_id",
                    "query_id",
                    "runtime",
                    "domain",
                )
                arguments = {field: seed.choice(values) for field in fields if seed.random() < 0.7}
                text = json.dumps(arguments).encode("utf-8", "replace").decode()
                await agent.call_tool(
                    seed.choice(names), json.loads(text.replace("\\ud800", "").replace("\\udfff", ""))
                )
            return len((await agent.list_tools()).tools)

    with Lore(path) as lore:
        assert asyncio.run(session(lore)) == 3


def test_what_was_recorded_of_it_can_be_taken_in(client: TestClient, path: Path) -> None:
    """Runs last: every odd text that was answered is in the inbox by now, and more."""
    seed = random.Random(1)
    headers = {"content-type": "application/json"}
    for text in ODD:
        for place, body in (
            ("recall", {"query": f"refund {text}", "session_id": seed.choice(ODD)[:300]}),
            ("recall", {"query": f"{text} refund", "client_type": seed.choice(ODD)[:300]}),
            ("recall/usage", {"query_id": text[:300], "uris": [text[:3000]]}),
            ("node", {"uri": text[:3000] or "x", "query_id": seed.choice(ODD)[:300]}),
            ("search", {"query": text}),
        ):
            answered(client, "POST", f"/api/browse/{place}", content=json.dumps(body).encode(), headers=headers)
    assert fold(path) > 0
    with reading(path) as db:
        (queries,) = db.row("SELECT count(*) FROM recall_queries")
        (memories,) = db.row("SELECT count(*) FROM memories")
    assert queries > len(ODD)
    assert memories == 2
