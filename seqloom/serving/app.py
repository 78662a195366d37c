"""The ASGI application: routes, and what stands before them."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from importlib.metadata import version
from typing import Any

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from seqloom.serving.api import libretranslate, openai, own, status
from seqloom.serving.api.common import bearer
from seqloom.serving.api.describing import describe
from seqloom.serving.guard import Guard
from seqloom.serving.page import POLICY, page
from seqloom.serving.refusal import Refusal, broken
from seqloom.serving.server import Server

TURN = 0.001
"""Seconds after which a thread lets another one run: two share the interpreter, and each waits for the other often."""
LAST_STEP = 10.0
"""Seconds that the step under way may take at the end."""


def make_app(server: Server, hosts: Sequence[str] = ()) -> Guard:
    """An application for a server that answers under these names, beside those of this machine."""
    routes = FastAPI(
        title="seqloom",
        version=version("seqloom"),
        description="Trained sequence models: seqloom's own API, LibreTranslate's and OpenAI's.",
        docs_url=None,  # its page would load scripts from elsewhere
        redoc_url=None,
        lifespan=working,
    )
    routes.state.server = server
    paths = ["/", "/openapi.json"]
    with_keys = [Depends(bearer)] if server.key else []
    for router, needs in (
        (own.router, with_keys),
        (libretranslate.router, []),  # looks for the key in the body too
        (openai.router, with_keys),
        (status.router, with_keys),
        (status.open_router, []),
    ):
        routes.include_router(router, dependencies=needs)
        paths += [route.path for route in router.routes if isinstance(route, APIRoute)]

    @routes.get("/", include_in_schema=False)
    async def start() -> Response:
        return HTMLResponse(page(server), headers={"content-security-policy": POLICY})

    @routes.exception_handler(Refusal)
    async def refused(request: Request, refusal: Refusal) -> Response:
        return answer(refusal, request.url.path)

    @routes.exception_handler(RequestValidationError)
    async def mistaken(request: Request, error: RequestValidationError) -> Response:
        return answer(Refusal(422, "; ".join(mistakes(error.errors()))), request.url.path)

    @routes.exception_handler(UnicodeEncodeError)
    async def halved(request: Request, error: UnicodeEncodeError) -> Response:
        return answer(Refusal(422, "half a letter (a lone surrogate) in a text"), request.url.path)

    @routes.exception_handler(Exception)
    async def failed(request: Request, error: Exception) -> Response:
        return answer(broken(), request.url.path)

    @routes.exception_handler(HTTPException)
    async def unknown(request: Request, error: HTTPException) -> Response:
        found = answer(Refusal(error.status_code, str(error.detail)), request.url.path)
        found.headers.update(error.headers or {})
        return found

    routes.openapi = partial(describe, routes, server)  # type: ignore[method-assign]
    return Guard(routes, server, hosts, paths)


@asynccontextmanager
async def working(routes: FastAPI) -> AsyncIterator[None]:
    """While the application runs, so does the thread that works."""
    server: Server = routes.state.server
    server.desk.thread.start()
    before = sys.getswitchinterval()
    sys.setswitchinterval(TURN)
    try:
        yield
    finally:
        sys.setswitchinterval(before)
        server.close()
        await asyncio.to_thread(server.desk.thread.join, LAST_STEP)  # a process must not end in the midst of a step


def answer(refusal: Refusal, path: str) -> JSONResponse:
    bound = {"x-seqloom-bound": refusal.bound} if refusal.bound else {}
    return JSONResponse(refusal.body(path), refusal.status, {**refusal.headers(), **bound})


def mistakes(errors: Iterable[Mapping[str, Any]]) -> list[str]:
    """What is wrong with each field of a body; never what was in it. Of a field that may be of several kinds, once."""
    found: dict[str, str] = {}
    for error in errors:
        if error["type"] == "json_invalid":
            return ["the body is not JSON"]
        field, *deeper = error["loc"][1:] or ["the body"]
        name = ".".join([str(field), *(str(place) for place in deeper if isinstance(place, int))])
        message = "no such field" if error["type"] == "extra_forbidden" else str(error["msg"])
        found.setdefault(name, f"{name}: {message[:1].lower()}{message[1:]}"[:300])
    return list(found.values())[:5]
