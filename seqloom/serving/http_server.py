"""From a port to an application and back: binds, serves, drains, ends."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from types import FrameType

import uvicorn
from pydantic import Field, PositiveInt
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from seqloom.config import Config
from seqloom.errors import SeqloomError
from seqloom.serving.connections import SPARE, Connection, checked
from seqloom.serving.errors import APIError
from seqloom.serving.logs import log

BACKLOG = 128
"""Connections that the system holds until they are accepted."""
FILES = 256
"""Open files besides the connections."""
STOPS = (signal.SIGTERM, signal.SIGINT)
END_SECONDS = 5
"""Seconds after the grace time in which an application that does not end is ended."""


class HTTPSettings(Config):
    """Where the server listens, and what one connection may do."""

    host: str = "127.0.0.1"
    """The name or address to listen at; 127.0.0.1 is reached from this machine only."""
    port: int = Field(8000, ge=0, le=65_535)
    """The port to listen at; 0 takes a free one."""
    header_seconds: PositiveInt = 10
    """Seconds in which the headers of a request have to arrive."""
    header_bytes: PositiveInt = 65_536
    """Bytes of a request's headers, its first line among them."""
    connections: PositiveInt = 1_000
    """Connections that are open at the same time."""
    keep_alive_seconds: PositiveInt = 15
    """Seconds that a connection may stay open without a request."""
    send_seconds: PositiveInt = 30
    """Seconds in which a client has to read 16 KiB of an answer, or what is left of it."""
    grace_seconds: PositiveInt = 30
    """Seconds in which accepted requests are finished when the server stops."""


def listen(
    app: ASGIApp,
    settings: HTTPSettings,
    *,
    overloaded: Callable[[str], APIError | None] = lambda _: None,
    ready: Callable[[str], None] | None = None,
    draining: Callable[[], None] | None = None,
) -> None:
    """Serve an application until SIGTERM or SIGINT, finish what was accepted, return; a second signal ends at once.

    `overloaded` says why a request for a path need not be read now; `ready` is told the address when requests are
    answered; `draining` is called when no more are accepted.
    """
    with bind(settings.host, settings.port) as listener:
        allow_files(settings.connections + SPARE + FILES)
        url = address_of(listener)

        class Bounded(Connection):
            bounds = settings

            def overloaded(self, path: str) -> APIError | None:
                return overloaded(path)

        start = Start(checked(app, settings.header_bytes))
        config = uvicorn.Config(
            start,
            http=Bounded,
            ws="none",
            loop="asyncio",  # the one that Connection was tested with, whatever else is installed
            lifespan="on",
            log_config=None,
            log_level="error",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            backlog=BACKLOG,
            timeout_keep_alive=settings.keep_alive_seconds,
            h11_max_incomplete_event_size=settings.header_bytes,
        )
        server = Server(config, settings.grace_seconds, lambda: ready and ready(url), draining or (lambda: None))
        with server.ends_in_time():
            try:
                asyncio.run(server.serve(sockets=[listener]))
            except SystemExit:  # uvicorn's word for an application that did not start
                raise start.error() from start.failure


class Server(uvicorn.Server):
    """uvicorn's server; what differs is how it stops."""

    def __init__(
        self, config: uvicorn.Config, grace_seconds: int, ready: Callable[[], object], draining: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self.grace_seconds, self.ready, self.draining = grace_seconds, ready, draining
        self.stopping, self.ended = threading.Event(), threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Refuse what is new, finish what was accepted, cut what is left after the grace time."""
        state, clock = self.server_state, asyncio.get_running_loop().time
        until = clock() + self.grace_seconds
        for server in self.servers:
            server.close()
        self.draining()
        for connection in list(state.connections):
            connection.shutdown()
        while (state.connections or state.tasks) and clock() < until:
            await asyncio.sleep(0.05)
        for connection in list(state.connections):
            connection.transport.abort()
        await asyncio.sleep(0)  # the applications hear of it
        for task in list(state.tasks):
            task.cancel()
        with suppress(TimeoutError):
            await asyncio.wait_for(self.lifespan.shutdown(), max(1.0, until - clock()))

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self.handle_exit) for number in STOPS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.should_exit = True
        self.stopping.set()
        for number in STOPS:
            signal.signal(number, signal.SIG_DFL)  # the next one is the system's: it ends the process

    @contextmanager
    def ends_in_time(self) -> Generator[None]:
        """After a signal the process ends, even if the application holds the event loop or a thread for ever."""
        threading.Thread(target=self.end, name="end in time", daemon=True).start()
        try:
            yield
        finally:
            self.ended.set()
            self.stopping.set()

    def end(self) -> None:
        self.stopping.wait()
        if not self.ended.wait(self.grace_seconds + END_SECONDS):
            log.error("the server did not end by itself")
            os._exit(1)


class Start:
    """The application, with why it did not start."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.failure: Exception | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            await self.app(scope, receive, send)
            return
        failed = False

        async def quiet(message: Message) -> None:
            nonlocal failed
            failed = failed or message["type"] == "lifespan.startup.failed"
            await send({**message, "message": ""})  # Starlette puts its traceback there

        try:
            await self.app(scope, receive, quiet)
        except Exception as error:
            self.failure = error
            if not failed:
                await send({"type": "lifespan.startup.failed", "message": ""})

    def error(self) -> SeqloomError:
        if isinstance(self.failure, SeqloomError):
            return self.failure
        return SeqloomError("the server could not start", remedy="the error above says why; it is one of seqloom")


def bind(host: str, port: int) -> socket.socket:
    """A socket that listens, or what to do about it."""
    where = f"{host}:{port}"
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (socket.gaierror, UnicodeError):
        raise SeqloomError("no such address", where=where, remedy="listen at 127.0.0.1, or 0.0.0.0 for all") from None
    family, kind, protocol, _, address = min(found, key=lambda one: one[0] != socket.AF_INET)
    listener = socket.socket(family, kind, protocol)
    try:
        if sys.platform != "win32":  # there it would take a port away from another program
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        remedy = "choose another port, or 0 for a free one; an address has to be one of this machine"
        raise SeqloomError(f"cannot listen: {os.strerror(error.errno or 0)}", where=where, remedy=remedy) from None
    return listener


def address_of(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def allow_files(count: int) -> None:
    """Ask the system for as many open files as there may be connections."""
    if sys.platform == "win32":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < count:
        most = count if hard == resource.RLIM_INFINITY else min(count, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most), hard))
