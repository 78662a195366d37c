"""Whether the server is there, and how it does."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST

from seqloom.serving.api.common import Served, refusals

router = APIRouter(tags=["status"])
open_router = APIRouter(tags=["status"])
"""What needs no key."""


@open_router.head("/health", include_in_schema=False)
@open_router.get("/health", responses={503: {"description": "The server is stopping, or does not work."}})
async def health(server: Served) -> Response:
    """Answers at once, whatever the models do."""
    if server.draining:
        return JSONResponse({"status": "stopping"}, 503)
    if not server.desk.thread.is_alive():
        return JSONResponse({"status": "broken"}, 503)
    return JSONResponse({"status": "ok"})


@router.get("/metrics", response_class=PlainTextResponse, responses=refusals())
async def metrics(server: Served) -> Response:
    """Figures for Prometheus."""
    return Response(server.figures.text(), media_type=CONTENT_TYPE_LATEST)
