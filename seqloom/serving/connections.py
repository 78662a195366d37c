"""One client's connection: HTTP/1.1 by h11 on an asyncio transport, with bounds on all a client can do slowly or often.

Whenever the next step is the client's, a timer runs:

    connected ──▶ head ──whole──▶ exchange ──done──▶ idle ──first byte──▶ head
                   │ header_seconds   │ send_seconds   │ keep_alive_seconds
                   ▼                  ▼                ▼
                  408                cut             closed
"""

from __future__ import annotations

import asyncio
import json
import re
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import h11
from starlette.types import ASGIApp

from seqloom.serving.errors import APIError
from seqloom.serving.exchange import Exchange, headers_too_large, reason_of, scope_of
from seqloom.serving.settings import HTTPSettings

SPARE = 100
"""Connections over the bound that get a 503; those over these are cut without a word."""
LINGER_SECONDS = 2
"""Seconds in which a client may read the last response before its connection is cut."""
MIN_SENT = 16_384
"""Bytes of a response that a client has to take within `send_seconds`."""
HIGH_WATER = 65_536
"""Bytes of a body that are held before the application has read them."""
FREE_CHUNKS, MIN_CHUNK = 4_096, 32
"""Chunks of a body that may be small, and bytes that those after them have to have on average: each takes time."""
WATCH_SECONDS = 0.25
"""How often a client that has stopped sending is looked after: it may be gone."""
POST = re.compile(rb"POST (/[\w/]*)[ ?]")
STOPPING = APIError(503, "the server is stopping", retry_after=5)


@dataclass
class ServerState:
    """What all connections of a server share."""

    app: ASGIApp
    settings: HTTPSettings
    overloaded: Callable[[str, str], APIError | None]
    """The error for a POST to a path by a client, if it need not be read now; asked before a head is parsed: cheap."""
    connections: set[Connection] = field(default_factory=set)
    tasks: set[asyncio.Task[None]] = field(default_factory=set)
    """The requests that are being answered."""


