"""Clients that are slow, gone, many or wrong, and signals: real sockets, and a real process."""

import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette

from seqloom.errors import SeqloomError
from seqloom.serving import listening
from seqloom.serving.listening import Listening, address_of, bind, listen

LIMIT = 20.0
"""Seconds after which something will never happen; nothing here is expected to take a tenth of it."""

SCRIPT = """
import asyncio, json, resource, sys, time
from seqloom.serving import listening

GONE = []

async def answer(send, value, status=200, close=False):
    body = json.dumps(value).encode()
    headers = [(b"content-length", str(len(body)).encode()), *([(b"connection", b"close")] if close else [])]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})

async def until_gone(receive):
    while (await receive())["type"] != "http.disconnect":
        pass

async def stream(send):
    while True:
        await send({"type": "http.response.body", "body": bytes(65_536), "more_body": True})

async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        print("shutdown", flush=True)
        await send({"type": "lifespan.shutdown.complete"})
        return
    path = scope["path"]
    if path == "/scope":
        await answer(send, [path, scope["query_string"].decode(), dict(scope["headers"])[b"host"].decode()])
    elif path == "/gone":
        await answer(send, GONE)
    elif path == "/early":  # without reading the body
        await answer(send, "no", 413)
    elif path == "/early-close":
        await answer(send, "no", 413, close=True)
    elif path == "/crash":
        raise RuntimeError("a secret text")
    elif path == "/pieces":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        more = True
        while more:
            message = await receive()
            more = message["more_body"]
            await send({"type": "http.response.body", "body": b"<%d>" % len(message["body"]), "more_body": True})
        await send({"type": "http.response.body"})
    elif path == "/body":
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                GONE.append(path)
                return
    elif path in ("/wait", "/big"):
        if path == "/big":
            await send({"type": "http.response.start", "status": 200, "headers": []})
        work = asyncio.create_task(stream(send) if path == "/big" else asyncio.sleep(1000))
        await until_gone(receive)
        work.cancel()
        GONE.append(path)
    elif path == "/slow":
        print("asked", flush=True)
        await asyncio.sleep(1.2)
        await answer(send, "slow but done")
    elif path == "/late":
        await asyncio.sleep(0.5)
        await answer(send, "too late")
        GONE.append(path)
    elif path == "/forever":
        print("asked", flush=True)
        try:
            await asyncio.sleep(1000)
        finally:
            print("cancelled", flush=True)
    elif path == "/hang":
        print("asked", flush=True)
        time.sleep(1000)
    else:
        await answer(send, "ok")

listening.END_SECONDS = 1
resource.setrlimit(resource.RLIMIT_NOFILE, (48, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
listening.listen(
    app,
    listening.Listening(**json.loads(sys.argv[1])),
    ready=lambda url: print(url, flush=True),
    draining=lambda: print("draining", flush=True),
)
print("returned", flush=True)
"""


class Served:
    """A server in a process of its own."""

    def __init__(self, log: Path, **settings: int) -> None:
        self.log = log
        with log.open("wb") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-c", SCRIPT, json.dumps({"port": 0, **settings})],
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        url = self.line()
        assert url.startswith("http://127.0.0.1:"), log.read_text()
        self.port = int(url.rsplit(":", 1)[1])

    def line(self) -> str:
        assert self.process.stdout
        return self.process.stdout.readline().strip()

    def connect(self, data: bytes = b"", *, receive_buffer: int = 0) -> socket.socket:
        client = socket.socket()
        client.settimeout(LIMIT)
        if receive_buffer:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        try:
            client.connect(("127.0.0.1", self.port))
            client.sendall(data)
        except OSError:
            client.close()
            raise
        return client

    def ask(self, data: bytes) -> tuple[int, dict[str, str], Any]:
        with self.connect(data) as client:
            return answer_of(client)

    def memory(self) -> int:
        """Bytes that the process holds now."""
        pages = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * 4096

    def stop(self, number: int) -> tuple[int, list[str]]:
        """Exit code, and what was printed after the signal."""
        self.process.send_signal(number)
        out, _ = self.process.communicate(timeout=LIMIT)
        return self.process.returncode, out.split()

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()


