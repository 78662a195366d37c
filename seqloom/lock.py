"""One process at a time: a lock that the system releases when its holder ends, however it ends."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from seqloom.errors import OutputError

if sys.platform != "win32":
    import fcntl

WITHOUT = {errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP}
"""What file systems say that have no locks, as some of clusters."""


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


@contextmanager
def locked(file: Path, doing: str, tell: Callable[[str], None] = say) -> Iterator[None]:
    """Hold the lock of a file, which is there only as long; tell if another has it, and wait.

    doing   what a holder does, as in "is preparing the same data"

    Where the system has no locks the block runs at once.
    """
    if sys.platform == "win32":
        yield
        return
    while True:
        with opened(file) as stream:
            take(stream, doing, tell)
            if not is_at(stream, file):  # its holder took it away while we waited, and the next may have made another
                continue
            with suppress(OSError):  # a full disk will be told of by whoever writes what matters
                stream.truncate(0)
                stream.write(f"{os.getpid()}\n".encode())
            try:
                yield
            finally:
                file.unlink(missing_ok=True)
            return


def opened(file: Path) -> BinaryIO:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        return file.open("a+b", buffering=0)
    except OSError as error:
        what = f"cannot write {file}: {error.strerror or error}"
        raise OutputError(what, remedy="make room on the disk or choose another place") from error


def take(stream: BinaryIO, doing: str, tell: Callable[[str], None]) -> None:
    try:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            tell(f"{holder(stream)} {doing}; waiting for it (its lock: {stream.name})")
            fcntl.flock(stream, fcntl.LOCK_EX)
    except OSError as error:
        if error.errno not in WITHOUT:
            raise


def holder(stream: BinaryIO) -> str:
    stream.seek(0)
    number = stream.read(20).strip()
    return f"process {int(number)}" if number.isdigit() else "another process"


def is_at(stream: BinaryIO, file: Path) -> bool:
    """Whether the open file is still the one of this name."""
    try:
        return os.path.samestat(os.fstat(stream.fileno()), file.stat())
    except FileNotFoundError:
        return False
