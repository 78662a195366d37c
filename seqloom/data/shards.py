"""A corpus on disk as numbers: tokenised once, mapped into memory, found again by its content.

A corpus is a folder of parts, each with `size` examples, and a part is written whole or not at all: preparing goes on
where it was stopped. A field (text, source, target, tags ...) of a part is two files: all its numbers one behind the
other, and where each example begins. Example k of every field belongs to the same record, so pairs cannot shift.
"""

from __future__ import annotations

import json
import mmap
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from seqloom.storage import digest, new_folder, read_json, replace_file

Numbers: TypeAlias = NDArray[Any]
Chunk: TypeAlias = Mapping[str, Sequence[Numbers | Sequence[int]]]
"""For each field, one sequence of numbers an example."""

R = TypeVar("R")
PART = 50_000
"""Examples in a part: little enough to be held in memory while it is made."""
DONE = "corpus.json"


def fingerprint(files: Iterable[Path], settings: Mapping[str, Any]) -> str:
    """A name that changes with the content of the files and with how they are read, and with nothing else."""
    made_of = {"files": [digest(Path(file)) for file in files], "settings": settings}
    return sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()[:32]


def prepare(folder: Path, records: Iterable[R], encode: Callable[[list[R]], Chunk], *, size: int = PART) -> Corpus:
    """The corpus in a folder; made if it is not there, finished if it was begun."""
    if not (folder / DONE).exists():
        folder.mkdir(parents=True, exist_ok=True)
        parts = sum(1 for part in folder.glob("part-*"))
        following = iter(records)
        for _ in islice(following, parts * size):  # these are written already
            pass
        while chunk := list(islice(following, size)):
            write_part(folder / f"part-{parts:05d}", encode(chunk))
            parts += 1
        replace_file(folder / DONE, json.dumps({"parts": parts}).encode())
    return Corpus(folder)


def write_part(target: Path, chunk: Chunk) -> None:
    shutil.rmtree(target, ignore_errors=True)
    with new_folder(target) as part:
        for field, examples in chunk.items():
            arrays = [np.asarray(example) for example in examples]
            lengths = np.array([len(array) for array in arrays], dtype=np.int64)
            joined = np.concatenate(arrays) if arrays else np.zeros(0, np.int32)
            np.save(part / f"{field}.npy", smallest(joined))
            np.save(part / f"{field}.ends.npy", np.cumsum(lengths))


def smallest(numbers: Numbers) -> Numbers:
    """Whole numbers in as few bytes as they need."""
    if numbers.dtype.kind not in "iu":
        return numbers.astype(np.float32)
    largest = int(numbers.max(initial=0))
    return numbers.astype(np.uint16 if largest < 2**16 and numbers.min(initial=0) >= 0 else np.int32)


class Corpus:
    """A prepared corpus: `corpus[field, k]` is example k of a field; nothing is read before it is asked for."""

    def __init__(self, folder: Path) -> None:
        count = int(read_json(folder / DONE)["parts"])
        self.folder = folder
        self.parts = [Part(folder / f"part-{number:05d}") for number in range(count)]
        self.firsts = np.cumsum([0, *(len(part) for part in self.parts)])

    def __len__(self) -> int:
        return int(self.firsts[-1])

    def __getitem__(self, place: tuple[str, int]) -> Numbers:
        field, index = place
        number = int(np.searchsorted(self.firsts, index, side="right")) - 1
        return self.parts[number].example(field, index - int(self.firsts[number]))

    def lengths(self, field: str) -> NDArray[np.int32]:
        """How many numbers each example of a field has."""
        found = [np.diff(part.ends(field), prepend=0).astype(np.int32) for part in self.parts]
        return np.concatenate(found) if found else np.zeros(0, np.int32)

    def forget(self) -> None:
        """Give the memory of what was read back to the system; it is read again when it is needed."""
        for part in self.parts:
            part.forget()


class Part:
    """One part, mapped into memory."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.arrays: dict[str, Numbers] = {}

    def __len__(self) -> int:
        field = next(file.name for file in sorted(self.folder.glob("*.ends.npy"))).removesuffix(".ends.npy")
        return len(self.ends(field))

    def example(self, field: str, index: int) -> Numbers:
        ends = self.ends(field)
        start = int(ends[index - 1]) if index else 0
        return self.mapped(f"{field}.npy")[start : int(ends[index])]

    def ends(self, field: str) -> Numbers:
        return self.mapped(f"{field}.ends.npy")

    def mapped(self, name: str) -> Numbers:
        if name not in self.arrays:
            self.arrays[name] = np.load(self.folder / name, mmap_mode="r", allow_pickle=False)
        return self.arrays[name]

    def forget(self) -> None:
        for array in self.arrays.values():
            raw = getattr(array, "_mmap", None)
            if raw is not None:
                raw.madvise(mmap.MADV_DONTNEED)