def get(path: str, *more: str) -> bytes:
    return "\r\n".join([f"GET {path} HTTP/1.1", "Host: here", *more, "", ""]).encode()


def post(path: str, length: int, body: bytes = b"", *more: str) -> bytes:
    lines = [f"POST {path} HTTP/1.1", "Host: here", f"Content-Length: {length}", *more, "", ""]
    return "\r\n".join(lines).encode() + body


def rest(client: socket.socket) -> bytes:
    """All that comes until the server closes."""
    found = b""
    while part := client.recv(65_536):
        found += part
    return found


def one(client: socket.socket) -> bytes:
    """An answer with its length, on a connection that stays open."""
    found = b""
    while b"\r\n\r\n" not in found:
        found += client.recv(1)
    length = int(found.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
    while len(found.partition(b"\r\n\r\n")[2]) < length:
        found += client.recv(1)
    return found


def parse(answer: bytes) -> tuple[int, dict[str, str], Any]:
    head, _, body = answer.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
    return int(first.split()[1]), headers, json.loads(body)


def answer_of(client: socket.socket) -> tuple[int, dict[str, str], Any]:
    return parse(rest(client))


def drip(client: socket.socket, data: bytes) -> bytes:
    """Send a byte at a time until the server has had enough; what it said."""
    client.settimeout(0.1)
    found, end = b"", time.monotonic() + LIMIT
    for at in range(len(data)):
        assert time.monotonic() < end, "the server let a slow client go on"
        try:
            client.sendall(data[at : at + 1])
            part = client.recv(65_536)
        except TimeoutError:
            continue
        except OSError:
            return found
        if not part:
            return found
        found += part
    raise AssertionError("the server took it all")


def eventually(check: Callable[[], bool]) -> None:
    end = time.monotonic() + LIMIT
    while not check():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    log = tmp_path_factory.mktemp("served") / "log"
    server = Served(log, header_seconds=1, keep_alive_seconds=2, send_seconds=1, connections=20, grace_seconds=1)
    yield server
    server.end()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Served]]:
    with ExitStack() as ends:

        def begin(**settings: int) -> Served:
            server = Served(tmp_path / "log", **settings)
            ends.callback(server.end)
            return server

        yield begin


# --- slow, gone ---------------------------------------------------------------------------------------


def test_headers_that_come_byte_by_byte_are_refused(served):
    with served.connect() as client:
        status, _, body = parse(drip(client, get("/") + b"x" * 1000))
    what = "the headers did not arrive within 1 seconds"
    assert (status, body) == (408, {"error": {"message": what, "bound": "header_seconds"}})


def test_a_connection_that_says_nothing_is_closed(served):
    with served.connect() as client:
        assert rest(client) == b""


def test_a_second_request_has_to_be_as_quick_as_the_first(served):
    with served.connect(get("/")) as client:
        one(client)
        assert parse(drip(client, get("/", "X: " + "x" * 1000)))[0] == 408


def test_an_answer_may_take_longer_than_the_headers(served):
    assert served.ask(get("/slow", "Connection: close"))[::2] == (200, "slow but done")


def test_a_connection_that_was_used_and_is_idle_is_closed(served):
    with served.connect(get("/")) as client:
        one(client)
        assert rest(client) == b""


def test_a_body_that_was_answered_before_its_end_does_not_hold_the_connection(served):
    with served.connect(post("/early", 10_000)) as client:
        assert b"413" in one(client)
        assert drip(client, b"x" * 10_000) == b""


def test_an_answer_before_the_end_of_a_body_is_read_by_a_client_that_writes_first(served):
    with served.connect(post("/early-close", 20_000_000, b"x" * 20_000_000)) as client:
        assert answer_of(client)[0] == 413


