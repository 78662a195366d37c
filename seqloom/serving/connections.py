"""One client's connection: uvicorn's HTTP/1.1, with a bound on all that a client can do slowly or too much of."""

from __future__ import annotations

import asyncio
import json
import re
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, ClassVar, cast
from urllib.parse import unquote

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from seqloom.serving.errors import APIError, internal_error
from seqloom.serving.logs import log_error

if TYPE_CHECKING:
    from seqloom.serving.http_server import HTTPSettings

SPARE = 100
"""Connections over the bound that are told so; those over these are cut without a word."""
LINGER_SECONDS = 2
"""Seconds in which a client may read the last answer before its connection is cut."""
LEAST = 16_384
"""Bytes of an answer that a client has to take within `send_seconds`."""
POST = re.compile(rb"POST (/[\w/]*)[ ?]")
STOPPING = APIError(503, "the server is stopping", retry_after=5)


class Connection(H11Protocol):
    """HTTP on one connection. Whenever the next step is the client's, a timer runs.

    made ──▶ head ──whole──▶ answering ──done──▶ idle ──first byte──▶ head
              │ header_seconds    │ send_seconds   │ keep_alive_seconds
              ▼                   ▼                ▼
             408                 cut             closed
    """

    bounds: ClassVar[HTTPSettings]
    reading: asyncio.TimerHandle | None = None
    """Runs while a head is awaited, or the rest of a body that was answered already."""
    sending: asyncio.TimerHandle | None = None
    """Runs while the client has not read all that was written."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's
        transport.set_write_buffer_limits(high=0)  # so that `pause_writing` means: not everything is sent
        self.polite = Polite(transport, self.loop)
        super().connection_made(cast(asyncio.Transport, self.polite))
        most = self.bounds.connections
        if len(self.connections) > most + SPARE:
            transport.abort()
        elif len(self.connections) > most:
            self.refuse(APIError(503, f"{most:,} connections are open", bound="connections", retry_after=1))
        else:
            self.watch()

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        begins = not self.answering() and not self.conn.trailing_data[0]
        if begins and (path := posted(data)) and (refusal := self.overloaded(path)) is not None:
            self.refuse(refusal, path)
            return
        super().data_received(data)
        self.watch()

    def overloaded(self, path: str) -> APIError | None:
        """Why a request for a path need not be read now, if so: asked before its head is parsed, so a no is cheap."""
        return None

    def connection_lost(self, exc: Exception | None) -> None:
        for timer in (self.reading, self.sending, self.polite.lingering, self.timeout_keep_alive_task):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    # --- the client is slow ---------------------------------------------------------------------------

    def watch(self) -> None:
        """Let the timer of a head run exactly while one is awaited."""
        if self.answering() or self.transport.is_closing():
            if self.reading is not None:
                self.reading.cancel()
            self.reading = None
        elif self.reading is None:
            self.reading = self.loop.call_later(self.bounds.header_seconds, self.no_head)

    def answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def no_head(self) -> None:
        what = f"the headers did not arrive within {self.bounds.header_seconds} seconds"
        self.leave(APIError(408, what, bound="header_seconds"))

    def pause_writing(self) -> None:
        super().pause_writing()
        self.await_reader()

    def await_reader(self) -> None:
        left = self.transport.get_write_buffer_size()
        self.sending = self.loop.call_later(self.bounds.send_seconds, self.not_read, left)

    def not_read(self, before: int) -> None:
        if self.transport.get_write_buffer_size() > before - LEAST:
            self.transport.abort()
        else:
            self.await_reader()

    def resume_writing(self) -> None:
        super().resume_writing()
        if self.sending is not None:
            self.sending.cancel()
        if self.transport.is_closing():
            self.polite.linger()

    def timeout_keep_alive_handler(self) -> None:
        self.polite.transport.close()

    # --- saying no ------------------------------------------------------------------------------------

    def send_400_response(self, msg: str) -> None:
        """What h11 cannot read."""
        if len(self.conn.trailing_data[0]) > self.bounds.header_bytes:
            self.refuse(too_large(self.bounds.header_bytes))
        else:
            self.refuse(APIError(400, "the request is not valid HTTP/1.1"))

    def shutdown(self) -> None:
        """The server stops: finish what has arrived whole, refuse the rest."""
        if not self.answering():
            self.leave(STOPPING)
        elif self.cycle.more_body and not self.cycle.response_started:
            self.refuse(STOPPING)
        else:
            self.cycle.keep_alive = False

    def leave(self, refusal: APIError) -> None:
        """Close; who began to ask is told why."""
        if self.conn.trailing_data[0]:
            self.refuse(refusal)
        else:
            self.polite.transport.close()  # there is nothing to read first

    def refuse(self, refusal: APIError, path: str = "") -> None:
        if self.transport.is_closing():
            return
        if self.answering():
            if self.cycle.response_started:
                self.transport.abort()
                return
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        headers, body = spelled(refusal, path)
        first = f"HTTP/1.1 {refusal.status} {HTTPStatus(refusal.status).phrase}".encode()
        self.transport.write(b"\r\n".join([first, *(b": ".join(pair) for pair in headers), b"", body]))
        self.transport.close()


class Polite:
    """A transport that stops writing, and lets the client read before it is cut.

    A socket that is closed while something still comes in is reset, and the client loses an answer it has not read:
    one that says that its headers or its body are too large, for example.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self.transport, self.loop = transport, loop
        self.closing = False
        self.lingering: asyncio.TimerHandle | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.transport, name)

    def is_closing(self) -> bool:
        return self.closing or self.transport.is_closing()

    def close(self) -> None:
        if self.is_closing():
            return
        self.closing = True
        self.transport.resume_reading()  # to throw it away, and to see the end
        self.transport.write_eof()
        if not self.transport.get_write_buffer_size():
            self.linger()

    def linger(self) -> None:
        self.lingering = self.loop.call_later(LINGER_SECONDS, self.transport.abort)


