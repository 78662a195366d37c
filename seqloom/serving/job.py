"""A job: the inputs of one request, and the answers that are known so far."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable, Collection, Hashable, Iterable, Iterator, Sequence
from contextvars import ContextVar

from seqloom.tasks.requests import Reply, TaskRequest

Compute = Callable[[Sequence[TaskRequest]], Iterator[Sequence[Reply]]]
"""Starts computing a batch of inputs, which may be those of several requests; each step yields what is new."""


CLIENT: ContextVar[str] = ContextVar("CLIENT", default="")
"""The address of the client whose request is being answered."""


class Job:
    """Inputs that may be batched with those of others. Made and awaited in the event loop, updated by the scheduler."""

    def __init__(
        self,
        inputs: Sequence[TaskRequest],
        compute: Compute,
        *,
        batch_key: Hashable = None,
        sequences: int = 1,
        deadline: float = math.inf,
    ) -> None:
        self.inputs, self.compute, self.deadline = list(inputs), compute, deadline
        self.sequences = sequences
        """Sequences that are decoded for one input: the beam size, or the number of samples."""
        self.batch_key = batch_key if batch_key is not None else object()
        """Jobs with equal keys may share a batch."""
        self.latest: dict[int, Reply] = {}
        """The last reply to each input; a slow reader misses steps, never the end."""
        self.owner: tuple[str, object] = (CLIENT.get(), self)
        """Its client and its request; jobs that are submitted together are one request."""
        self.computed = 0.0
        """Seconds of computing that were its own share."""
        self.error: Exception | None = None
        self.arrived = time.monotonic()
        self.loop = asyncio.get_running_loop()
        self.changed = asyncio.Event()

    def is_done(self, index: int) -> bool:
        return index in self.latest and self.latest[index].whole

    def cancel(self) -> None:
        """Nobody waits for the answers any more."""
        for one in self.inputs:
            one.wanted = False

    # --- in the scheduler's thread --------------------------------------------------------------------

    def update(self, reply: Reply) -> None:
        """Keep a reply; `notify` tells whoever waits for it."""
        self.latest[reply.place] = reply

    def fail(self, error: Exception) -> None:
        self.error = error
        notify([self])

    # --- in the event loop ----------------------------------------------------------------------------

    async def updates(self) -> AsyncIterator[dict[int, Reply]]:
        """The latest replies by input, after every change until all are whole; raises what failed."""
        try:
            done = not self.inputs
            while not done:
                left = max(self.deadline - self.loop.time(), 0) if self.deadline < math.inf else None
                async with asyncio.timeout(left):
                    await self.changed.wait()
                self.changed.clear()
                if self.error is not None:
                    raise self.error
                known = dict(self.latest)  # the other thread goes on
                done = len(known) == len(self.inputs) and all(reply.whole for reply in known.values())
                yield known
        finally:
            self.cancel()


def notify(jobs: Collection[Job]) -> None:
    """Wake all who wait for these jobs, at once: each call of an event loop from another thread takes its time."""
    for loop in {job.loop for job in jobs}:
        if not loop.is_closed():
            loop.call_soon_threadsafe(wake, [job for job in jobs if job.loop is loop])


def wake(jobs: Iterable[Job]) -> None:
    for job in jobs:
        job.changed.set()
