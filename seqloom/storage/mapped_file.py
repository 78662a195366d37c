"""A file from anyone as bytes: regular files only, in bounds, and never written to."""

from __future__ import annotations

import mmap
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from seqloom.errors import DamagedError


def map_file(file: Path) -> memoryview | None:
    """The bytes of a regular file, mapped so that writing to them changes nothing on disk; None if there is none."""
    with opened(file, memory()) as found:
        if found is None:
            return None
        descriptor, size = found
        return memoryview(mmap.mmap(descriptor, 0, access=mmap.ACCESS_COPY) if size else bytearray())


def read_file(file: Path, most: int) -> bytes | None:
    """The bytes of a regular file, copied: for one that is written to meanwhile, which mapped memory would not outlive.

    most    bytes that it may have
    """
    with opened(file, most) as found:
        if found is None:
            return None
        with os.fdopen(os.dup(found[0]), "rb") as stream:
            return stream.read(most)


@contextmanager
def opened(file: Path, most: int) -> Iterator[tuple[int, int] | None]:
    """The descriptor of a regular file and its size; None if there is none."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        if not stat.S_ISREG(file.lstat().st_mode):
            raise irregular(file)
        descriptor = os.open(file, flags)
    except (FileNotFoundError, NotADirectoryError):
        yield None
        return
    except (OSError, ValueError) as error:
        raise unreadable(file, error) from error
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):  # it was swapped since
            raise irregular(file)
        if found.st_size > most:
            bound = "this machine has memory" if most == memory() else f"the {most:,} that it may have"
            what = f"{file} has {found.st_size:,} bytes, more than {bound}"
            raise DamagedError(what, remedy="use a larger machine, or ask whoever made it")
        yield descriptor, found.st_size
    except OSError as error:
        raise unreadable(file, error) from error
    finally:
        os.close(descriptor)


def irregular(file: Path) -> DamagedError:
    return DamagedError(
        f"{file} is not a regular file", remedy="a link, a pipe or a device is not read: put the file there"
    )


def unreadable(file: Path, error: Exception) -> DamagedError:
    reason = getattr(error, "strerror", None) or error
    return DamagedError(f"{file} cannot be read: {reason}", remedy="check who may read it, or copy the folder again")


def memory() -> int:
    """Bytes that this machine has."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 1 << 40
