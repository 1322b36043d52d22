"""Commands of the recall system itself: open, serve, fold."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from workbench.cli.options import Config, Db, Json, existing_store
from workbench.cli.output import emit, say
from workbench.errors import BadInput
from workbench.hooks.hosts import TOKEN_VARIABLE
from workbench.text import counted

SessionId = Annotated[str | None, typer.Option(help="The session_id of the recall block, or that of the session.")]
ClientType = Annotated[str | None, typer.Option("--client", help="Client type that is recorded, e.g. claudecode.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("open")(open_command)
    app.command("serve")(serve_command)
    app.command("fold")(fold_command)


def open_command(
    uri: Annotated[str, typer.Argument(help="Address of the memory.")],
    session_id: SessionId = None,
    query_id: Annotated[str | None, typer.Option(help="The query_id of the recall block that showed it.")] = None,
    client: ClientType = None,
    db: Db = None,
    json: Json = False,
) -> None:
    """Open a memory as lore_get_node does; with the identifiers of its recall it counts as used."""
    from workbench.agents import Caller, Lore

    with Lore(existing_store(db)) as lore:
        opened = lore.open(uri, Caller(session_id, client), query_id, session_id)
    if opened.memory is None:
        raise BadInput(opened.text)
    emit({**opened.memory, "used": opened.used}, json, opened.text)
    say(f"As a use of the recall: {opened.used}.")


def serve_command(
    host: Annotated[str, typer.Option(help="Where to listen; beyond this machine only with a token.")] = "localhost",
    port: Annotated[int, typer.Option(help="Port.", min=1, max=65535)] = 18901,
    token_file: Annotated[
        Path | None, typer.Option(help=f"File with the token that clients send; else {TOKEN_VARIABLE}.")
    ] = None,
    stdio: Annotated[bool, typer.Option("--stdio", help="MCP on standard input and output, for one agent.")] = False,
    session_id: SessionId = None,
    client: ClientType = None,
    config: Config = None,
    share: Annotated[
        float, typer.Option(help="Share of the sessions, 0 to 1, that --config answers; the others: what is in force.")
    ] = 1.0,
    seed: Annotated[str, typer.Option(help="With the session it decides who gets --config; recorded.")] = "1",
    db: Db = None,
) -> None:
    """Run recall, search and memories over the store: HTTP API and MCP, until it is stopped."""
    from workbench.agents.canary import Canary
    from workbench.params.toml import read_toml
    from workbench.service.run import Serving, serve, serve_stdio

    path = existing_store(db)
    canary = Canary(read_toml(config), share, seed) if config else None
    if stdio:
        serve_stdio(path, session_id=session_id, client=client, canary=canary)
        return
    serving = Serving(host, port, _token(token_file), canary)
    told = f"Serving {path} at http://{host}:{port} (API below /api, MCP at /mcp); stop it with Ctrl-C."
    serve(path, serving, lambda: say(told))
    say("The service has ended; what it recorded is in the store.")


def fold_command(db: Db = None, json: Json = False) -> None:
    """Take what arrived one by one (recalls, opens, searches, labels) into the store."""
    from workbench.folding import fold

    folded = fold(existing_store(db))
    taken = counted(folded, "event was", "events were")
    emit({"folded": folded}, json, f"{taken} taken in." if folded else "Nothing waited.")


def _token(file: Path | None) -> str | None:
    if file is None:
        return os.environ.get(TOKEN_VARIABLE) or None
    try:
        return file.read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as error:
        raise BadInput(f"Cannot read the token from {file}; check its name and permissions.") from error