class Connection(asyncio.Protocol):
    """HTTP on one connection; its requests are answered one after the other."""

    transport: asyncio.Transport
    exchange: Exchange | None = None
    """The request that is being answered, or the last one that was."""
    closing = draining = half_closed = False
    chunks = chunked_bytes = 0
    """Of the body that is being read."""
    idle = False
    """Whether a response was sent and nothing of the next request has come."""
    timer: asyncio.TimerHandle | None = None
    """Runs while a head is awaited, or the end, or for a client that has stopped sending."""
    send_timer: asyncio.TimerHandle | None = None
    """Runs while the client has not taken all that was written."""

    def __init__(self, state: ServerState) -> None:
        self.state, self.settings = state, state.settings
        self.loop = asyncio.get_running_loop()
        self.http = h11.Connection(h11.SERVER, max_incomplete_event_size=state.settings.header_bytes)
        self.writable = asyncio.Event()
        self.writable.set()

    # --- from the transport ---------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.set_write_buffer_limits(high=0)  # so that `pause_writing` means: not everything is sent
        self.client = str((transport.get_extra_info("peername") or ("",))[0])
        self.state.connections.add(self)
        maximum = self.settings.connections
        if len(self.state.connections) > maximum + SPARE:
            transport.abort()
        elif len(self.state.connections) > maximum:
            self.send_error(APIError(503, f"{maximum:,} connections are open", bound="connections", retry_after=1))
        else:
            self.await_head()

    def data_received(self, data: bytes) -> None:
        if self.is_closing():
            return  # thrown away: see `close`
        if self.idle:
            self.await_head()
        begins = self.http.their_state is h11.IDLE and not self.http.trailing_data[0]
        if begins and (path := post_path(data)) and (error := self.state.overloaded(path, self.client)) is not None:
            self.send_error(error, path)
            return
        self.http.receive_data(data)
        self.handle_events()

    def eof_received(self) -> bool:
        """The client sends nothing more. If its request is whole it may still read; if not, it is gone.

        A client that is gone looks the same until something is sent to it: so an interim response is.
        """
        exchange = self.active()
        if self.is_closing() or exchange is None or exchange.more_body:
            return False
        self.half_closed = self.draining = True  # the last request of this connection
        if not exchange.started and exchange.scope["http_version"] == "1.1":
            self.write(h11.InformationalResponse(status_code=102, headers=[], reason=b"Processing"))
            self.watch_client()
        return True

    def watch_client(self) -> None:
        if self.is_closing():
            return
        if self.transport.get_extra_info("socket").getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
            self.transport.abort()
        else:
            self.set_timer(WATCH_SECONDS, self.watch_client)

    def connection_lost(self, exc: Exception | None) -> None:
        self.state.connections.discard(self)
        for timer in (self.timer, self.send_timer):
            if timer is not None:
                timer.cancel()
        self.writable.set()
        if self.exchange is not None:
            self.exchange.disconnect()

    def pause_writing(self) -> None:
        self.writable.clear()
        self.await_reader()

    def resume_writing(self) -> None:
        self.writable.set()
        if self.send_timer is not None:
            self.send_timer.cancel()
        if self.closing:
            self.linger()

    # --- requests -------------------------------------------------------------------------------------

    def handle_events(self) -> None:
        while not self.is_closing():
            try:
                event = self.http.next_event()
            except h11.RemoteProtocolError as error:
                too_large = error.error_status_hint == 431
                what = APIError(400, "the request is not valid HTTP/1.1")
                self.send_error(headers_too_large(self.settings.header_bytes) if too_large else what)
                return
            if isinstance(event, h11.Request):
                self.start_exchange(event)
            elif isinstance(event, h11.Data) and (exchange := self.active()):
                exchange.feed(event.data)
                if event.chunk_start and self.chunks_too_small(event):
                    self.send_error(APIError(400, f"a body in chunks of less than {MIN_CHUNK} bytes"))
                    return
                if len(exchange.body) > HIGH_WATER:
                    self.transport.pause_reading()
            elif isinstance(event, h11.EndOfMessage):
                if exchange := self.active():
                    exchange.feed_eof()
            elif event is h11.PAUSED:  # the next request is here, and waits for this one
                self.transport.pause_reading()
                return
            elif event is h11.NEED_DATA:
                return

    def chunks_too_small(self, event: h11.Data) -> bool:
        self.chunks += 1
        self.chunked_bytes += len(event.data)
        return self.chunks > FREE_CHUNKS + self.chunked_bytes // MIN_CHUNK

    def start_exchange(self, request: h11.Request) -> None:
        peer, own = map(self.transport.get_extra_info, ("peername", "sockname"))
        addresses: dict[str, Any] = {"client": peer and peer[:2], "server": own and own[:2]}  # IPv6 has two more
        try:
            scope = scope_of(request, addresses, self.settings.header_bytes)
        except APIError as error:
            self.send_error(error)
            return
        self.set_timer(None)
        self.chunks = self.chunked_bytes = 0
        self.exchange = Exchange(self, scope)
        task = self.loop.create_task(self.exchange.run(self.state.app))
        self.state.tasks.add(task)
        task.add_done_callback(self.state.tasks.discard)

    def next_request(self) -> None:
        """The last one is read and answered."""
        self.http.start_next_cycle()
        self.idle = not self.http.trailing_data[0]
        if self.idle:
            self.set_timer(self.settings.keep_alive_seconds, self.transport.close)
        else:
            self.await_head()
        self.transport.resume_reading()
        self.handle_events()

    def active(self) -> Exchange | None:
        """The request that is being answered."""
        return self.exchange if self.exchange is not None and not self.exchange.complete else None

    # --- for an exchange ------------------------------------------------------------------------------

    def want_body(self) -> None:
        if self.http.they_are_waiting_for_100_continue and not self.is_closing():
            self.write(h11.InformationalResponse(status_code=100, headers=[], reason=b"Continue"))
        self.transport.resume_reading()

    async def drain(self) -> None:
        await self.writable.wait()

    def write(self, *events: h11.Event) -> None:
        self.transport.write(b"".join(self.http.send(event) or b"" for event in events))

    def response_complete(self) -> None:
        if self.is_closing():
            return
        unread = self.http.their_state is not h11.DONE  # what is left of a body that nobody wants is not parsed
        if self.draining or unread or self.http.our_state is h11.MUST_CLOSE:
            self.close()
        else:
            self.next_request()

    # --- slow clients ---------------------------------------------------------------------------------

    def set_timer(self, seconds: float | None, then: Callable[[], object] = lambda: None) -> None:
        if self.timer is not None:
            self.timer.cancel()
        self.timer = self.loop.call_later(seconds, then) if seconds is not None else None

    def await_head(self) -> None:
        self.idle = False
        self.set_timer(self.settings.header_seconds, self.head_timeout)

    def head_timeout(self) -> None:
        what = f"the headers did not arrive within {self.settings.header_seconds} seconds"
        self.leave(APIError(408, what, bound="header_seconds"))

    def await_reader(self) -> None:
        left = self.transport.get_write_buffer_size()
        self.send_timer = self.loop.call_later(self.settings.send_seconds, self.send_timeout, left)

    def send_timeout(self, before: int) -> None:
        if self.transport.get_write_buffer_size() > before - MIN_SENT:
            self.transport.abort()
        else:
            self.await_reader()

    # --- the end --------------------------------------------------------------------------------------

    def shutdown(self) -> None:
        """The server stops: finish a request that has arrived whole, refuse any other."""
        self.draining = True
        if (exchange := self.active()) is None:
            self.leave(STOPPING)
        elif exchange.more_body and not exchange.started:
            self.send_error(STOPPING)

    def leave(self, error: APIError) -> None:
        """Close, with an error if a request has begun to arrive."""
        if self.http.trailing_data[0]:
            self.send_error(error)
        else:
            self.transport.close()

    def send_error(self, error: APIError, path: str = "") -> None:
        """Send an error and close; a response that has started is cut."""
        if self.is_closing():
            return
        if exchange := self.active():
            if exchange.started:
                self.transport.abort()
                return
            exchange.disconnect()
        self.transport.write(error_bytes(error, path))
        self.close()

    def is_closing(self) -> bool:
        return self.closing or self.transport.is_closing()

    def close(self) -> None:
        """Stop writing, and let the client read before the socket is closed.

        One that is closed while something still comes in is reset, and the client loses a response it has not read:
        one that says that its headers or its body are too large, for example.
        """
        self.closing = True
        self.set_timer(None)
        if self.half_closed:  # nothing comes in any more
            self.transport.close()
            return
        self.transport.resume_reading()  # to throw it away, and to see the end
        try:
            self.transport.write_eof()
        except OSError:  # the client is gone already
            self.transport.abort()
        if not self.transport.get_write_buffer_size():
            self.linger()

    def linger(self) -> None:
        self.set_timer(LINGER_SECONDS, self.transport.abort)


def post_path(data: bytes) -> str:
    """The path of a POST that begins here; empty if it is something else."""
    found = POST.match(data)
    return found[1].decode() if found else ""


def error_bytes(error: APIError, path: str) -> bytes:
    """An error as a whole HTTP response, the last on its connection."""
    body = json.dumps(error.body(path)).encode()
    fixed = {"content-type": "application/json", "content-length": str(len(body)), "connection": "close"}
    lines = [f"{name}: {value}".encode() for name, value in {**fixed, **error.headers()}.items()]
    return b"\r\n".join([b"HTTP/1.1 %d %s" % (error.status, reason_of(error.status)), *lines, b"", body])