def test_pieces_of_a_body_reach_the_application_as_they_come(served):
    with served.connect(post("/pieces", 6)) as client:
        for piece in (b"a", b"bb", b"ccc"):
            client.sendall(piece)
            found = b""
            while b"<%d>" % len(piece) not in found:
                found += client.recv(65_536)


@pytest.mark.parametrize("request_", [post("/body", 9, b"half"), post("/wait", 3, b"abc")], ids=["reading", "working"])
def test_the_application_is_told_that_a_client_is_gone(served, request_):
    path = request_.split()[1].decode()
    before = served.ask(get("/gone", "Connection: close"))[2].count(path)
    served.connect(request_).close()
    eventually(lambda: served.ask(get("/gone", "Connection: close"))[2].count(path) == before + 1)


def test_a_client_that_never_reads_is_cut_and_fills_no_memory(served):
    before = served.memory()
    with ExitStack() as clients:
        for _ in range(5):
            clients.enter_context(served.connect(get("/big"), receive_buffer=4096))
        eventually(lambda: served.ask(get("/gone", "Connection: close"))[2].count("/big") == 5)
        assert served.memory() - before < 20_000_000


# --- too much -----------------------------------------------------------------------------------------

TOO_LARGE = {"error": {"message": "the headers have more than 65,536 bytes", "bound": "header_bytes"}}


def test_sixty_megabytes_of_headers_are_refused_and_not_held(served):
    before = served.memory()
    with served.connect(b"GET / HTTP/1.1\r\nHost: here\r\n") as client:
        for number in range(60):
            client.sendall(f"X-{number}: ".encode() + b"x" * 1_000_000 + b"\r\n")
        held = served.memory() - before
        status, _, body = answer_of(client)
    assert (status, body) == (431, TOO_LARGE)
    assert held < 20_000_000


@pytest.mark.parametrize("more", [66_000, 200_000])
def test_headers_over_the_bound_that_come_at_once_are_refused(served, more):
    status, _, body = served.ask(get("/", "X: " + "x" * more))
    assert (status, body) == (431, TOO_LARGE)


def test_headers_just_under_the_bound_are_read(served):
    assert served.ask(get("/", "X: " + "x" * 65_000, "Connection: close"))[0] == 200


def test_connections_over_the_bound_are_told_so_and_those_far_over_it_cut(served):
    eventually(lambda: served.ask(get("/", "Connection: close"))[0] == 200)
    with ExitStack() as clients:
        held = [clients.enter_context(served.connect(post("/body", 9, b"half"))) for _ in range(20)]
        status, headers, body = answer_of(clients.enter_context(served.connect()))
        assert (status, headers["retry-after"]) == (503, "1")
        assert body == {"error": {"message": "20 connections are open", "bound": "connections"}}
        over = [clients.enter_context(served.connect()) for _ in range(130)]
        refused = [said(client) for client in over]
        assert b"HTTP/1.1 503" in {answer[:12] for answer in refused}
        assert b"" in refused  # cut without a word
        assert len(held) == 20
    eventually(lambda: served.ask(get("/", "Connection: close"))[0] == 200)


def test_clients_that_were_refused_and_stay_do_not_hold_their_connections(served):
    with ExitStack() as clients:
        for _ in range(20):
            clients.enter_context(served.connect(b"nonsense\r\n\r\n"))
        eventually(lambda: served.ask(get("/", "Connection: close"))[0] == 200)


def said(client: socket.socket) -> bytes:
    try:
        return rest(client)
    except ConnectionResetError:
        return b""


