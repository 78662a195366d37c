"""A small application behind our connections, in a process of its own, and a client of raw sockets."""

import json
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

LIMIT = 20.0
"""Seconds after which something will never happen; nothing here is expected to take a tenth of it."""

SCRIPT = """
import asyncio, json, resource, sys, time
from seqloom.serving import http_server
from seqloom.serving.errors import APIError
from seqloom.serving.settings import HTTPSettings

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
        assert len(scope["client"]) == len(scope["server"]) == 2
        await answer(send, [path, scope["query_string"].decode(), dict(scope["headers"])[b"host"].decode()])
    elif path == "/gone":
        await answer(send, GONE)
    elif path == "/early":  # without reading the body
        await answer(send, "no", 413)
    elif path == "/early-pieces":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"no", "more_body": True})
        await send({"type": "http.response.body"})
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
    elif path == "/halfway":
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"9")]})
        await send({"type": "http.response.body", "body": b"half", "more_body": True})
        raise RuntimeError("a secret text")
    elif path == "/silent":
        pass
    elif path == "/upload":
        size, more = 0, True
        while more:
            message = await receive()
            size, more = size + len(message["body"]), message["more_body"]
        await answer(send, size)
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

http_server.END_SECONDS = 1
resource.setrlimit(resource.RLIMIT_NOFILE, (48, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
http_server.listen(
    app,
    HTTPSettings(**json.loads(sys.argv[1])),
    overloaded=lambda path, _: APIError(503, "full", bound="room", retry_after=1) if path.endswith("full") else None,
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
        self.process.communicate(timeout=60)


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
    found = head(client)
    length = int(found.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
    while len(found.partition(b"\r\n\r\n")[2]) < length:
        found += received(client, 1)
    return found


def head(client: socket.socket) -> bytes:
    """The status line and headers of an answer."""
    found = b""
    while b"\r\n\r\n" not in found:
        found += received(client, 1)
    return found


def received(client: socket.socket, most: int) -> bytes:
    """What has come, something at least: a connection that was closed gives nothing, again and again."""
    part = client.recv(most)
    assert part, "the server closed the connection"
    return part


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


def read_until_cut(client: socket.socket) -> bytes:
    try:
        return rest(client)
    except ConnectionResetError:
        return b""
