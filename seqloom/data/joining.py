"""From parts to a corpus: for each field one array, as if there had been no parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from seqloom.data.parts import Numbers
from seqloom.storage import new_folder


def join(files: Sequence[Path], target: Path) -> None:
    """One file a field, however many parts there are: a mapped file takes a descriptor, and a process has few."""
    with new_folder(target) as folder:
        for field in fields_of(files):
            write(folder / f"{field}.npy", partial(each, files, field))
            write(folder / f"{field}.ends.npy", partial(ends, files, field))


def fields_of(files: Sequence[Path]) -> list[str]:
    if not files:
        return []
    with np.load(files[0]) as part:
        return [name.removesuffix(".lengths") for name in part.files if name.endswith(".lengths")]


def each(files: Sequence[Path], name: str) -> Iterator[Numbers]:
    """The same array of every part, one after the other."""
    for file in files:
        with np.load(file) as part:
            yield part[name]


def ends(files: Sequence[Path], field: str) -> Iterator[Numbers]:
    """Where each example ends, counted from the first one of the corpus."""
    before = 0
    for lengths in each(files, f"{field}.lengths"):
        found = before + np.cumsum(lengths, dtype=np.int64)
        before += int(lengths.sum(dtype=np.int64))
        yield found


def write(file: Path, pieces: Callable[[], Iterator[Numbers]]) -> None:
    """A .npy of pieces that are read twice, for the size and for the numbers, and never held together."""
    found = [(len(piece), piece.shape[1:], piece.dtype) for piece in pieces()]
    kind = np.result_type(*(kind for _, _, kind in found))
    shape = (sum(length for length, _, _ in found), *found[0][1])
    with file.open("wb") as stream:
        np.lib.format.write_array_header_1_0(stream, {"descr": kind.str, "fortran_order": False, "shape": shape})
        for piece in pieces():
            stream.write(piece.astype(kind, copy=False).tobytes())
