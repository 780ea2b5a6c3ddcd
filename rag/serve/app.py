"""The server as one ASGI application: routes at a desk, behind a guard."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from dataclasses import fields

import anyio
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from mcp.server.transport_security import TransportSecuritySettings
from starlette.exceptions import HTTPException
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from rag import __version__
from rag.library import Corpus
from rag.serve import api, mcp, openai, pages
from rag.serve.desk import Desk
from rag.serve.failures import ANTICIPATED, failure, in_openai_form, log_unexpected
from rag.serve.guard import Guard
from rag.types import Secret

log = logging.getLogger("rag.serve")
LOOPBACK = ("localhost", "127.0.0.1", "::1")


def application(
    corpus: Corpus, hosts: Collection[str] = LOOPBACK, token: Secret | None = None
) -> ASGIApp:
    """The server over a corpus, for any ASGI server; ``hosts`` and ``token`` as in ``Guard``."""
    desk = Desk(corpus)

    tools = mcp.server(desk)
    mcp_app = tools.streamable_http_app(
        stateless_http=True,
        json_response=True,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )  # the guard has looked at hosts and origins already

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with tools.session_manager.run():
            yield
        await anyio.to_thread.run_sync(desk.close)

    app = FastAPI(
        title="rag",
        version=__version__,
        summary="Ask a list of paper abstracts; every sentence rests on exact quotes.",
        lifespan=lifespan,
        docs_url=None,  # whose page loads its script from elsewhere
        redoc_url=None,
    )
    app.state.desk = desk
    app.include_router(api.router)
    app.include_router(openai.router)
    app.include_router(pages.router)
    app.mount("/static", StaticFiles(packages=[("rag.serve", "static")]))
    app.router.routes.extend(mcp_app.routes)
    for kind in (*ANTICIPATED, RequestValidationError, HTTPException, Exception):
        app.add_exception_handler(kind, _failed)
    settings = corpus.host.settings
    values = (getattr(settings, each.name) for each in fields(settings))
    secrets = [value for value in (*values, token) if isinstance(value, Secret)]

    def unexpected(error: Exception, place: str) -> None:
        log_unexpected(error, place, secrets)

    return Guard(app, hosts, token, open_paths=("/api/health",), unexpected=unexpected)


async def _failed(request: Request, error: Exception) -> Response:
    """What a client is told: a page for a person, an object for a program."""
    found = failure(error)
    if found.status >= 500 and isinstance(error, ANTICIPATED):
        log.error("%s %r: %s", request.method, request.url.path, type(error).__name__)
    if "text/html" in request.headers.get("accept", "") and request.method == "GET":
        return pages.failed(found)
    if request.url.path.startswith("/v1/"):
        found = in_openai_form(found)
    return JSONResponse(found.content, found.status, found.headers)
