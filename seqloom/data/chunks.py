"""A corpus in the making: records in chunks, each chunk encoded to a file, all files joined to one array a field."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from seqloom.data.record import Record
from seqloom.storage import new_folder

Array: TypeAlias = NDArray[Any]
Chunk: TypeAlias = Mapping[str, Sequence[Array | Sequence[int]]]
"""For each field, one sequence of token ids (or other numbers) an example."""

R = TypeVar("R")
HEAVY = 20_000_000
"""Characters, words and numbers of a chunk that ends it early: long documents too are held a few at a time."""


def chunks(records: Iterable[R], size: int) -> Iterator[list[R]]:
    """Records in their order, at most `size` at a time: the same ones in every reading."""
    chunk: list[R] = []
    weight = 0
    for record in records:
        chunk.append(record)
        weight += weight_of(record)
        if len(chunk) == size or weight >= HEAVY:
            yield chunk
            chunk, weight = [], 0
    if chunk:
        yield chunk


def weight_of(record: object) -> int:
    if not isinstance(record, Record):
        return 1
    values = record.columns.values()
    return sum(
        [len(v) if isinstance(v, str | list | bytes) else v.size if isinstance(v, np.ndarray) else 1 for v in values]
    )


def as_file(chunk: Chunk) -> bytes:
    """A chunk as its file holds it: for each field the ids of all examples, and how many each has."""
    arrays: dict[str, Array] = {}
    for field, examples in chunk.items():
        arrays[f"{field}.lengths"] = lengths = np.fromiter(map(len, examples), np.int32, len(examples))
        if any(isinstance(example, np.ndarray) for example in examples):
            arrays[field] = smallest(np.concatenate(examples))
        else:
            arrays[field] = smallest(np.fromiter(chain.from_iterable(examples), np.int64, int(lengths.sum())))
    stream = BytesIO()
    np.savez(stream, **arrays)  # type: ignore[arg-type]  # mypy sees its flag among the names
    return stream.getvalue()


def smallest(numbers: Array) -> Array:
    """Whole numbers in as few bytes as they need."""
    if numbers.dtype.kind not in "iu":
        return numbers.astype(np.float32)
    if numbers.dtype == np.uint8:
        return numbers
    largest = int(numbers.max(initial=0))
    return numbers.astype(np.uint16 if largest < 2**16 and numbers.min(initial=0) >= 0 else np.int32)


def join(files: Sequence[Path], target: Path) -> None:
    """One file a field, however many chunks there are: a mapped file takes a descriptor, and a process has few."""
    with new_folder(target) as folder:
        for field in fields_of(files):
            write(folder / f"{field}.npy", partial(each, files, field))
            write(folder / f"{field}.ends.npy", partial(ends, files, field))


def fields_of(files: Sequence[Path]) -> list[str]:
    if not files:
        return []
    with np.load(files[0]) as chunk:
        return [name.removesuffix(".lengths") for name in chunk.files if name.endswith(".lengths")]


def each(files: Sequence[Path], name: str) -> Iterator[Array]:
    """The same array of every chunk, one after the other."""
    for file in files:
        with np.load(file) as chunk:
            yield chunk[name]


def ends(files: Sequence[Path], field: str) -> Iterator[Array]:
    """Where each example ends, counted from the first one of the corpus."""
    before = 0
    for lengths in each(files, f"{field}.lengths"):
        found = before + np.cumsum(lengths, dtype=np.int64)
        before += int(lengths.sum(dtype=np.int64))
        yield found


def write(file: Path, pieces: Callable[[], Iterator[Array]]) -> None:
    """A .npy of pieces that are read twice, for the size and for the numbers, and never held together."""
    found = [(len(piece), piece.shape[1:], piece.dtype) for piece in pieces()]
    kind = np.result_type(*(kind for _, _, kind in found))
    shape = (sum(length for length, _, _ in found), *found[0][1])
    with file.open("wb") as stream:
        np.lib.format.write_array_header_1_0(stream, {"descr": kind.str, "fortran_order": False, "shape": shape})
        for piece in pieces():
            stream.write(piece.astype(kind, copy=False).tobytes())
