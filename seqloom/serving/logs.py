"""The server's log: what happened and where, never what a text said; nobody waits for whoever reads it."""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from queue import Full, Queue

log = logging.getLogger("seqloom.serving")
MOST_LINES = 10_000
"""Lines that are held while nobody reads; more are counted and thrown away."""
LAST_SECONDS = 1.0
"""Seconds in which the last lines are written when the server ends."""


class PatientHandler(logging.Handler):
    """Hands lines to a thread that writes them: a pipe that nobody reads stops that thread and nothing else."""

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self.descriptor, self.lines = descriptor, Queue[str](MOST_LINES)
        self.dropped = 0
        threading.Thread(target=self.write, name="log", daemon=True).start()

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self.lines.put_nowait(f"{self.format(record)}\n")
        except Full:
            self.dropped += 1

    def write(self) -> None:
        while True:
            text = self.lines.get()
            if self.dropped:
                dropped, self.dropped = self.dropped, 0
                text += f"({dropped:,} lines were not written: nobody read them)\n"
            try:
                data = text.encode("utf-8", "replace")
                while data:
                    data = data[os.write(self.descriptor, data) :]
            except OSError:
                pass  # the reader is gone
            finally:
                self.lines.task_done()

    def drain(self) -> None:
        """Wait a little until all is written."""
        end = time.monotonic() + LAST_SECONDS
        while self.lines.unfinished_tasks and time.monotonic() < end:
            time.sleep(0.01)


@contextmanager
def log_to_stderr(level: int) -> Iterator[None]:
    """Write the log to standard error, with the time before each line."""
    handler = PatientHandler(sys.stderr.fileno())
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%H:%M:%S"))
    log.setLevel(level)
    log.addHandler(handler)
    log.propagate = False
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.propagate = True
        handler.drain()


def log_error(error: BaseException) -> None:
    """Log a bug of ours: its kind and place, without its message, which may quote a text."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    where = f"{last.tb_frame.f_code.co_filename}:{last.tb_lineno}" if last else "an unknown place"
    log.error("%s at %s", type(error).__name__, where)
