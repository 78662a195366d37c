"""The ASGI application: routes, error handlers, and the middleware before them."""

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

from seqloom.serving.api import libretranslate, native, openai, runs, status, studio
from seqloom.serving.api.common import bearer
from seqloom.serving.errors import APIError, internal_error
from seqloom.serving.middleware import RequestMiddleware
from seqloom.serving.openapi import openapi_schema
from seqloom.serving.service import InferenceService
from seqloom.serving.studio_page import CONTENT_SECURITY_POLICY, studio_page

SWITCH_INTERVAL = 0.001
"""Seconds after which a thread lets another one run: two share the interpreter, and each waits for the other often."""
LAST_STEP_SECONDS = 10.0
"""Seconds that the decoding step under way may take at shutdown."""


def make_app(service: InferenceService, hosts: Sequence[str] = ()) -> RequestMiddleware:
    """An application for a server that answers under these names, beside those of this machine."""
    routes = FastAPI(
        title="seqloom",
        version=version("seqloom"),
        description="Trained sequence models: seqloom's own API, LibreTranslate's and OpenAI's.",
        docs_url=None,  # its page would load scripts from elsewhere
        redoc_url=None,
        lifespan=lifespan,
    )
    routes.state.service = service
    paths = ["/", "/openapi.json"]
    with_key = [Depends(bearer)] if service.key else []
    for router, needs in (
        (native.router, with_key),
        (studio.router, with_key),
        (runs.router, with_key),
        (libretranslate.router, []),  # its clients send the key in the body
        (openai.router, with_key),
        (status.router, with_key),
        (status.public_router, []),
    ):
        routes.include_router(router, dependencies=needs)
        paths += [route.path for route in router.routes if isinstance(route, APIRoute)]

    @routes.get("/", include_in_schema=False)
    async def index() -> Response:
        return HTMLResponse(studio_page(service), headers={"content-security-policy": CONTENT_SECURITY_POLICY})

    @routes.exception_handler(APIError)
    async def api_error(request: Request, error: APIError) -> Response:
        return error_response(error, request.url.path)

    @routes.exception_handler(RequestValidationError)
    async def invalid_request(request: Request, error: RequestValidationError) -> Response:
        return error_response(APIError(422, "; ".join(field_errors(error.errors()))), request.url.path)

    @routes.exception_handler(UnicodeEncodeError)
    async def lone_surrogate(request: Request, error: UnicodeEncodeError) -> Response:
        return error_response(APIError(422, "a text has a lone surrogate: half a character"), request.url.path)

    @routes.exception_handler(Exception)
    async def unexpected(request: Request, error: Exception) -> Response:
        return error_response(internal_error(), request.url.path)

    @routes.exception_handler(HTTPException)
    async def http_exception(request: Request, error: HTTPException) -> Response:
        found = error_response(APIError(error.status_code, str(error.detail)), request.url.path)
        found.headers.update(error.headers or {})
        return found

    routes.openapi = partial(openapi_schema, routes, service)  # type: ignore[method-assign]
    return RequestMiddleware(routes, service, hosts, paths)


@asynccontextmanager
async def lifespan(routes: FastAPI) -> AsyncIterator[None]:
    """While the application runs, so does the scheduler's thread."""
    service: InferenceService = routes.state.service
    service.scheduler.thread.start()
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_INTERVAL)
    try:
        yield
    finally:
        sys.setswitchinterval(before)
        service.close()
        # the process must not end in the midst of a step
        await asyncio.to_thread(service.scheduler.thread.join, LAST_STEP_SECONDS)


def error_response(error: APIError, path: str) -> JSONResponse:
    bound = {"x-seqloom-bound": error.bound} if error.bound else {}
    return JSONResponse(error.body(path), error.status, {**error.headers(), **bound})


def field_errors(errors: Iterable[Mapping[str, Any]]) -> list[str]:
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
