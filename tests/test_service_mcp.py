"""The MCP tools, by the official client: in memory, over standard input and output, and over HTTP."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import httpx2
import pytest
from golden_search import check, golden
from mcp import Client, StdioServerParameters, stdio_client
from served import GOLDEN_NOW, WORKBENCH, environment, memory_store, running
from worlds import copy_of

from workbench.agents import Caller, Lore, Recalled
from workbench.folding import fold
from workbench.service.mcp import mcp_server
from workbench.store import reading

pytestmark = pytest.mark.conformance
PROMPT = "how are webhook retries deduplicated?"
URI = "project://checkout_api/webhooks"


@pytest.fixture
def path(conformance: Path, tmp_path: Path) -> Path:
    return copy_of(memory_store(conformance), tmp_path)


def called(result: Any) -> str:
    assert not result.is_error, result
    return str(result.content[0].text)


def opens(path: Path) -> list[tuple[Any, ...]]:
    fold(path)
    with reading(path) as db:
        columns = "uri, session_id, client_type, given_query_id IS NOT NULL, found"
        return db.rows(f"SELECT {columns} FROM wb.agent_opens ORDER BY opened_at, uri")


def test_every_golden_search_is_equal(path: Path, conformance: Path) -> None:
    async def compare(lore: Lore) -> int:
        async with Client(mcp_server(lore)) as client:
            records = golden(conformance, "simple")
            for record in records[::3]:
                result = await client.call_tool("lore_search", {"query": record["query"], **record["options"]})
                check(record, json.loads(called(result)))
                assert result.structured_content == json.loads(called(result))
        return len(records[::3])

    with Lore(path, clock=lambda: GOLDEN_NOW) as lore:
        assert asyncio.run(compare(lore)) == 26


def test_an_agent_session_over_one_connection(path: Path) -> None:
    async def session(lore: Lore, query_id: str | None) -> None:
        async with Client(mcp_server(lore)) as client:
            tools = {tool.name: tool.description for tool in (await client.list_tools()).tools}
            assert tools.keys() == {"lore_search", "lore_get_node", "lore_boot"}
            assert "unchanged" in (tools["lore_get_node"] or "")
            assert "core://agent" in called(await client.call_tool("lore_boot", {"runtime": "codex"}))
            given = {"session_id": "s1", "query_id": query_id}
            assert "Idempotency-Key" in called(await client.call_tool("lore_get_node", {"uri": URI, **given}))
            called(await client.call_tool("lore_get_node", {"uri": "ops://redis"}))
            missing = await client.call_tool("lore_get_node", {"uri": "ops://nowhere"})
            assert missing.is_error
            assert (await client.call_tool("lore_search", {"query": "x", "mode": "wrong"})).is_error
            assert (await client.call_tool("lore_get_node", {"uri": 5})).is_error

    with Lore(path) as lore:
        found = lore.recall(PROMPT, Caller("s1"))
        assert isinstance(found, Recalled)
        asyncio.run(session(lore, found.query_id))
    # An agent that named its session once is in it for the rest of its connection.
    assert opens(path) == [
        (URI, "s1", "mcp", True, True), ("ops://redis", "s1", "mcp", False, True),
        ("ops://nowhere", "s1", "mcp", False, False),
    ]  # fmt: skip
    with reading(path) as db:
        assert db.rows("SELECT used_count FROM recall_queries") == [(1,)]


def test_standard_input_and_output(path: Path) -> None:
    async def session() -> str:
        arguments = [*WORKBENCH[1:], "serve", "--stdio", "--session-id", "s7", "--client", "codex", "--db", str(path)]
        server = StdioServerParameters(command=WORKBENCH[0], args=arguments, env={**os.environ, **environment()})
        async with Client(stdio_client(server)) as client:
            return called(await client.call_tool("lore_get_node", {"uri": "ops://redis"}))

    assert "noeviction" in asyncio.run(session())
    assert opens(path) == [("ops://redis", "s7", "codex", False, True)]


def test_streamable_http_with_a_token(path: Path, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("token-of-this-very-test\n", encoding="utf-8")

    async def session(address: str) -> str:
        from mcp.client.streamable_http import streamable_http_client

        headers = {"Authorization": "Bearer token-of-this-very-test"}
        async with httpx2.AsyncClient(headers=headers) as http:
            transport = streamable_http_client(f"{address}/mcp?client_type=codex", http_client=http)
            async with Client(transport) as client:
                return called(await client.call_tool("lore_get_node", {"uri": "ops://redis", "session_id": "s2"}))

    with running(path, "--token-file", str(token)) as (address, process):
        assert httpx2.post(f"{address}/mcp", json={}).status_code == 401
        assert "noeviction" in asyncio.run(session(address))
        process.terminate()
        assert process.wait(30) == 0
    # A service that is asked to end takes in what it recorded.
    with reading(path) as db:
        assert db.rows("SELECT uri, session_id, client_type FROM wb.agent_opens") == [("ops://redis", "s2", "codex")]


def test_a_kill_loses_no_acknowledged_event(path: Path) -> None:
    known: list[str] = []
    opened = 0
    with running(path) as (address, process), httpx2.Client(base_url=address) as client:
        for number in range(12):
            found = client.post("/api/browse/recall", json={"query": PROMPT, "session_id": f"s{number}"}).json()
            known.append(found["query_id"])
            given = {"uri": URI, "query_id": found["query_id"]}
            opened += client.get("/api/browse/node", params=given).json()["used"] == "counted"
        process.kill()
    assert opened == 12
    fold(path)
    with reading(path) as db:
        rows = dict(db.rows("SELECT query_id, used_count FROM recall_queries"))
    assert rows == dict.fromkeys(known, 1)
