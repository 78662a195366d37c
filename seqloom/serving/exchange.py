"""One HTTP request and its response, between h11's events and an ASGI application."""

from __future__ import annotations

import asyncio
from email.utils import formatdate
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import h11
from starlette.types import ASGIApp, Message, Scope

from seqloom.serving.errors import APIError, internal_error
from seqloom.serving.logs import log_error

if TYPE_CHECKING:
    from seqloom.serving.connections import Connection

ASGI = {"version": "3.0", "spec_version": "2.3"}


class Exchange:
    """A request that is being answered: ASGI's `receive` and `send`."""

    def __init__(self, connection: Connection, scope: Scope) -> None:
        self.connection, self.scope = connection, scope
        self.body, self.more_body = bytearray(), True
        """What has arrived of the body and was not read by the application, and whether more is to come."""
        self.head: h11.Response | None = None
        self.started = self.complete = self.disconnected = False
        """Whether the first byte of the response was written; the last; whether nobody reads it any more."""
        self.changed = asyncio.Event()

    async def run(self, app: ASGIApp) -> None:
        """Let the application answer; a client is told that it failed, not how."""
        try:
            await app(self.scope, self.receive, self.send)
            if not self.complete and not self.disconnected:
                raise RuntimeError("the application returned without a complete response")
        except Exception as error:
            log_error(error)
            if not self.complete:
                self.connection.send_error(internal_error())

    # --- from the client ------------------------------------------------------------------------------

    def feed(self, data: bytes) -> None:
        self.body += data
        self.changed.set()

    def feed_eof(self) -> None:
        self.more_body = False
        self.changed.set()

    def disconnect(self) -> None:
        self.disconnected = True
        self.changed.set()

    # --- for the application --------------------------------------------------------------------------

    async def receive(self) -> Message:
        if not self.disconnected and not self.complete:
            self.connection.want_body()
            await self.changed.wait()
            self.changed.clear()
        if self.disconnected or self.complete:
            return {"type": "http.disconnect"}
        body, self.body = bytes(self.body), bytearray()
        return {"type": "http.request", "body": body, "more_body": self.more_body}

    async def send(self, message: Message) -> None:
        await self.connection.drain()
        if self.disconnected:
            await asyncio.sleep(0)  # an application that streams on must not hold the event loop
            return
        if message["type"] == "http.response.start" and self.head is None:
            headers = [(b"date", formatdate(usegmt=True).encode()), *message.get("headers", [])]
            self.head = h11.Response(
                status_code=message["status"], headers=headers, reason=reason_of(message["status"])
            )  # sent with the first part of the body, as ASGI says
        elif message["type"] == "http.response.body" and self.head is not None and not self.complete:
            await self.send_body(self.head, message.get("body", b""), message.get("more_body", False))
        else:
            raise RuntimeError(f"unexpected ASGI message: {message['type']}")

    async def send_body(self, head: h11.Response, body: bytes, more_body: bool) -> None:
        if not more_body and self.more_body and not self.started:  # the rest of the request will not be read
            kept = [pair for pair in head.headers if pair[0] != b"connection"]
            head = h11.Response(
                status_code=head.status_code, headers=[*kept, (b"connection", b"close")], reason=head.reason
            )
        events: list[h11.Event] = [] if self.started else [head]
        events.append(h11.Data(data=b"" if self.scope["method"] == "HEAD" else body))
        if not more_body:
            events.append(h11.EndOfMessage())
        self.connection.write(*events)
        self.started, self.complete = True, not more_body
        if more_body:
            await asyncio.sleep(0)  # a quick client must not hold the event loop either
        else:
            self.changed.set()
            self.connection.response_complete()


def reason_of(status: int) -> bytes:
    try:
        return HTTPStatus(status).phrase.encode()
    except ValueError:
        return b""


# --- heads that h11 lets through ----------------------------------------------------------------------


def scope_of(request: h11.Request, addresses: dict[str, Any], header_bytes: int) -> Scope:
    """The ASGI scope of a request, with a path as its target; an error if its head is not in order."""
    headers = [(bytes(name), bytes(value)) for name, value in request.headers]
    target, version = bytes(request.target), request.http_version.decode("ascii")
    if len(target) + sum(len(name) + len(value) + 4 for name, value in headers) > header_bytes:
        raise headers_too_large(header_bytes)
    if version not in ("1.0", "1.1"):
        raise APIError(505, "this server speaks HTTP/1.1")
    if {b"transfer-encoding", b"content-length"} <= {name for name, _ in headers}:  # request smuggling
        raise APIError(400, "Transfer-Encoding and Content-Length together")
    if not target.startswith(b"/") and target != b"*":
        target, headers = origin_form(target, headers)
    if request.method == b"CONNECT":
        raise APIError(400, "this server is not a proxy")
    raw_path, _, query = target.partition(b"?")
    return {
        "type": "http",
        "asgi": ASGI,
        "http_version": version,
        "method": request.method.decode("ascii"),
        "scheme": "http",
        "path": unquote(raw_path.decode("ascii")),
        "raw_path": raw_path,
        "query_string": query,
        "root_path": "",
        "headers": headers,
        **addresses,
    }


def origin_form(target: bytes, headers: list[tuple[bytes, bytes]]) -> tuple[bytes, list[tuple[bytes, bytes]]]:
    """A whole URL as target, as proxies send it: its path, and headers whose Host is the one in the URL."""
    scheme, _, rest = target.partition(b"://")
    host, _, path = rest.partition(b"/")
    if scheme.lower() not in (b"http", b"https") or not host:
        raise APIError(400, "the target is not a path")
    return b"/" + path, [(b"host", host), *(pair for pair in headers if pair[0] != b"host")]


def headers_too_large(header_bytes: int) -> APIError:
    return APIError(431, f"the headers have more than {header_bytes:,} bytes", bound="header_bytes")
