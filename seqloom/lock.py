"""One process at a time: a lock that the system releases when its holder ends, however it ends."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from seqloom.errors import OutputError

WITHOUT_LOCKS = {errno.ENOLCK, errno.ENOTSUP}
"""What file systems say that have no locks, as some of clusters."""


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


@contextmanager
def locked(file: Path, doing: str, tell: Callable[[str], None] = say) -> Iterator[None]:
    """Hold the lock of a file, which is there only as long; tell if another process has it, and wait.

    doing   what a holder does, as in "is preparing the same data"

    Where the file system has no locks the block runs at once.
    """
    lock = FileLock(file)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            tell(f"{holder(file)} {doing}; waiting for it (its lock: {file})")
            lock.acquire()
    except OSError as error:
        if error.errno not in WITHOUT_LOCKS:
            what = f"cannot write {file}: {error.strerror or error}"
            raise OutputError(what, remedy="make room on the disk or choose another place") from error
    with suppress(OSError):  # a full disk will be told of by whoever writes what matters
        file.write_text(f"{os.getpid()}\n")
    try:
        yield
    finally:
        with suppress(OSError):  # Windows keeps a file that is open
            file.unlink()  # before the release: whoever gets a file without a name tries again
        lock.release()


def holder(file: Path) -> str:
    try:
        return f"process {int(file.read_text())}"
    except (OSError, ValueError):
        return "another process"
