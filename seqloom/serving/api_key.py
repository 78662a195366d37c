"""The key of a server: the one place that decides, for every path and method. Absent, empty and wrong are the same."""

from __future__ import annotations

import hmac
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.types import Receive, Scope

from seqloom.serving.body_fields import body_fields
from seqloom.serving.errors import APIError

PUBLIC_PATHS = frozenset({"/", "/health", "/languages", "/frontend/settings"})
"""Paths that need no key."""
KEY_IN_BODY = frozenset({"/translate", "/detect"})
"""Paths of LibreTranslate, whose clients send the key in the query or the body as `api_key`."""


class KeyCheck:
    """Refuses a request without the right key, before a route is looked for; without a key of its own, none."""

    def __init__(self, key: str) -> None:
        self.key = key

    def check_headers(self, scope: Scope) -> bool:
        """Check what the head of a request sends; False if the key may still come in its body, and has to."""
        if not self.key or scope["path"] in PUBLIC_PATHS:
            return True
        sent = key_in_head(scope)
        if not sent and scope["path"] in KEY_IN_BODY:
            return False
        self.check(sent)
        return True

    async def check_body(self, scope: Scope, receive: Receive) -> None:
        """Check the key in a body that was read; one that cannot be understood holds none."""
        try:
            sent = (await body_fields(Request(scope, receive)))[0].get("api_key")
        except APIError:
            sent = ""
        self.check(sent if isinstance(sent, str) else "")

    def check(self, sent: str) -> None:
        """Refuse a key that is not the right one; it takes the same time for any."""
        if not hmac.compare_digest(sent.encode("utf-8", "replace"), self.key.encode()):
            raise APIError(401, "a key is needed: send the right one as Authorization: Bearer KEY")


def key_in_head(scope: Scope) -> str:
    """The key in the header, or for LibreTranslate's paths in the query; empty if there is none."""
    values = [value.decode("latin-1") for name, value in scope["headers"] if name == b"authorization"]
    scheme, _, key = values[0].strip().partition(" ") if len(values) == 1 else ("", "", "")
    if scheme:
        return key.strip() if scheme.lower() == "bearer" else scheme
    if scope["path"] in KEY_IN_BODY:
        query: str = scope["query_string"].decode("latin-1")
        return parse_qs(query).get("api_key", [""])[-1]
    return ""
