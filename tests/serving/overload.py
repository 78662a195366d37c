"""Far more requests than a server can answer, for as long as is asked: `python -m tests.serving.overload 600`.

First its capacity is measured with 64 clients that wait; then ten times that many requests come in every second,
whatever becomes of them. Printed: what was answered, how fast, how `/health` did, and how memory went.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from tests.serving.conftest import Running

ASKED: dict[str, Any] = {"model": "song", "text": "row row the boat", "length": 300}
SECONDS = 10
"""The server's own bound."""
QUEUE = 256
CLIENTS = 800
"""Requests that are open at the same time; the server cuts connections from 1,100 on."""


def asked() -> dict[str, Any]:
    """A request like others, with a text of any length."""
    return {**ASKED, "text": ASKED["text"][: random.randint(0, 16)]}


@dataclass
class Seen:
    """What came back."""

    statuses: Counter[int] = field(default_factory=Counter)
    bounds: Counter[str] = field(default_factory=Counter)
    """The bounds that refusals named."""
    answered: list[float] = field(default_factory=list)
    """Seconds of each request that was accepted."""
    health: list[float] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)
    waiting: list[float] = field(default_factory=list)
    rate: float = 0.0
    """Requests that were sent in a second."""
    unexpected: list[str] = field(default_factory=list)


async def ask(port: int, method: str, path: str, data: Any = None) -> tuple[int, bytes]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        body = json.dumps(data).encode() if data is not None else b""
        head = f"{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: {len(body)}\r\n"
        writer.write(f"{head}content-type: application/json\r\n\r\n".encode() + body)
        answer = await reader.read()
        return int(answer.split(b" ", 2)[1]), answer.partition(b"\r\n\r\n")[2]
    finally:
        writer.close()


async def request(port: int, seen: Seen) -> None:
    began = time.monotonic()
    try:
        status, body = await asyncio.wait_for(ask(port, "POST", "/api/predict", asked()), 60)
    except (OSError, TimeoutError, IndexError) as error:
        seen.unexpected.append(type(error).__name__)
        return
    seen.statuses[status] += 1
    if status == 200:
        seen.answered.append(time.monotonic() - began)
    elif status in (429, 503) and b'"bound"' in body:
        seen.bounds[f"{status} {json.loads(body)['error']['bound']}"] += 1
    else:
        seen.unexpected.append(f"{status} {body[:80]!r}")


async def leaver(port: int) -> None:
    """A client that asks and goes away."""
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    body = json.dumps(asked()).encode()
    writer.write(f"POST /api/predict HTTP/1.1\r\nhost: localhost\r\ncontent-length: {len(body)}\r\n".encode())
    writer.write(b"content-type: application/json\r\n\r\n" + body)
    await asyncio.sleep(random.random() * 0.2)
    writer.close()


async def capacity(port: int, seconds: float) -> float:
    """Requests per second with 64 clients that each wait for their answer."""
    seen, began = Seen(), time.monotonic()

    async def client() -> None:
        while time.monotonic() < began + seconds:
            await request(port, seen)

    await asyncio.gather(*(client() for _ in range(64)))
    return seen.statuses[200] / (time.monotonic() - began)


async def overload(port: int, rate: float, seconds: float) -> Seen:
    """So many requests in every second; one in ten of the clients does not wait."""
    seen, began, tasks, sent = Seen(), time.monotonic(), set[asyncio.Task[None]](), 0
    while (now := time.monotonic() - began) < seconds:
        while sent < rate * now and len(tasks) < CLIENTS:
            task = asyncio.ensure_future(leaver(port) if sent % 10 == 9 else request(port, seen))
            tasks.add(task)
            task.add_done_callback(tasks.discard)
            sent += 1
        await asyncio.sleep(0.005)
    seen.rate = sent / seconds
    await asyncio.gather(*tasks, return_exceptions=True)
    return seen


def look(port: int, pid: int, seconds: float) -> tuple[list[float], list[int], list[float]]:
    """What a process of its own sees twice a second: seconds that `/health` takes, memory, texts that wait."""
    health, memory, waiting, until = list[float](), list[int](), list[float](), time.monotonic() + seconds
    while time.monotonic() < until:
        asked = time.monotonic()
        status, _ = asyncio.run(ask(port, "GET", "/health"))
        assert status == 200
        health.append(time.monotonic() - asked)
        memory.append(resident(pid))
        _, text = asyncio.run(ask(port, "GET", "/metrics"))
        waiting += [float(x.split()[1]) for x in text.decode().splitlines() if x.startswith("seqloom_waiting")]
        time.sleep(0.5)
    return health, memory, waiting


def resident(pid: int) -> int:
    """Bytes of memory that a process holds."""
    (line,) = [one for one in Path(f"/proc/{pid}/status").read_text().splitlines() if one.startswith("VmRSS")]
    return int(line.split()[1]) * 1024


def run(folder: Path, warm: float, seconds: float, queue: int) -> tuple[float, Seen, float]:
    """Capacity, what was seen in the overload, and the capacity afterwards."""
    running = Running([str(folder)], "--quiet", "--set", f"seconds={SECONDS}", "--set", f"queue={queue}")
    try:
        asyncio.run(capacity(running.port, warm))
        before = asyncio.run(capacity(running.port, warm))
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as beside:
            looking = beside.submit(look, running.port, running.process.pid, seconds)
            seen = asyncio.run(overload(running.port, 10 * before, seconds))
            seen.health, seen.memory, seen.waiting = looking.result(timeout=seconds + 120)
        after = asyncio.run(capacity(running.port, warm))
    finally:
        code, errors = running.stop()
    assert code == 0, errors
    return before, seen, after


def main(seconds: float) -> None:
    from tests.serving.test_load import song

    with tempfile.TemporaryDirectory() as place:
        before, seen, after = run(song(Path(place)), 10, seconds, QUEUE)
    times, health = sorted(seen.answered), sorted(seen.health)
    half = len(seen.memory) // 2
    early, late = (max(part) / 2**20 for part in (seen.memory[:half], seen.memory[half:]))
    print(f"capacity: {before:.0f} requests/s before, {after:.0f} after")
    print(f"{seconds:.0f} s at {seen.rate:.0f} requests/s: {seen.statuses[200]} answered, refused: {dict(seen.bounds)}")
    print(f"unexpected: {dict(Counter(seen.unexpected))}")
    print(f"answered: median {times[len(times) // 2]:.2f} s, slowest {times[-1]:.2f} s (bound {SECONDS} s)")
    print(f"/health: median {health[len(health) // 2] * 1000:.0f} ms, slowest {health[-1] * 1000:.0f} ms")
    print(f"waiting: at most {max(seen.waiting):.0f} texts (bound {QUEUE})")
    print(f"memory: at most {early:.0f} MiB in the first half, {late:.0f} MiB in the second")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 600)
