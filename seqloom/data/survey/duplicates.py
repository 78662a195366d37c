"""What stands there twice: within a split, with another answer, or in two splits, where it spoils a test.

Of each record two hashes of eight bytes and its line are kept, 20 bytes in all; records beyond the first ten million
are not compared, and the survey says so.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seqloom.data.record import Place

MOST = 10_000_000
KEPT = 3


@dataclass(frozen=True)
class Occurrences:
    """How many there are, and where the first of them stand."""

    count: int
    places: list[Place]


@dataclass(frozen=True)
class DuplicateReport:
    """What was found twice."""

    compared: int
    """Records that were compared: the first so many."""
    same: Occurrences
    """Records that stand in the same split before, word for word."""
    conflicting: Occurrences
    """Records whose text stands in the same split with another label, tags or translation."""
    overlap: dict[str, Occurrences]
    """For each split but the first: records whose text stands in the first."""


class DuplicateFinder:
    """Remembers records as they come, split after split."""

    def __init__(self, most: int = MOST) -> None:
        self.most = most
        self.given, self.whole, self.lines = array("q"), array("q"), array("I")
        self.splits: dict[str, int] = {}
        self.starts: list[int] = []
        self.files: list[str] = []

    def add(self, split: str, given: Hashable, answer: Hashable, place: Place) -> None:
        """`given`: what a model reads; `answer`: what it should say, if that is more."""
        index = len(self.given)
        if index >= self.most:
            return
        self.splits.setdefault(split, index)
        if not self.files or self.files[-1] != place.file:
            self.starts.append(index)
            self.files.append(place.file)
        self.given.append(hash(given))
        self.whole.append(hash((given, answer)))
        self.lines.append(place.line or 0)

    def result(self) -> DuplicateReport:
        given, whole = np.asarray(self.given, np.int64), np.asarray(self.whole, np.int64)
        split = np.zeros(len(given), np.int8)
        for start in list(self.splits.values())[1:]:
            split[start:] += 1
        order = np.lexsort((whole, given, split))
        before, after = order[:-1], order[1:]
        alike = (given[before] == given[after]) & (split[before] == split[after])
        same = whole[before] == whole[after]
        overlap = {
            name: self.found(np.flatnonzero((split == number) & np.isin(given, given[split == 0])))
            for number, name in enumerate(self.splits)
            if number
        }
        return DuplicateReport(len(given), self.found(after[alike & same]), self.found(after[alike & ~same]), overlap)

    def found(self, indices: NDArray[np.int64]) -> Occurrences:
        first = np.sort(indices)[:KEPT].tolist()
        return Occurrences(len(indices), [self.place(index) for index in first])

    def place(self, index: int) -> Place:
        return Place(self.files[bisect_right(self.starts, index) - 1], self.lines[index] or None)


def hashable(value: object) -> Hashable:
    """What stands for a value when it is compared."""
    if isinstance(value, list):
        return tuple(value)
    return value.tobytes() if isinstance(value, np.ndarray) else str(value)


def joined(values: Iterable[object]) -> Hashable:
    return tuple(map(hashable, values))
