"""Errors that a client is told, and their JSON in each API's form."""

from __future__ import annotations

import re
from typing import Any

from seqloom.errors import SeqloomError

LIBRETRANSLATE_PATHS = ("/translate", "/languages", "/detect", "/frontend/settings")


class APIError(Exception):
    """A request that is not answered: the HTTP status, why, and the bound that was passed, if it was one."""

    def __init__(self, status: int, message: str, *, bound: str = "", retry_after: int = 0) -> None:
        super().__init__(message)
        self.status, self.message, self.bound, self.retry_after = status, message, bound, retry_after

    def body(self, path: str = "") -> dict[str, Any]:
        """As JSON, in the form that clients of a path expect."""
        bound = {"bound": self.bound} if self.bound else {}
        if path in LIBRETRANSLATE_PATHS:
            return {"error": self.message, **bound}
        if path.startswith("/v1/"):
            kind = "invalid_request_error" if self.status < 500 and self.status != 429 else "server_error"
            return {"error": {"message": self.message, "type": kind, "param": None, "code": None, **bound}}
        return {"error": {"message": self.message, **bound}}

    def headers(self) -> dict[str, str]:
        found = {"retry-after": str(self.retry_after)} if self.retry_after else {}
        return {**found, "www-authenticate": "Bearer"} if self.status == 401 else found


def internal_error() -> APIError:
    """A bug of ours; clients are told nothing more, the log has its kind and place."""
    return APIError(500, "internal error; see the server's log")


def validation_error(error: SeqloomError) -> APIError:
    """A user's mistake, in one line."""
    return APIError(422, re.sub(r"\s*\n\s*(-> )?", "; ", str(error)))


def over_bound(bound: str, maximum: float, given: str, status: int = 413) -> APIError:
    """More than a bound allows."""
    return APIError(status, f"{given}: at most {maximum:,} ({bound})", bound=bound)
