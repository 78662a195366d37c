"""Waiting for something that another process or thread does, and never for ever."""

import subprocess
import time
from collections.abc import Callable
from typing import Any

LIMIT = 60.0
"""Seconds after which it will never happen; nothing here is expected to take a tenth of it."""


def eventually(check: Callable[[], bool], process: subprocess.Popen[Any] | None = None, limit: float = LIMIT) -> None:
    """Wait until something is so; it is an error if that takes too long, or if the process that does it has ended."""
    end = time.monotonic() + limit
    while not check():
        assert time.monotonic() < end, f"not within {limit:g} seconds"
        assert process is None or process.poll() is None, "the process ended before"
        time.sleep(0.01)
