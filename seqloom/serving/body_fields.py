"""The fields of a body that may be JSON or a form."""

from __future__ import annotations

from typing import Any

from starlette.formparsers import MultiPartException
from starlette.requests import Request

from seqloom.serving.errors import APIError

FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


async def body_fields(request: Request) -> tuple[dict[str, Any], bool]:
    """The fields of a body, and whether it is a form."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    try:
        if kind in FORMS:
            form = await request.form()
            return {name: several if len(several := form.getlist(name)) > 1 else several[0] for name in form}, True
        body = await request.body()
        values = await request.json() if body else {}
    except (ValueError, MultiPartException, RecursionError):
        raise APIError(400, "Invalid request: the body is neither JSON nor a form") from None
    if not isinstance(values, dict):
        raise APIError(400, "Invalid request: the body is not an object")
    return values, False
