"""Sessions of agents at a running service, as the programs of four hosts have them: hooks, MCP and HTTP."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
from hook_output import context_of
from mcp import Client, StdioServerParameters, stdio_client
from served import WORKBENCH, environment

from workbench.hooks.hosts import START, SUBMIT

_BLOCK = re.compile(r'<recall session_id="([^"]+)" query_id="([^"]+)">\n(.*?)\n</recall>', re.DOTALL)
Call = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class Block:
    """A recall block as an agent reads it."""

    session_id: str
    query_id: str
    uris: tuple[str, ...]

    @property
    def identifiers(self) -> dict[str, str]:
        """What is handed over with an address of the block."""
        return {"session_id": self.session_id, "query_id": self.query_id}


def blocks(context: str) -> list[Block]:
    """The recall blocks in what an agent reads."""
    return [
        Block(session, query, tuple(line.split(" | ")[1] for line in lines.splitlines()))
        for session, query, lines in _BLOCK.findall(context)
    ]


@dataclass(frozen=True)
class Agent:
    """An agent in the session `session` of a host, whose hooks and tools ask the service at `address`."""

    host: str
    session: str
    address: str
    store: Path
    folder: Path

    def starts(self) -> list[Block]:
        """The session starts; the blocks that it starts with."""
        return blocks(self._hook(START))

    def asks(self, prompt: str) -> Block | None:
        """A prompt is sent; its block, None where recall shows nothing."""
        found = blocks(self._hook(SUBMIT, prompt=prompt))
        return found[0] if found else None

    def _hook(self, event: str, **said: str) -> str:
        given = {"session_id": self.session, "cwd": str(self.folder), **said}
        ended = subprocess.run(
            [sys.executable, "-P", "-m", "workbench.hooks", self.host, event, "--db", str(self.store),
             "--url", self.address, "--limit", "10"],
            input=json.dumps(given).encode(), env={**os.environ, **environment()}, cwd=self.folder,
            capture_output=True, check=False,
        )  # fmt: skip
        assert (ended.returncode, ended.stderr) == (0, b"")
        return context_of(self.host, event, ended.stdout.decode())

    def over_http(self, method: str, place: str, **body: Any) -> dict[str, Any]:
        """One request to the API, in the name of the agent."""
        said = {"session_id": self.session, "client_type": self.host, **body}
        address = f"{self.address}/api/browse/{place}"
        with httpx2.Client(timeout=60) as client:
            answer = client.get(address, params=said) if method == "GET" else client.post(address, json=said)
        found: dict[str, Any] = answer.raise_for_status().json()
        return found

    def over_mcp(self, calls: Sequence[Call]) -> list[str]:
        """Tools called one after the other over streamable HTTP; what each said."""
        from mcp.client.streamable_http import streamable_http_client

        return asyncio.run(_called(streamable_http_client(f"{self.address}/mcp?client_type={self.host}"), calls))

    def over_stdio(self, calls: Sequence[Call]) -> list[str]:
        """The same in a server of the agent's own, beside the service."""
        arguments = ["serve", "--stdio", "--session-id", self.session, "--client", self.host, "--db", str(self.store)]
        server = StdioServerParameters(
            command=WORKBENCH[0], args=[*WORKBENCH[1:], *arguments], env={**os.environ, **environment()}
        )
        return asyncio.run(_called(stdio_client(server), calls))


async def _called(transport: Any, calls: Sequence[Call]) -> list[str]:
    async with Client(transport) as client:
        results = [await client.call_tool(name, arguments) for name, arguments in calls]
    return [str(result.content[0].text) for result in results if hasattr(result.content[0], "text")]
