"""A file as memory: regular files only, no larger than the machine, and never written to."""

from __future__ import annotations

import mmap
import os
import stat
from pathlib import Path

from seqloom.errors import DamagedError


def map_file(file: Path) -> memoryview | None:
    """The bytes of a regular file, mapped so that writing to them changes nothing on disk; None if there is none."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        if not stat.S_ISREG(file.lstat().st_mode):
            raise irregular(file)
        descriptor = os.open(file, flags)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise unreadable(file, error) from error
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):  # it was swapped since
            raise irregular(file)
        if found.st_size > memory():
            what = f"{file} has {found.st_size:,} bytes, more than this machine has memory"
            raise DamagedError(what, remedy="use a larger machine, or ask whoever made it")
        return memoryview(mmap.mmap(descriptor, 0, access=mmap.ACCESS_COPY) if found.st_size else bytearray())
    except OSError as error:
        raise unreadable(file, error) from error
    finally:
        os.close(descriptor)


def irregular(file: Path) -> DamagedError:
    return DamagedError(
        f"{file} is no regular file", remedy="a link, a pipe or a device is not read: put the file there"
    )


def unreadable(file: Path, error: Exception) -> DamagedError:
    reason = getattr(error, "strerror", None) or error
    return DamagedError(f"{file} cannot be read: {reason}", remedy="check who may read it, or copy the folder again")


def memory() -> int:
    """Bytes that this machine has."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 1 << 40
