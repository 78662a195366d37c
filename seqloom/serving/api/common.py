"""What the three APIs share: request bodies, error responses, and the service as a dependency."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.security import HTTPBearer
from pydantic import BaseModel, ConfigDict, model_validator

from seqloom.config import Config
from seqloom.serving.service import InferenceService

bearer = HTTPBearer(auto_error=False, description="The key that the server was started with.")
"""For the OpenAPI schema alone: the middleware has checked the key before a route is found."""
REASONS = {
    400: "The request is not what this path takes.",
    401: "The key is missing or wrong.",
    403: "The Host or Origin is not one of this service.",
    404: "No model has this name.",
    409: "The run is not training.",
    408: "The body did not arrive in time.",
    413: "More than a bound allows.",
    422: "A field or a value that cannot be.",
    429: "The queue is full.",
    503: "No answer in time, or the server is stopping.",
}


class RequestBody(Config):
    """A JSON body with exactly the types of its schema."""

    model_config = ConfigDict(strict=True)

    @model_validator(mode="before")
    @classmethod
    def whole_numbers_are_integers(cls, given: Any) -> Any:
        """JSON has one kind of number: 3.0 is 3."""
        if not isinstance(given, dict):
            return given
        return {name: int(value) if is_whole(value) else value for name, value in given.items()}


def is_whole(value: Any) -> bool:
    return isinstance(value, float) and value.is_integer() and abs(value) < 2**53


class ErrorResponse(BaseModel):
    """Why a request was not answered."""

    error: Any
    bound: str | None = None


def error_responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """A route's errors for the OpenAPI schema; some are those of every route."""
    common = (400, 401, 403, 408, 413, 422, 429, 503)
    return {status: {"model": ErrorResponse, "description": REASONS[status]} for status in sorted({*common, *statuses})}


async def service_of(request: Request) -> InferenceService:  # FastAPI calls what is not async in another thread
    service: InferenceService = request.app.state.service
    return service


ServiceDep = Annotated[InferenceService, Depends(service_of)]
