"""The tensors of a checkpoint that several processes wrote, each its own part: read whole, or the part of a process.

The files have the layout of torch's distributed checkpoint in safetensors, which `HuggingFaceStorageReader` opens; they
are written and read here, since torch's own writer sends its plans between processes as pickles (decisions/0012).
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

from seqloom.errors import DamagedError
from seqloom.storage import ModelFiles
from seqloom.storage.checked_json import parse_object

FILE = re.compile(r"shard-[0-9]{5}-of-([0-9]{5})\.safetensors")
OFFSETS = "DCP_SHARDING_INFO"
"""Where the header says which rows of each tensor are in a file, as torch's reader wants it."""


class StoredRows(NamedTuple):
    """Some rows of a tensor, from one of its parts: the first of them, and their numbers."""

    first: int
    values: Tensor


Pieces = Sequence[StoredRows]
"""All rows of a tensor, the first ones first."""


class ShardedTensors(Mapping[str, dict[str, Tensor]]):
    """The tensors by kind, as `checkpoint.Checkpoint` has them; a kind is put together when it is asked for."""

    def __init__(self, files: ModelFiles) -> None:
        found: dict[str, dict[str, list[StoredRows]]] = {}
        names = [name for name in files.names if FILE.fullmatch(name)]
        if {int(FILE.fullmatch(name)[1]) for name in names} != {len(names)}:  # type: ignore[index]
            what = f"{files.place} is damaged: it has {len(names)} parts, and their names say otherwise"
            raise DamagedError(what, remedy="remove it, and resume from an older one")
        for file in names:
            offsets = parse_object(str(files.metadata(file).get(OFFSETS)).encode(), str(files.place / file))
            for key, values in files.tensors(file).items():
                kind, _, name = key.partition("/")
                rows = StoredRows(first_row(offsets.get(key), values), values)
                found.setdefault(kind, {}).setdefault(name, []).append(rows)
        self.pieces: dict[str, dict[str, Pieces]] = {
            kind: {name: complete(name, pieces, files.place) for name, pieces in tensors.items()}
            for kind, tensors in found.items()
        }

    def __getitem__(self, kind: str) -> dict[str, Tensor]:
        return {name: rows_between(pieces, 0, rows_of(pieces)) for name, pieces in self.pieces[kind].items()}

    def __contains__(self, kind: object) -> bool:
        return kind in self.pieces  # Mapping would put the kind together to see

    def __iter__(self) -> Iterator[str]:
        return iter(self.pieces)

    def __len__(self) -> int:
        return len(self.pieces)

    def size(self, kinds: Collection[str]) -> int:
        """Bytes of the tensors of some kinds."""
        found = [pieces for kind in kinds for pieces in self.pieces.get(kind, {}).values()]
        return sum(rows.values.nbytes for pieces in found for rows in pieces)


def is_sharded(files: ModelFiles) -> bool:
    """Whether several processes wrote a checkpoint."""
    return any(map(FILE.fullmatch, files.names))


def pieces_of(tensors: Mapping[str, dict[str, Tensor]], kind: str) -> Mapping[str, Pieces]:
    """The tensors of a kind in their parts, however many processes wrote them."""
    if isinstance(tensors, ShardedTensors):
        return tensors.pieces[kind]
    return {name: [StoredRows(0, tensor)] for name, tensor in tensors[kind].items()}


def rows_of(pieces: Pieces) -> int:
    """How many rows there are; a number by itself is one."""
    first, values = pieces[-1]
    return first + (len(values) if values.dim() else 1)


def rows_between(pieces: Pieces, first: int, end: int) -> Tensor:
    """A copy of the rows from `first` up to `end`."""
    if pieces[0].values.dim() == 0:
        return pieces[0].values.clone()
    inside = [values[max(first - start, 0) : max(end - start, 0)] for start, values in pieces]
    return torch.cat(inside)


def first_row(entry: Any, values: Tensor) -> int:
    """Where the rows of a file begin; -1 for what cannot be."""
    match entry:
        case {"saved_offsets": []} if values.dim() == 0:
            return 0
        case {"saved_offsets": [int(first), *others]} if len(others) == values.dim() - 1 and not any(others):
            return first
    return -1


def complete(name: str, pieces: list[StoredRows], place: Path) -> Pieces:
    """The pieces in order; an error unless they make one tensor without a hole."""
    ordered = sorted(pieces, key=lambda rows: rows.first)
    ends = [0, *(first + (math.prod(values.shape[:1])) for first, values in ordered)]
    kinds = {(values.shape[1:], values.dim(), values.dtype) for _, values in ordered}
    if [first for first, _ in ordered] != ends[:-1] or len(kinds) > 1:
        what = f"{place} is damaged: the parts of {name!r:.60} do not fit together"
        raise DamagedError(what, remedy="remove it, and resume from an older one")
    return ordered
