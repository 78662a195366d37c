"""How the server says no."""

from __future__ import annotations

import re
from typing import Any

from seqloom.errors import SeqloomError


class Refusal(Exception):
    """A request that is not answered: the status, why, and the bound that was passed, if it was one."""

    def __init__(self, status: int, message: str, *, bound: str = "", retry_after: int = 0) -> None:
        super().__init__(message)
        self.status, self.message, self.bound, self.retry_after = status, message, bound, retry_after

    def body(self, path: str = "") -> dict[str, Any]:
        """As JSON, in the form that clients of a path expect."""
        bound = {"bound": self.bound} if self.bound else {}
        if path in LIBRETRANSLATE:
            return {"error": self.message, **bound}
        if path.startswith("/v1/"):
            kind = "invalid_request_error" if self.status < 500 and self.status != 429 else "server_error"
            return {"error": {"message": self.message, "type": kind, "param": None, "code": None, **bound}}
        return {"error": {"message": self.message, **bound}}

    def headers(self) -> dict[str, str]:
        found = {"retry-after": str(self.retry_after)} if self.retry_after else {}
        return {**found, "www-authenticate": "Bearer"} if self.status == 401 else found


def broken() -> Refusal:
    """An error of ours, of which a client hears nothing more."""
    return Refusal(500, "an error of the server; it was written down")


LIBRETRANSLATE = ("/translate", "/languages", "/detect", "/frontend/settings")


def mistake(error: SeqloomError) -> Refusal:
    """A mistake of the user's, in one line."""
    return Refusal(422, re.sub(r"\s*\n\s*(-> )?", "; ", str(error)))


def over(bound: str, most: float, given: str, status: int = 413) -> Refusal:
    """More than is allowed."""
    return Refusal(status, f"{given}: at most {most:,} ({bound})", bound=bound)
