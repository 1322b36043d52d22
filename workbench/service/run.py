"""Start the service and let it run."""

from __future__ import annotations

import logging
import signal
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from workbench.agents import Lore
from workbench.agents.canary import Canary
from workbench.errors import BadInput
from workbench.folding import fold
from workbench.service.guard import checked_token
from workbench.store import Inbox

DEFAULT_PORT = 18901


@dataclass(frozen=True)
class Serving:
    """Where the service listens, whom it answers, and under which configuration."""

    host: str = "localhost"
    port: int = DEFAULT_PORT
    token: str | None = None
    canary: Canary | None = None
    lanes: int = 2

    def __post_init__(self) -> None:
        """Refuse to be readable to others without a token, and a weak one."""
        checked_token(self.token, self.host)


def serve(path: Path, serving: Serving, listening: Callable[[], None] = lambda: None) -> None:
    """Answer over HTTP until the process is told to end, then take the inbox in; `listening` is called when it answers.
    BadInput where it cannot listen."""
    import uvicorn

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if self.started:
                listening()

    from workbench.service.http import application
    from workbench.service.mcp import mcp_server

    with Lore(path, lanes=serving.lanes, canary=serving.canary, fold=fold) as lore:
        lore.warm_up()  # a store that cannot be read is told now
        app = application(lore, mcp_server(lore), serving.token)
        config = uvicorn.Config(
            app, host=serving.host, port=serving.port, log_level="warning", server_header=False, proxy_headers=False,
            timeout_keep_alive=30, timeout_graceful_shutdown=5,
        )  # fmt: skip
        logging.getLogger("uvicorn.error").addFilter(_is_news)
        signal.signal(signal.SIGTERM, _stop)
        try:
            Server(config).run()
        except KeyboardInterrupt:  # asked to end, and it has ended in order
            pass
        except SystemExit:
            raise BadInput(
                f"Cannot listen on {serving.host}, port {serving.port}; is another service there? Choose a --port."
            ) from None
    if Inbox(path).size:
        fold(path)


def _is_news(record: logging.LogRecord) -> bool:
    """Not a port that is taken, which is told in our own words, nor what is cut off by being told to end twice."""
    return not isinstance(record.msg, OSError) and "asyncio.exceptions.CancelledError" not in str(record.msg)


def _stop(*_: object) -> None:
    raise KeyboardInterrupt


def serve_stdio(path: Path, *, session_id: str | None, client: str | None, canary: Canary | None = None) -> None:
    """Speak MCP on standard input and output until the agent closes them."""
    from workbench.service.mcp import mcp_server

    with Lore(path, canary=canary) as lore:
        lore.warm_up()
        mcp_server(lore, session_id=session_id, client=client).run("stdio")