def posted(data: bytes) -> str:
    """The path of a POST that begins here; empty if it is something else."""
    found = POST.match(data)
    return found[1].decode() if found else ""


# --- heads that h11 lets through ----------------------------------------------------------------------


def checked(app: ASGIApp, header_bytes: int) -> ASGIApp:
    """An application that sees only heads that are in order; its errors are told without what they say."""

    async def check(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        started = False

        async def noted(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)
            if message.get("more_body"):
                await asyncio.sleep(0)  # a client that is gone takes all at once: without this nobody else has a turn

        try:
            await app(understood(scope, header_bytes), receive, noted)
        except APIError as refusal:
            await say(refusal, send)
        except asyncio.CancelledError:
            pass  # the grace time is over, the connection cut
        except Exception as error:
            log_error(error)
            if not started:
                await say(internal_error(), send)

    return check


def understood(scope: Scope, header_bytes: int) -> Scope:
    """A request as the application knows it: its target is a path, `Host` the name that was asked for."""
    headers, target = scope["headers"], scope["raw_path"]
    names = {name for name, _ in headers}
    size = len(target) + len(scope["query_string"]) + sum(len(name) + len(value) + 4 for name, value in headers)
    if size > header_bytes:
        raise too_large(header_bytes)
    if scope["http_version"] not in ("1.0", "1.1"):
        raise APIError(505, "this server speaks HTTP/1.1")
    if {b"transfer-encoding", b"content-length"} <= names:  # readers that disagree on the end of a body: smuggling
        raise APIError(400, "Transfer-Encoding and Content-Length together")
    if target.startswith(b"/") or target == b"*":
        return scope
    scheme, _, rest = target.partition(b"://")
    host, _, path = rest.partition(b"/")
    if scheme.lower() not in (b"http", b"https") or not host:
        raise APIError(400, "the target is not a path")
    path = b"/" + path
    others = [(name, value) for name, value in headers if name != b"host"]
    return {**scope, "raw_path": path, "path": unquote(path.decode("ascii")), "headers": [(b"host", host), *others]}


def too_large(header_bytes: int) -> APIError:
    return APIError(431, f"the headers have more than {header_bytes:,} bytes", bound="header_bytes")


async def say(refusal: APIError, send: Send) -> None:
    headers, body = spelled(refusal)
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def spelled(refusal: APIError, path: str = "") -> tuple[list[tuple[bytes, bytes]], bytes]:
    """Headers and body; the connection ends with a refusal."""
    body = json.dumps(refusal.body(path)).encode()
    named = {"content-type": "application/json", "content-length": str(len(body)), "connection": "close"}
    return [(name.encode(), value.encode()) for name, value in {**named, **refusal.headers()}.items()], body
