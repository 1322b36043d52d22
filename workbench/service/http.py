"""The HTTP API: the server's shapes, answered by the recall system over a store."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import Body, FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from mcp.server import MCPServer
from starlette.exceptions import HTTPException
from starlette.responses import Response

from workbench.agents import Caller, Lore, Overrides, Recalled, Skipped
from workbench.agents.lifecycle import Event, Lifecycle
from workbench.agents.settings import change_settings, read_settings
from workbench.errors import BadInput, StoreLocked, WorkbenchError
from workbench.service import VERSION
from workbench.service.api_page import api_page
from workbench.service.guard import App, Guard
from workbench.service.shapes import DebugBody, NodeBody, RecallBody, SearchBody, SettingsBody, UsageBody

_LOG = logging.getLogger("workbench.service")
NOTICE = "notice://recall/"
Endpoint = Callable[..., Any]
Handler = Callable[[Request, Exception], Awaitable[Response]]


def application(lore: Lore, mcp: MCPServer, token: str | None) -> App:
    """Everything that `workbench serve` answers, behind the guard."""
    pages = mcp.streamable_http_app(transport_security=_guarded())

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with mcp.session_manager.run():
            yield

    app = FastAPI(
        title="Lore recall workbench", version=VERSION, docs_url=None, redoc_url=None, lifespan=lifespan,
        description="Recall, search and memories of one store.",
    )  # fmt: skip
    _answer_errors(app)
    _recall_routes(app, lore)
    _memory_routes(app, lore)
    _other_routes(app, lore)
    _page(app)
    app.mount("/", pages)
    return Guard(app, token)


def _guarded() -> Any:
    """The guard looks at hosts and origins for all that is served."""
    from mcp.server.transport_security import TransportSecuritySettings

    return TransportSecuritySettings(enable_dns_rebinding_protection=False)


def _recall_routes(app: FastAPI, lore: Lore) -> None:
    @app.post("/api/browse/recall")
    def recall(body: RecallBody) -> dict[str, Any]:
        """Recall for a prompt. It is recorded before it is answered."""
        found = lore.recall(body.query, _caller(body), overrides=_overrides(body))
        return recall_document(found, body.session_id)

    @app.post("/api/browse/recall/debug")
    def debug(body: DebugBody) -> dict[str, Any]:
        """Recall for a prompt with all candidates; nothing is recorded."""
        found = lore.recall(body.query, _caller(body), overrides=_overrides(body), record=False)
        said = recall_document(found, body.session_id)
        candidates = [] if isinstance(found, Skipped) else [dict(row) for row in found.found.candidates]
        return {**said, "event_log": {"query_id": None, "enabled": False}, "candidates": candidates}

    @app.post("/api/browse/recall/usage")
    def usage(body: UsageBody) -> dict[str, Any]:
        """Report that memories were used."""
        lore.used(body.query_id, body.node_uris, _caller(body), reported_by=body.source, preview=body.preview)
        return {"recorded": True, "query_id": body.query_id, "node_uris": body.node_uris}


def _memory_routes(app: FastAPI, lore: Lore) -> None:
    def search(body: SearchBody) -> dict[str, Any]:
        """Search the memories by words, by meaning, or both."""
        found = lore.search(
            body.query, _caller(body), mode=body.mode, domain=body.domain, limit=body.limit,
            content_limit=body.content_limit,
        )  # fmt: skip
        return found.as_json()

    def node(body: NodeBody) -> dict[str, Any]:
        """Open a memory; with the identifiers of the recall that showed it, it counts as used."""
        if not body.address:
            raise BadInput("Name the memory to open: uri, or domain and path.")
        opened = lore.open(body.address, _caller(body), body.query_id, body.session_id)
        if opened.memory is None:
            raise HTTPException(HTTPStatus.NOT_FOUND, opened.text)
        return {**opened.memory, "used": opened.used}

    _read_and_post(app, "/api/browse/search", search, SearchBody)
    _read_and_post(app, "/api/browse/node", node, NodeBody)


def _read_and_post(app: FastAPI, path: str, endpoint: Endpoint, shape: type[Any]) -> None:
    """One endpoint for GET with a query string and for POST with a body."""
    for method, source in (("GET", Query()), ("POST", Body())):

        def answer(body: Any) -> Any:
            return endpoint(body)

        answer.__annotations__ = {"body": Annotated[shape, source], "return": dict[str, Any]}
        answer.__doc__ = endpoint.__doc__
        app.add_api_route(path, answer, methods=[method], name=f"{endpoint.__name__}_{method.lower()}")


def _other_routes(app: FastAPI, lore: Lore) -> None:
    lifecycle = Lifecycle(lore)

    @app.post("/api/lifecycle/event")
    def event(body: Annotated[dict[str, Any], Body()]) -> dict[str, Any]:
        """What happens in a session: what it starts with, and the recall for a prompt."""
        return lifecycle.on(Event.of(body)).as_json()

    @app.get("/api/settings")
    def settings() -> dict[str, Any]:
        """The settings in force with their ranges."""
        return read_settings(lore.path)

    @app.put("/api/settings")
    def change(body: SettingsBody) -> dict[str, Any]:
        """Put settings in force, all of them or none."""
        return change_settings(lore.path, body.patch)

    @app.get("/health")
    @app.get("/api/health", include_in_schema=False)
    def health() -> dict[str, Any]:
        """Whether the service runs, and what it has to do without; asks for no token and tells nothing else."""
        warnings = lore.warnings()
        return {"status": "ok", **({"warnings": warnings} if warnings else {})}


def _page(app: FastAPI) -> None:
    """A page of what the service takes; it loads nothing from elsewhere."""

    @app.get("/docs", include_in_schema=False)
    def page() -> HTMLResponse:
        return HTMLResponse(api_page(app.openapi()))


def _caller(body: Any) -> Caller:
    return Caller(body.session_id, body.client_type)


def _overrides(body: RecallBody) -> Overrides:
    return Overrides(
        limit=body.limit if body.limit and body.limit > 0 else None,
        min_score=body.min_score or 0.0,
        max_display_items=body.max_display_items,
        min_display_score=body.min_display_score,
        exclude_boot=body.exclude_boot_from_results is not False,
        domain=body.domain or None,
    )


def recall_document(found: Recalled | Skipped, session_id: str | None) -> dict[str, Any]:
    """The answer to a recall. What the reader has to be told stands behind the memories, as an item of its own."""
    notices = [_notice(kind, said) for kind, said in zip(_kinds(found), found.notices, strict=True)]
    shared = {"session_id": session_id, "notices": [*found.notices], "skipped": isinstance(found, Skipped)}
    if isinstance(found, Skipped):
        return {
            "query_id": None, "items": notices, "suppressed": {"boot": 0, "score": 0}, "block": "",
            "retrieval_meta": None, "event_log": {"query_id": None, "enabled": False}, **shared,
        }  # fmt: skip
    said = found.found.as_json()
    return {
        "query_id": found.query_id,
        **said,
        "items": [*said["items"], *notices],
        "event_log": {"query_id": found.query_id, "enabled": found.query_id is not None},
        **shared,
    }


def _kinds(found: Recalled | Skipped) -> list[str]:
    return ["timeout"] if isinstance(found, Skipped) else ["query_truncated"] * len(found.notices)


def _notice(kind: str, sentence: str) -> dict[str, Any]:
    return {
        "uri": NOTICE + kind,
        "score": None,
        "score_display": None,
        "cues": [sentence],
        "matched_on": ["notice"],
    }


def _answer_errors(app: FastAPI) -> None:
    """Every refusal is one sentence; nothing of a request is sent back."""

    async def refused(_: Request, error: Exception) -> Response:
        status = HTTPStatus.CONFLICT if isinstance(error, StoreLocked) else HTTPStatus.BAD_REQUEST
        return _said(status, str(error))

    async def misshapen(_: Request, error: Exception) -> Response:
        faults = error.errors() if isinstance(error, RequestValidationError) else []
        said = [
            f"{'.'.join(str(part) for part in fault['loc'][:3])[:100]} ({fault['msg'][:200]})" for fault in faults[:5]
        ]
        return _said(HTTPStatus.UNPROCESSABLE_ENTITY, f"The request does not fit: {', '.join(said) or 'its body'}.")

    async def http(_: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else HTTPStatus.BAD_REQUEST
        return _said(status, str(getattr(error, "detail", "")))

    async def broken(_: Request, error: Exception) -> Response:
        _LOG.error("A request failed.", exc_info=error)
        return _said(HTTPStatus.INTERNAL_SERVER_ERROR, "This is a fault of the service; its log says more.")

    for kind, handler in (
        (WorkbenchError, refused), (RequestValidationError, misshapen), (HTTPException, http), (Exception, broken),
    ):  # fmt: skip
        app.add_exception_handler(kind, handler)


def _said(status: int, sentence: str) -> JSONResponse:
    return JSONResponse({"error": sentence.encode(errors="replace").decode()}, status_code=int(status))