# --- wrong, or seldom ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        b"\x16\x03\x01\x02\x00 hello\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost here\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"GET here:80 HTTP/1.1\r\nHost: here\r\n\r\n",
        b"GET ftp://here/ HTTP/1.1\r\nHost: here\r\n\r\n",
        b"POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nContent-Length: 3\r\n\r\nabcd",
        b"POST /body HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        b"POST /body HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n",
        b"POST /body HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n",
    ],
    ids=["tls", "header", "no host", "two hosts", "authority", "ftp", "lengths", "coding", "chunk", "smuggled"],
)
def test_a_request_that_is_wrong_is_refused_in_json(served, data):
    status, headers, body = served.ask(data)
    assert (status, headers["content-type"]) == (400, "application/json")
    assert list(body) == ["error"] and list(body["error"]) == ["message"]


def test_an_application_may_answer_what_was_refused_already(served):
    chunk = b"POST /late HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"
    with served.connect(chunk) as client:
        assert answer_of(client)[0] == 400
        eventually(lambda: "/late" in served.ask(get("/gone", "Connection: close"))[2])


def test_another_version_of_http_is_refused(served):
    assert served.ask(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")[0] == 505


def test_http_1_0_is_answered(served):
    assert served.ask(b"GET / HTTP/1.0\r\n\r\n")[::2] == (200, "ok")


def test_requests_in_a_row_are_answered_in_order(served):
    paths = [f"/scope?{number}" for number in range(3)]
    with served.connect(b"".join(get(path) for path in paths)) as client:
        assert [parse(one(client))[2][1] for _ in paths] == ["0", "1", "2"]


def test_a_whole_address_as_target_names_the_host(served):
    asked = b"GET http://elsewhere:81/scope?a=1 HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n"
    assert served.ask(asked)[2] == ["/scope", "a=1", "elsewhere:81"]


def test_an_error_of_the_application_is_told_without_what_it_says(served):
    status, _, body = served.ask(get("/crash"))
    assert (status, list(body["error"])) == (500, ["message"])
    assert "secret" not in str(body)
    log = served.log.read_text()
    assert "RuntimeError at" in log
    assert "secret" not in log


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
        assert said(waits) == b""
    assert server.log.read_text() == ""


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
            listen(unable, Listening(port=port))
    assert "choose another port" in told.value.remedy


@pytest.mark.parametrize("host, what", [("no.such.host.invalid", "no such address"), ("192.0.2.1", "cannot listen")])
def test_an_address_that_is_not_ours_is_said(host, what):
    with pytest.raises(SeqloomError, match=f"{host}:0: {what}"):
        listen(unable, Listening(host=host, port=0))


@asynccontextmanager
async def unable_to_start(app: Any) -> AsyncIterator[None]:
    raise SeqloomError("no weights", where="model")
    yield


@pytest.mark.parametrize("app", [unable, Starlette(lifespan=unable_to_start)], ids=["plain", "starlette"])
def test_an_application_that_does_not_start_says_why(app, caplog):
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(SeqloomError, match="model: no weights"):
        listen(app, Listening(port=0))
    assert signal.getsignal(signal.SIGTERM) is before
    assert "Traceback" not in caplog.text


def test_the_address_can_be_typed_into_a_browser():
    with bind("localhost", 0) as listener:
        assert address_of(listener) == f"http://127.0.0.1:{listener.getsockname()[1]}"
    if socket.has_ipv6:
        with bind("::1", 0) as listener:
            assert address_of(listener) == f"http://[::1]:{listener.getsockname()[1]}"


def test_the_system_is_asked_for_as_many_files_as_connections(monkeypatch):
    resource = pytest.importorskip("resource")
    asked = []
    monkeypatch.setattr(resource, "setrlimit", lambda kind, limits: asked.append(limits))
    for soft, hard in [(256, 4096), (256, 1024), (8192, 8192), (256, resource.RLIM_INFINITY)]:
        monkeypatch.setattr(resource, "getrlimit", lambda kind, limits=(soft, hard): limits)
        listening.allow_files(2000)
    assert asked == [(2000, 4096), (1024, 1024), (2000, resource.RLIM_INFINITY)]
