"""The tools that agents use over MCP."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError

from workbench.agents import Caller, Lore
from workbench.agents.lifecycle import FAMILIES
from workbench.agents.memory import boot_text
from workbench.errors import WorkbenchError
from workbench.search.search import MODES
from workbench.service import VERSION

DEFAULT_CLIENT = "mcp"
REMEMBERED = 10_000
INSTRUCTIONS = """\
Long-term memories. A <recall session_id="…" query_id="…"> block in your context lists addresses that may help with the
present prompt: each line is a hint, not a fact. Open what looks relevant with lore_get_node and hand over the
session_id and query_id of that very block, unchanged: only then does Lore learn that the memory helped. Where recall
shows nothing useful, look for it with lore_search."""
_SEARCH = """\
Search the memories for something specific that recall did not bring up.

query: concrete words. mode: hybrid (words and meaning, default), keyword or semantic. domain: only addresses of this
domain. limit: how many results, 10 unless you say otherwise. content_limit: how many of them with their whole content.
session_id: the one of the recall block in your context, if you have it. Open a result with lore_get_node."""
_NODE = """\
Open the memory at an address and read it whole, before you rely on it.

uri: the address as it stands in a <recall> block, a search result or another memory, like project://checkout/webhooks.
session_id, query_id: REQUIRED when the address comes from a <recall> block: copy both from the tag of that very block,
unchanged. Leave query_id out for an address from anywhere else; keep the session_id, if you know it."""
_BOOT = """\
The start-up memories: who you are here, how you work, whom you work with. Read them once at the start of a session
where they are not in your context yet. runtime: the kind of agent that you are, e.g. claudecode, codex."""


def mcp_server(lore: Lore, *, session_id: str | None = None, client: str | None = None) -> MCPServer:
    """A server with the tools lore_search, lore_get_node and lore_boot; `session_id` and `client` are those of the one
    agent that it speaks with, where they are known."""
    server = MCPServer("lore", title="Lore recall workbench", instructions=INSTRUCTIONS, version=VERSION)
    callers = _Callers(session_id, client)

    @server.tool(description=_SEARCH)
    async def lore_search(
        ctx: Context,
        query: str,
        mode: str = "hybrid",
        domain: str | None = None,
        limit: int | None = None,
        content_limit: int | None = None,
        session_id: str | None = None,
    ) -> dict[str, Any]:
        if mode not in MODES:
            raise ToolError(f"Unknown mode; choose from {', '.join(MODES)}.")
        caller = callers.of(ctx, session_id)
        found = await _told(
            partial(
                lore.search, query, caller, mode=mode, domain=domain or None, limit=limit, content_limit=content_limit
            )
        )
        document: dict[str, Any] = found.as_json()
        return document

    @server.tool(description=_NODE)
    async def lore_get_node(ctx: Context, uri: str, session_id: str | None = None, query_id: str | None = None) -> str:
        opened = await _told(partial(lore.open, uri, callers.of(ctx, session_id), query_id, session_id))
        if opened.memory is None:
            raise ToolError(opened.text)
        return str(opened.text)

    @server.tool(description=_BOOT)
    async def lore_boot(ctx: Context, runtime: str | None = None) -> str:
        family = runtime or callers.of(ctx, None).client
        memories = await _told(partial(lore.boot, family if family in FAMILIES else None))
        return boot_text(memories) or "There are no start-up memories."

    return server


async def _told(work: Callable[[], Any]) -> Any:
    """Do blocking work; what the user can mend is told to the agent."""
    try:
        return await asyncio.to_thread(work)
    except WorkbenchError as error:
        raise ToolError(str(error)) from error


class _Callers:
    """Who calls: what an agent said of its session once holds for the rest of its connection.

    Over standard input there is one connection; over HTTP it is known where the client keeps one open.
    """

    def __init__(self, session_id: str | None, client: str | None) -> None:
        self._session, self._client = session_id, client
        self._alone = threading.Lock()
        self._said: OrderedDict[str, str] = OrderedDict()

    def of(self, ctx: Context, session_id: str | None) -> Caller:
        connection = "" if ctx.headers is None else ctx.headers.get("mcp-session-id")
        with self._alone:
            if session_id and connection is not None:
                self._said[connection] = session_id
                if len(self._said) > REMEMBERED:
                    self._said.popitem(last=False)
            session = session_id or self._said.get(connection or "") or self._session
        asked = getattr(ctx.request_context.request, "query_params", {})
        return Caller(session, self._client or asked.get("client_type") or DEFAULT_CLIENT)
