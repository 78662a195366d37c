"""Where a server listens, and how it stops: real signals, and a real process."""

import resource
import signal
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette

from seqloom.errors import SeqloomError
from seqloom.serving.http_server import listen
from seqloom.serving.settings import HTTPSettings
from seqloom.serving.sockets import allow_open_files, bind, url_of
from tests.serving.toy_server import LIMIT, Served, answer_of, get, one, post, read_until_cut, rest


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Served]]:
    with ExitStack() as ends:

        def begin(**settings: int) -> Served:
            server = Served(tmp_path / "log", **settings)
            ends.callback(server.end)
            return server

        yield begin


# --- stopping -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_finishes_what_was_accepted_and_refuses_the_rest(start, number):
    server = start(grace_seconds=60)
    with server.connect(get("/")) as idle, server.connect(post("/body", 9, b"half")) as half:
        one(idle)
        with server.connect(b"GET / HT") as head, server.connect(get("/slow")) as slow:
            assert server.line() == "asked"
            server.process.send_signal(number)
            assert server.line() == "draining"
            with pytest.raises(ConnectionError):
                server.connect(get("/"))
            for client in (half, head):
                status, headers, body = answer_of(client)
                assert (status, headers["retry-after"]) == (503, "5")
                assert body == {"error": {"message": "the server is stopping"}}
            assert rest(idle) == b""
            assert answer_of(slow)[::2] == (200, "slow but done")
    out, _ = server.process.communicate(timeout=LIMIT)
    assert (server.process.returncode, out.split()) == (0, ["shutdown", "returned"])
    assert server.log.read_text() == ""


def test_after_the_grace_time_what_is_left_is_cut(start):
    server = start(grace_seconds=1)
    with server.connect(get("/forever")) as waits, server.connect(get("/big"), receive_buffer=4096):
        assert server.line() == "asked"
        assert server.stop(signal.SIGTERM) == (0, ["draining", "cancelled", "shutdown", "returned"])
        assert read_until_cut(waits) == b""
    assert server.log.read_text() == ""


def test_a_client_that_never_reads_does_not_hold_the_end_up(start):
    server = start(grace_seconds=60, send_seconds=1)
    with server.connect(get("/big"), receive_buffer=4096) as client:
        assert client.recv(12) == b"HTTP/1.1 200"
        assert server.stop(signal.SIGTERM) == (0, ["draining", "shutdown", "returned"])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_second_signal_ends_at_once(start, number):
    server = start(grace_seconds=1000)
    with server.connect(get("/forever")):
        assert server.line() == "asked"
        server.process.send_signal(number)
        assert server.line() == "draining"
        assert server.stop(number) == (-number, [])


def test_an_application_that_holds_the_event_loop_is_ended(start):
    server = start(grace_seconds=1)
    with server.connect(get("/hang")):
        assert server.line() == "asked"
        assert server.stop(signal.SIGTERM) == (1, [])


# --- starting -----------------------------------------------------------------------------------------


async def unable(scope: Any, receive: Any, send: Any) -> None:
    raise SeqloomError("no weights", where="model")


def test_a_port_that_is_taken_is_said_before_anything_else():
    with bind("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(SeqloomError, match=f"127.0.0.1:{port}: cannot listen: Address already in use") as told:
            listen(unable, HTTPSettings(port=port))
    assert "choose another port" in told.value.remedy


@pytest.mark.parametrize("host, what", [("no.such.host.invalid", "no such address"), ("192.0.2.1", "cannot listen")])
def test_an_address_that_is_not_ours_is_said(host, what):
    with pytest.raises(SeqloomError, match=f"{host}:0: {what}"):
        listen(unable, HTTPSettings(host=host, port=0))


@asynccontextmanager
async def unable_to_start(app: Any) -> AsyncIterator[None]:
    raise SeqloomError("no weights", where="model")
    yield


@pytest.mark.parametrize("app", [unable, Starlette(lifespan=unable_to_start)], ids=["plain", "starlette"])
def test_an_application_that_does_not_start_says_why(app, caplog):
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(SeqloomError, match="model: no weights"):
        listen(app, HTTPSettings(port=0))
    assert signal.getsignal(signal.SIGTERM) is before
    assert "Traceback" not in caplog.text


def test_the_address_can_be_typed_into_a_browser():
    with bind("localhost", 0) as listener:
        assert url_of(listener) == f"http://127.0.0.1:{listener.getsockname()[1]}"
    if socket.has_ipv6:
        with bind("::1", 0) as listener:
            assert url_of(listener) == f"http://[::1]:{listener.getsockname()[1]}"


def test_the_system_is_asked_for_as_many_files_as_connections(monkeypatch):
    asked = []
    monkeypatch.setattr(resource, "setrlimit", lambda kind, limits: asked.append(limits))
    for soft, hard in [(256, 4096), (256, 1024), (8192, 8192), (256, resource.RLIM_INFINITY)]:
        monkeypatch.setattr(resource, "getrlimit", lambda kind, limits=(soft, hard): limits)
        allow_open_files(2000)
    assert asked == [(2000, 4096), (1024, 1024), (2000, resource.RLIM_INFINITY)]
