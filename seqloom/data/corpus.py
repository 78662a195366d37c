"""A corpus on disk as token ids: tokenised once, mapped into memory, found again by its content.

A corpus is a folder that is whole or not there. A field (text, source, target, tags ...) is two files: all its ids one
behind the other, and where each example ends. Example k of every field belongs to the same record, so pairs cannot
shift. While it is made, finished chunks stand beside it: preparing goes on where it was stopped. Of several
processes that want the same one, one makes it and the others wait.
"""

from __future__ import annotations

import json
import mmap
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar
from warnings import warn

import numpy as np
from numpy.typing import NDArray

from seqloom.data.chunks import Array, Chunk, chunks, join
from seqloom.data.encoding import encode_chunks, without_garbage_collection
from seqloom.data.line_reader import check_regular
from seqloom.errors import DamagedError, SeqloomWarning
from seqloom.lock import locked
from seqloom.storage import MANIFEST, digest, read_json, replace_file

__all__ = ["Chunk", "Corpus", "fingerprint", "prepare"]

R = TypeVar("R")
CHUNK_SIZE = 20_000
"""Examples in a chunk: little enough for every process to hold one in memory while it is made."""

FORMAT = 2
"""Counts up when a corpus can no longer be read by older versions of seqloom."""
AT_ONCE = 1_000_000
"""Examples whose lengths are computed together: all at once would take hundreds of megabytes of 10 million."""
RELEASE_EVERY = 64
"""Examples read before mapped memory is given back: each may have brought in 2 MiB (a large page) of two files."""
LARGE = 2**27
"""Bytes of a corpus that need not be given back."""


def fingerprint(files: Iterable[Path], settings: Mapping[str, Any]) -> str:
    """A name that changes with the content of the files and with how they are read, and with nothing else."""
    made_of = {"format": FORMAT, "files": [content_of(Path(file)) for file in files], "settings": settings}
    return sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()[:32]


def content_of(path: Path) -> Any:
    """A hash for a file; for a folder, the names in it (they may be labels) and a hash for each."""
    if path.is_dir():
        return [[str(file.relative_to(path)), content_of(file)] for file in sorted(path.rglob("*")) if file.is_file()]
    check_regular(path)
    state = path.stat()
    return digest_once(path.resolve(), state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=10_000)
def digest_once(path: Path, size: int, changed: int) -> str:
    """Each split of the data asks for the same file; it is read once, until it changes."""
    return digest(path)


def prepare(
    folder: Path,
    records: Iterable[R],
    encode: Callable[[list[R]], Chunk],
    *,
    size: int = CHUNK_SIZE,
    workers: int | None = None,
) -> Corpus:
    """The corpus in a folder; made if it is not there, finished if it was begun.

    workers   processes that encode, from the start; by default one for each core, once there is enough to do
    ->        the same bytes for any number of them
    """
    unfinished = folder.with_name(f"{folder.name}.{size}.chunks")
    if not is_whole(folder):
        with locked(folder.with_name(f".{folder.name}.lock"), "is preparing the same data"):
            if not is_whole(folder):  # the one we waited for may have made it
                shutil.rmtree(folder, ignore_errors=True)
                make(folder, unfinished, records, encode, size, workers)
    shutil.rmtree(unfinished, ignore_errors=True)
    return Corpus(folder)


def is_whole(folder: Path) -> bool:
    """Whether a corpus is there, and every byte of it as it was written: a disk forgets, and a batch would not tell."""
    if not folder.exists():
        return False
    try:
        marks = read_json(folder / MANIFEST)["files"]
        right = all(digest(folder / name) == mark for name, mark in marks.items())
    except (DamagedError, OSError, KeyError, AttributeError, TypeError):
        right = False
    if not right:
        warn(f"{folder} was damaged while it lay there; it is made again", SeqloomWarning, stacklevel=2)
    return right


def make(
    folder: Path,
    unfinished: Path,
    records: Iterable[R],
    encode: Callable[[list[R]], Chunk],
    size: int,
    workers: int | None,
) -> None:
    """Write the chunks that are missing, then join all."""
    unfinished.mkdir(parents=True, exist_ok=True)
    files: list[Path] = []

    def missing() -> Iterator[tuple[Path, list[R]]]:
        for number, chunk in enumerate(chunks(records, size)):
            files.append(unfinished / f"{number:06d}.npz")
            if not is_sound(files[-1]):
                yield files[-1], chunk

    with without_garbage_collection(), closing(encode_chunks(missing(), encode, workers)) as found:
        for file, content in found:
            replace_file(file, content)
            replace_file(signature_of(file), sha256(content).hexdigest().encode())
    join(files, folder)


def signature_of(chunk: Path) -> Path:
    """Beside a chunk, its SHA-256: written last."""
    return chunk.with_suffix(".sha256")


def is_sound(chunk: Path) -> bool:
    """Whether a chunk that was left by a run that was stopped is as it was written."""
    try:
        return signature_of(chunk).read_text(encoding="utf-8") == digest(chunk)
    except (OSError, ValueError):
        return False


class Corpus:
    """A prepared corpus: `corpus[field, k]` is example k of a field; nothing is read before it is asked for.

    The system counts mapped memory as the process's own once it was touched, and shuffled reading touches all of it. So
    it is given back now and then: a corpus of any size is read in bounded memory.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        files = {file.name.removesuffix(".npy"): file for file in sorted(folder.glob("*.npy"))}
        self.maps = {name: np.load(file, mmap_mode="r", allow_pickle=False) for name, file in files.items()}
        self.arrays: dict[str, Array] = {name: np.asarray(found) for name, found in self.maps.items()}
        self.large = sum(array.nbytes for array in self.arrays.values()) > LARGE
        self.read = 0

    def __len__(self) -> int:
        return next((len(ends) for name, ends in self.arrays.items() if name.endswith(".ends")), 0)

    def __getitem__(self, place: tuple[str, int]) -> Array:
        field, index = place
        self.read += 1
        if self.large and self.read % RELEASE_EVERY == 0:
            self.release_memory()
        ends = self.arrays[f"{field}.ends"]
        start = int(ends[index - 1]) if index else 0
        found = self.arrays[field][start : int(ends[index])]
        return found.copy() if self.large else found  # mapped numbers that a batch holds would come back all at once

    def lengths(self, field: str) -> NDArray[np.int32]:
        """How many token ids each example of a field has."""
        found = np.zeros(len(self), np.int32)
        before = 0
        for first in range(0, len(found), AT_ONCE):
            ends = self.arrays[f"{field}.ends"][first : first + AT_ONCE]
            found[first : first + AT_ONCE] = np.diff(ends, prepend=before)
            before = int(ends[-1])
        self.release_memory()
        return found

    def release_memory(self) -> None:
        """Give the memory of what was read back to the system; it is read again when it is needed."""
        if hasattr(mmap, "MADV_DONTNEED"):  # not on Windows, which takes it back by itself
            for found in self.maps.values():
                found._mmap.madvise(mmap.MADV_DONTNEED)
