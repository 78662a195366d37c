"""Health and metrics."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST

from seqloom.serving.api.common import ServiceDep, error_responses

router = APIRouter(tags=["status"])
public_router = APIRouter(tags=["status"])
"""Routes that need no key."""


@public_router.head("/health", include_in_schema=False)
@public_router.get("/health", responses={503: {"description": "The server is stopping, or its scheduler has failed."}})
async def health(service: ServiceDep) -> Response:
    """Answers at once, whatever the models do."""
    if service.draining:
        return JSONResponse({"status": "stopping"}, 503)
    if not service.scheduler.thread.is_alive():
        return JSONResponse({"status": "broken"}, 503)
    return JSONResponse({"status": "ok"})


@router.get("/metrics", response_class=PlainTextResponse, responses=error_responses())
async def metrics(service: ServiceDep) -> Response:
    """Metrics in Prometheus' format."""
    return Response(service.metrics.render(), media_type=CONTENT_TYPE_LATEST)
