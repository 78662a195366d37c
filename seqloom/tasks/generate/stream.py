"""The order of training on one long text: segments side by side or overlapping, shuffled anew in every epoch.

Side by side, the cuts are shifted by a random offset each time, and the first and the last segment may be short: every
token is predicted exactly once an epoch, and has had another number of tokens before it each time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from seqloom.errors import DataError

Segments = NDArray[np.int64]
"""(B, 2): where each begins and ends."""
B = TypeVar("B")


def side_by_side(count: int, length: int, offset: int = 0) -> Segments:
    """All of a text in segments; the first has `offset` tokens, if that is not 0.

    >>> side_by_side(10, 4, offset=3).tolist()
    [[0, 3], [3, 7], [7, 10]]
    """
    cuts = np.unique(np.concatenate([[0], np.arange(offset, count, length), [count]]))
    return np.stack([cuts[:-1], cuts[1:]], axis=1)


def overlapping(count: int, length: int, stride: int) -> Segments:
    """Whole segments that begin every `stride` tokens.

    >>> overlapping(10, 4, stride=3).tolist()
    [[0, 4], [3, 7], [6, 10]]
    """
    starts = np.arange(0, count - length + 1, stride)
    return np.stack([starts, starts + length], axis=1)


class SegmentStream(Generic[B]):
    """Batches without end, of `batch` segments each; its position is two numbers."""

    def __init__(
        self,
        count: int,
        length: int,
        stride: int,
        batch: int,
        seed: int,
        make: Callable[[Segments, np.random.Generator], B],
    ) -> None:
        if count < length:
            what = f"{count:,} tokens are too few for a segment of {length:,}"
            raise DataError(what, where="the training data", remedy="give a longer text, or lower model.length")
        self.count, self.length, self.stride = count, length, stride
        self.batch, self.seed, self.make = batch, seed, make
        self.epoch, self.taken = 0, 0  # batches taken in this epoch
        self.share = 0.0  # of the segments of this epoch

    def __iter__(self) -> Iterator[B]:
        while True:
            segments = self.segments(self.epoch)
            while (first := self.taken * self.batch) < len(segments):
                chosen = segments[first : first + self.batch]
                generator = np.random.default_rng([self.seed, self.epoch, self.taken])
                self.taken += 1
                self.share = (first + len(chosen)) / len(segments)
                yield self.make(chosen, generator)
            self.epoch, self.taken, self.share = self.epoch + 1, 0, 0.0

    def segments(self, epoch: int) -> Segments:
        """All segments of an epoch, in order."""
        generator = np.random.default_rng([self.seed, epoch])
        if self.stride:
            found = overlapping(self.count, self.length, self.stride)
        else:
            found = side_by_side(self.count, self.length, int(generator.integers(self.length)))
        return generator.permutation(found)

    def batches_per_epoch(self) -> int:
        return -(-len(self.segments(0)) // self.batch)

    def epochs(self) -> float:
        return self.epoch + self.share

    def position(self) -> dict[str, Any]:
        return {"epoch": self.epoch, "taken": self.taken}

    def seek(self, position: dict[str, Any]) -> None:
        self.epoch, self.taken = int(position["epoch"]), int(position["taken"])
