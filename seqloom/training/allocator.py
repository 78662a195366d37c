"""Memory that one step gives back, kept for the next."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from contextlib import contextmanager

TRIM_THRESHOLD, MMAP_MAX = -1, -4
"""What glibc calls its settings (malloc.h)."""
LARGEST = 2**31 - 1


@contextmanager
def keep_freed_memory() -> Iterator[None]:
    """Let glibc keep what is freed, for a while: a step asks for the same amounts again and again.

    On its own glibc hands large blocks back to the system at once, and the system clears every page of them anew for
    the next step. Other C libraries are left alone.
    """
    library = ctypes.CDLL(None) if sys.platform == "linux" else None
    if library is None or not hasattr(library, "gnu_get_libc_version"):
        yield
        return
    library.mallopt(MMAP_MAX, 0)
    library.mallopt(TRIM_THRESHOLD, LARGEST)
    try:
        yield
    finally:
        library.mallopt(MMAP_MAX, 65_536)  # as it is by default
        library.mallopt(TRIM_THRESHOLD, 128 * 1024)
        library.malloc_trim(0)
