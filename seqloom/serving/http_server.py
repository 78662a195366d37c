"""The HTTP server: listens, serves an ASGI application, drains on a signal, ends."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from types import FrameType

from starlette.types import ASGIApp, Message

from seqloom.errors import SeqloomError
from seqloom.serving.connections import SPARE, Connection, ServerState
from seqloom.serving.errors import APIError
from seqloom.serving.exchange import ASGI
from seqloom.serving.logs import log, log_error
from seqloom.serving.settings import HTTPSettings
from seqloom.serving.sockets import BACKLOG, allow_open_files, bind, url_of

OTHER_FILES = 256
"""Open files besides the connections."""
SIGNALS = (signal.SIGTERM, signal.SIGINT)
END_SECONDS = 5
"""Seconds after the grace time in which an application that does not end is killed."""


def listen(
    app: ASGIApp,
    settings: HTTPSettings,
    *,
    overloaded: Callable[[str, str], APIError | None] = lambda path, client: None,
    ready: Callable[[str], object] = lambda _: None,
    draining: Callable[[], object] = lambda: None,
) -> None:
    """Serve an application until SIGTERM or SIGINT, finish what was accepted, return; a second signal ends at once.

    `overloaded` gives the error for a POST to a path by a client, if it need not be read now; `ready` is called with
    the URL when requests are answered; `draining` is called when no more are accepted.
    """
    with bind(settings.host, settings.port) as listener:
        allow_open_files(settings.connections + SPARE + OTHER_FILES)
        server = HTTPServer(ServerState(app, settings, overloaded))
        with server.killed_if_stuck():
            asyncio.run(server.serve(listener, ready, draining))


class HTTPServer:
    """Accepts connections until a signal comes, then lets them finish."""

    def __init__(self, state: ServerState) -> None:
        self.state, self.grace_seconds = state, state.settings.grace_seconds
        self.stopping, self.ended = threading.Event(), threading.Event()

    async def serve(
        self, listener: socket.socket, ready: Callable[[str], object], draining: Callable[[], object]
    ) -> None:
        url, loop, stop = url_of(listener), asyncio.get_running_loop(), asyncio.Event()
        lifespan = Lifespan(self.state.app)
        with self.captured_signals(lambda: loop.call_soon_threadsafe(stop.set)):
            await lifespan.startup()
            server = await loop.create_server(lambda: Connection(self.state), sock=listener, backlog=BACKLOG)
            ready(url)
            await stop.wait()
            deadline = loop.time() + self.grace_seconds
            server.close()
            draining()
            await self.drain(deadline)
            await lifespan.shutdown(max(1.0, deadline - loop.time()))

    async def drain(self, deadline: float) -> None:
        """Refuse what is new, finish what was accepted, cut what is left after the grace time."""
        connections, tasks = self.state.connections, self.state.tasks
        for connection in list(connections):
            connection.shutdown()
        while (connections or tasks) and asyncio.get_running_loop().time() < deadline:
            await asyncio.sleep(0.05)
        for connection in list(connections):
            connection.transport.abort()
        await asyncio.sleep(0)  # the applications hear of it
        for task in list(tasks):
            task.cancel()

    @contextmanager
    def captured_signals(self, stop: Callable[[], object]) -> Generator[None]:
        """Stop at the first signal; the next one is the system's, and ends the process whatever Python is doing."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def handle(number: int, frame: FrameType | None) -> None:
            self.stopping.set()
            for one in SIGNALS:
                signal.signal(one, signal.SIG_DFL)
            stop()

        before = {number: signal.signal(number, handle) for number in SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    @contextmanager
    def killed_if_stuck(self) -> Generator[None]:
        """After a signal the process ends, even if the application holds the event loop or a thread for ever."""

        def watch() -> None:
            self.stopping.wait()
            if not self.ended.wait(self.grace_seconds + END_SECONDS):
                log.error("the server did not end by itself")
                os._exit(1)

        threading.Thread(target=watch, name="watchdog", daemon=True).start()
        try:
            yield
        finally:
            self.ended.set()
            self.stopping.set()


class Lifespan:
    """ASGI's lifespan: the application starts before the first request, and shuts down after the last."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.events, self.replies = asyncio.Queue[Message](), asyncio.Queue[Message]()

    async def startup(self) -> None:
        """Start the application, or raise why it does not start."""
        self.task = asyncio.create_task(self.run())
        await self.events.put({"type": "lifespan.startup"})
        if (await self.replies.get())["type"] != "lifespan.startup.complete":
            failure = await self.task
            if isinstance(failure, SeqloomError):
                raise failure
            if failure is not None:
                log_error(failure)
            raise SeqloomError("the server could not start", remedy="see its log; this is a bug in seqloom")

    async def shutdown(self, seconds: float) -> None:
        await self.events.put({"type": "lifespan.shutdown"})
        with suppress(TimeoutError):
            failure = await asyncio.wait_for(self.task, seconds)
            if failure is not None:
                log_error(failure)

    async def run(self) -> Exception | None:
        try:
            await self.app({"type": "lifespan", "asgi": ASGI}, self.events.get, self.replies.put)
            return None
        except Exception as error:
            return error
        finally:
            self.replies.put_nowait({"type": "ended"})  # whoever waits for a reply
