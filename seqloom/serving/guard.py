"""What every request passes before a route sees it: who may ask, how much, and what every answer says of itself."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Iterable, MutableMapping, Sequence
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from seqloom.serving.logs import log, report
from seqloom.serving.refusal import LIBRETRANSLATE, Refusal, broken, over
from seqloom.serving.server import Server

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

ALWAYS = {
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""Headers of every answer that does not say otherwise."""
LOOPBACK = ("localhost", "127.0.0.1", "::1")
OPEN = frozenset({"/", "/health", "/languages", "/frontend/settings"})
"""What needs no key."""
WHILE_DRAINING = ("/health", "/metrics")
WORK = frozenset({"/api/predict", "/api/explain", "/api/vectors", "/translate", "/v1/completions"})
"""Paths whose requests wait in the queue: while it is full they are refused before they are read."""


class Guard:
    """An ASGI application around another one."""

    def __init__(self, app: App, server: Server, hosts: Sequence[str], paths: Iterable[str]) -> None:
        self.app, self.server = app, server
        self.hosts = {host.lower().strip("[]") for host in (*LOOPBACK, *hosts)}
        self.paths = frozenset(paths)
        """Those that are counted by name."""
        self.busy = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        began, told = time.monotonic(), Told(send)
        bound = ""
        try:
            await self.admit(scope, receive, told)
        except Refusal as refusal:
            bound = refusal.bound
            await told.refuse(refusal, scope["path"])
        except Exception as error:
            report(error)
            await told.refuse(broken(), scope["path"])
        path = scope["path"] if scope["path"] in self.paths else "other"
        seconds = time.monotonic() - began
        self.server.figures.request(path, told.status, seconds, bound or told.bound)
        log.info("%s %s %d %.0f ms", scope["method"], path, told.status, seconds * 1000)

    async def admit(self, scope: Scope, receive: Receive, told: Told) -> None:
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        self.check_host(headers.get("host", ""), headers.get("origin"))
        self.check_key(scope["path"], headers.get("authorization", ""))
        if self.server.draining and scope["path"] not in WHILE_DRAINING:
            raise Refusal(503, "the server is stopping", retry_after=5)
        self.check_crowd(scope["path"])
        self.busy += 1
        try:
            body = await self.read(headers.get("content-length", ""), receive)
            await self.app(scope, replay(body, receive), told)
        finally:
            self.busy -= 1

    def check_crowd(self, path: str) -> None:
        if self.busy >= self.server.bounds.requests and path not in WHILE_DRAINING:
            most = self.server.bounds.requests
            raise Refusal(503, f"{most} requests are being worked on", bound="requests", retry_after=1)
        if path in WORK:
            self.server.desk.check_room(1)

    def crowded(self, path: str) -> Refusal | None:
        """Why a request for work need not be read now, if so; see `Connection.crowded`."""
        if path not in WORK:
            return None
        try:
            self.check_crowd(path)
        except Refusal as refusal:
            self.server.figures.request(path, refusal.status, 0.0, refusal.bound)
            log.info("POST %s %d 0 ms", path, refusal.status)
            return refusal
        return None

    def check_host(self, host: str, origin: str | None) -> None:
        """A page of another site must not speak to this server, whatever name it gives to our address."""
        name = name_in(f"//{host}")
        if name not in self.hosts:
            raise Refusal(
                403, f"the Host {host!r:.80} is not one of this server; start it with --allow-host {name:.80}"
            )
        if origin is not None and urlsplit_netloc(origin) != host.lower():
            raise Refusal(403, f"requests from {origin!r:.80} are not answered")

    def check_key(self, path: str, authorization: str) -> None:
        """Who has no key is sent away before anything is read; LibreTranslate's clients may have it in the body."""
        if path in OPEN or (path in LIBRETRANSLATE and not authorization):
            return
        scheme, _, key = authorization.partition(" ")
        self.server.check_key(key.strip() if scheme.lower() == "bearer" else "")

    async def read(self, length: str, receive: Receive) -> bytes:
        """The whole body, in time, and no more of it than is allowed."""
        bounds = self.server.bounds
        if length.isdecimal() and int(length) > bounds.body_bytes:
            raise over("body_bytes", bounds.body_bytes, f"a body of {int(length):,} bytes")
        parts: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(bounds.body_seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise Refusal(499, "the client is gone")
                    parts.append(message.get("body", b""))
                    size += len(parts[-1])
                    if size > bounds.body_bytes:
                        raise over("body_bytes", bounds.body_bytes, f"a body of more than {size:,} bytes")
                    if not message.get("more_body"):
                        return b"".join(parts)
        except TimeoutError:
            what = f"the body did not arrive within {bounds.body_seconds:g} seconds"
            raise Refusal(408, what, bound="body_seconds") from None


class Told:
    """`send`, with headers that every answer has; knows what was said."""

    def __init__(self, send: Send) -> None:
        self.send = send
        self.status = 0
        self.bound = ""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            given = {name.lower() for name, _ in message.get("headers", [])}
            more = [(name.encode(), value.encode()) for name, value in ALWAYS.items() if name.encode() not in given]
            bound = dict(message.get("headers", [])).get(b"x-seqloom-bound", b"")
            self.bound = bound.decode()
            message = {**message, "headers": [*message.get("headers", []), *more]}
        await self.send(message)

    async def refuse(self, refusal: Refusal, path: str) -> None:
        """Say no, if nothing was said yet."""
        if self.status:
            return
        body = json.dumps(refusal.body(path), ensure_ascii=False).encode()
        headers = {"content-type": "application/json", "content-length": str(len(body)), **refusal.headers()}
        if refusal.status in (408, 413):
            headers["connection"] = "close"  # what is left of the body is not read
        raw = [(name.encode(), value.encode()) for name, value in headers.items()]
        await self({"type": "http.response.start", "status": refusal.status, "headers": raw})
        await self({"type": "http.response.body", "body": body})


def replay(body: bytes, receive: Receive) -> Receive:
    """A `receive` that hands out a body that was read already; after it, what comes from the client."""
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


def name_in(address: str) -> str:
    """The host in //host:port, without its port; empty if there is none."""
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""


def urlsplit_netloc(origin: str) -> str:
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
