"""Clients of a server on loopback: connections that are kept, one request on each at a time; nothing but Python.

A line of input is a request; its answer has the latencies in seconds, and how long all of it took.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
from collections.abc import Iterator
from itertools import cycle, islice
from typing import Any


class Client:
    """One connection."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.reader: asyncio.StreamReader
        self.writer: asyncio.StreamWriter

    async def connect(self) -> Client:
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        return self

    async def ask(self, body: bytes) -> float:
        """Send a request and read its answer; the seconds that took."""
        began = time.perf_counter()
        head = f"POST /api/predict HTTP/1.1\r\nhost: 127.0.0.1:{self.port}\r\ncontent-type: application/json\r\n"
        self.writer.write(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)
        lines = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower().split("\r\n")
        length = next(int(line.partition(":")[2]) for line in lines if line.startswith("content-length:"))
        answer = await self.reader.readexactly(length)
        if " 200 " not in lines[0]:
            raise RuntimeError(f"{lines[0]}: {answer.decode()[:300]}")
        return time.perf_counter() - began


async def at_once(port: int, bodies: list[bytes], clients: int) -> list[float]:
    """So many clients, each of which asks again as soon as it has its answer."""
    waiting: Iterator[bytes] = iter(bodies)

    async def work(client: Client) -> list[float]:
        return [await client.ask(body) for body in waiting]

    made = [await Client(port).connect() for _ in range(clients)]
    return [seconds for found in await asyncio.gather(*map(work, made)) for seconds in found]


async def at_a_rate(port: int, bodies: list[bytes], rate: float) -> list[float]:
    """So many requests a second, at times that know nothing of each other (Poisson)."""
    free: list[Client] = []
    draw = random.Random(0)

    async def one(body: bytes) -> float:
        client = free.pop() if free else await Client(port).connect()
        seconds = await client.ask(body)
        free.append(client)
        return seconds

    tasks, due = [], time.perf_counter()
    for body in bodies:
        due += draw.expovariate(rate)
        await asyncio.sleep(max(due - time.perf_counter(), 0))
        tasks.append(asyncio.create_task(one(body)))
    return list(await asyncio.gather(*tasks))


def main() -> None:
    job = json.loads(sys.stdin.readline())
    print("{}", flush=True)
    texts = [json.dumps({"text": text, **job["options"]}).encode() for text in job["texts"]]
    for line in sys.stdin:
        asked: dict[str, Any] = json.loads(line)
        bodies = list(islice(cycle(texts), asked["count"]))
        began = time.perf_counter()
        if "rate" in asked:
            latencies = asyncio.run(at_a_rate(asked["port"], bodies, asked["rate"]))
        else:
            latencies = asyncio.run(at_once(asked["port"], bodies, asked["clients"]))
        print(json.dumps({"seconds": time.perf_counter() - began, "latencies": latencies}), flush=True)


main()
