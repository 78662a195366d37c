"""The middleware before every route: Host, Origin, key, size and time of bodies, load, security headers, metrics."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Iterable, Sequence
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from seqloom.serving.api_key import KeyCheck
from seqloom.serving.errors import APIError, internal_error, over_bound
from seqloom.serving.job import CLIENT
from seqloom.serving.logs import log, log_error
from seqloom.serving.service import InferenceService

SECURITY_HEADERS = {
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""Headers of every response that does not set them itself."""
LOOPBACK = ("localhost", "127.0.0.1", "::1")
ALWAYS_ANSWERED = ("/health", "/metrics")
"""Answered under any load; their bodies, if they have any, are not read."""
HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:[0-9]{1,5})?")
"""A name or an address, and a port; nothing else may stand in a Host header."""
QUEUED_PATHS = frozenset(
    {
        "/api/predict",
        "/api/explain",
        "/api/vectors",
        "/api/inspect",
        "/api/strips",
        "/api/attribute",
        "/translate",
        "/v1/completions",
    }
)
"""Paths whose requests wait in the scheduler's queue: while it is full they are rejected before they are read."""


class RequestMiddleware:
    """ASGI middleware that checks requests, counts them, and rejects those over a bound."""

    def __init__(self, app: ASGIApp, service: InferenceService, hosts: Sequence[str], paths: Iterable[str]) -> None:
        self.app, self.service, self.keys = app, service, KeyCheck(service.key)
        self.hosts = {host.lower().strip("[]") for host in (*LOOPBACK, *hosts)}
        self.paths = frozenset(paths)
        """Paths that are counted by name."""
        self.active_requests = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        began, response = time.monotonic(), ResponseSender(send)
        bound = ""
        try:
            await self.handle(scope, receive, response)
        except APIError as error:
            bound = error.bound
            await response.send_error(error, scope["path"])
        except Exception as error:
            log_error(error)
            await response.send_error(internal_error(), scope["path"])
        path = scope["path"] if scope["path"] in self.paths else "other"
        seconds = time.monotonic() - began
        self.service.metrics.observe_request(path, response.status, seconds, bound or response.bound)
        log.info("%s %s %d %.0f ms", scope["method"], path, response.status, seconds * 1000)

    async def handle(self, scope: Scope, receive: Receive, response: ResponseSender) -> None:
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        self.check_host(headers.get("host", ""), headers.get("origin"))
        key_is_right = self.keys.check_headers(scope)
        if self.service.draining and scope["path"] not in ALWAYS_ANSWERED:
            raise APIError(503, "the server is stopping", retry_after=5)
        client = (scope.get("client") or ("",))[0]
        CLIENT.set(client)
        self.check_load(scope["path"], client)
        self.active_requests += 1
        try:
            unread = scope["path"] in ALWAYS_ANSWERED
            body = b"" if unread else await self.read_body(headers.get("content-length", ""), receive)
            if not key_is_right:
                await self.keys.check_body(scope, replay(body, receive))
            await self.app(scope, replay(body, receive), response)
        finally:
            self.active_requests -= 1

    def check_load(self, path: str, client: str) -> None:
        if self.active_requests >= self.service.bounds.requests and path not in ALWAYS_ANSWERED:
            most = self.service.bounds.requests
            raise APIError(503, f"{most} requests are being answered", bound="requests", retry_after=1)
        if path in QUEUED_PATHS:
            self.service.scheduler.check_capacity(1, client)

    def overloaded(self, path: str, client: str = "") -> APIError | None:
        """The error for a client's request that need not be read now, if there is one; see `connections.py`."""
        if path not in QUEUED_PATHS:
            return None
        try:
            self.check_load(path, client)
        except APIError as error:
            self.service.metrics.observe_request(path, error.status, 0.0, error.bound)
            log.info("POST %s %d 0 ms", path, error.status)
            return error
        return None

    def check_host(self, host: str, origin: str | None) -> None:
        """A page of another site must not speak to this server, whatever name it gives to our address."""
        name = hostname(host)
        if name not in self.hosts:
            raise APIError(
                403, f"the Host {host!r:.80} is not one of this server; start it with --allow-host {name or 'NAME':.80}"
            )
        if origin is not None and netloc(origin) != host.lower():
            raise APIError(403, f"requests from {origin!r:.80} are not answered")

    async def read_body(self, length: str, receive: Receive) -> bytes:
        """The whole body, in time, and no more of it than is allowed."""
        bounds = self.service.bounds
        if length.isdecimal() and int(length) > bounds.body_bytes:
            raise over_bound("body_bytes", bounds.body_bytes, f"a body of {int(length):,} bytes")
        parts: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(bounds.body_seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise APIError(499, "the client is gone")
                    parts.append(message.get("body", b""))
                    size += len(parts[-1])
                    if size > bounds.body_bytes:
                        raise over_bound("body_bytes", bounds.body_bytes, f"a body of more than {size:,} bytes")
                    if not message.get("more_body"):
                        return b"".join(parts)
        except TimeoutError:
            what = f"the body did not arrive within {bounds.body_seconds:g} seconds"
            raise APIError(408, what, bound="body_seconds") from None


class ResponseSender:
    """ASGI's `send` with the security headers added; keeps the status for the metrics."""

    def __init__(self, send: Send) -> None:
        self.send = send
        self.status = 0
        self.bound = ""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            given = {name.lower() for name, _ in message.get("headers", [])}
            more = [
                (name.encode(), value.encode())
                for name, value in SECURITY_HEADERS.items()
                if name.encode() not in given
            ]
            bound = dict(message.get("headers", [])).get(b"x-seqloom-bound", b"")
            self.bound = bound.decode()
            message = {**message, "headers": [*message.get("headers", []), *more]}
        await self.send(message)

    async def send_error(self, error: APIError, path: str) -> None:
        """Send an error, unless a response has started."""
        if self.status:
            return
        body = json.dumps(error.body(path), ensure_ascii=False).encode()
        headers = {"content-type": "application/json", "content-length": str(len(body)), **error.headers()}
        if error.status in (408, 413):
            headers["connection"] = "close"  # what is left of the body is not read
        raw = [(name.encode(), value.encode()) for name, value in headers.items()]
        await self({"type": "http.response.start", "status": error.status, "headers": raw})
        await self({"type": "http.response.body", "body": body})


def replay(body: bytes, receive: Receive) -> Receive:
    """A `receive` that hands out a body that was read already; after it, what comes from the client."""
    sent = False

    async def again() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


def hostname(host: str) -> str:
    """The name or address in a Host header, without its port; empty if the header is anything else.

    >>> hostname("localhost:8000"), hostname("[::1]"), hostname("evil.com@localhost"), hostname("localhost:x")
    ('localhost', '::1', '', '')
    """
    found = HOST.fullmatch(host.lower())
    return found[1].strip("[]") if found else ""


def netloc(origin: str) -> str:
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
