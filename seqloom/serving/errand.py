"""What one request wants computed, and what is known of it so far."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable, Hashable, Iterator, Sequence

from seqloom.tasks.requests import Reply, TaskRequest

Begin = Callable[[Sequence[TaskRequest]], Iterator[Sequence[Reply]]]
"""Starts the work on inputs, which may be those of several requests."""


class Errand:
    """Inputs that are answered together or apart. Made and awaited in the event loop, told by the thread that works."""

    def __init__(
        self,
        asked: Sequence[TaskRequest],
        begin: Begin,
        *,
        together: Hashable = None,
        rows: int = 1,
        until: float = math.inf,
    ) -> None:
        self.asked, self.begin, self.rows, self.until = list(asked), begin, rows, until
        self.together = together if together is not None else object()
        """Errands where this is equal may share a batch."""
        self.latest: dict[int, Reply] = {}
        """What was said last of each input; a slow reader misses steps, never the end."""
        self.error: Exception | None = None
        self.arrived = time.monotonic()
        self.loop = asyncio.get_running_loop()
        self.news = asyncio.Event()

    def answered(self, place: int) -> bool:
        return place in self.latest and self.latest[place].whole

    def leave(self) -> None:
        """Nobody waits any more."""
        for one in self.asked:
            one.wanted = False

    # --- in the working thread ------------------------------------------------------------------------

    def tell(self, said: Reply) -> None:
        self.latest[said.place] = said
        self.wake()

    def fail(self, error: Exception) -> None:
        self.error = error
        self.wake()

    def wake(self) -> None:
        if not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self.news.set)

    # --- in the event loop ----------------------------------------------------------------------------

    async def growth(self) -> AsyncIterator[dict[int, Reply]]:
        """What is known, again and again, until all is; an error of the work is raised."""
        try:
            finished = not self.asked
            while not finished:
                async with asyncio.timeout(max(self.until - self.loop.time(), 0) if self.until < math.inf else None):
                    await self.news.wait()
                self.news.clear()
                if self.error is not None:
                    raise self.error
                known = dict(self.latest)  # the other thread goes on
                finished = len(known) == len(self.asked) and all(said.whole for said in known.values())
                yield known
        finally:
            self.leave()
