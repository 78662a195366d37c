"""The order of training: rows of a corpus, shuffled over all of it, in batches of about equal length.

An epoch is a permutation that the seed and its number decide. It is cut into pools; within a pool rows are sorted by
length and put into batches that hold at most so many tokens, padding counted; then the batches of the pool are
shuffled. The position is two numbers, so a sampler goes on where it was, whoever asks.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]


class BucketSampler:
    """Batches of the indices of rows, without end."""

    def __init__(self, lengths: NDArray[np.int32], batch_tokens: int, seed: int, pool: int = 100) -> None:
        self.lengths, self.batch_tokens, self.seed = lengths, batch_tokens, seed
        mean = max(float(lengths.mean()), 1.0)
        self.pool_rows = max(int(pool * batch_tokens / mean), 1)
        self.epoch, self.taken, self.rows = 0, 0, 0  # batches and rows taken in this epoch

    def __iter__(self) -> Iterator[Rows]:
        while True:
            self.rows = 0
            for number, batch in enumerate(self.batches(self.epoch)):
                self.rows += len(batch)
                if number < self.taken:
                    continue
                self.taken = number + 1
                yield batch
            self.epoch, self.taken = self.epoch + 1, 0

    def batches(self, epoch: int) -> Iterator[Rows]:
        """All batches of an epoch, in order."""
        generator = np.random.default_rng([self.seed, epoch])
        order = self.order(generator)
        for start in range(0, len(order), self.pool_rows):
            rows = order[start : start + self.pool_rows]
            by_length = rows[np.argsort(self.lengths[rows], kind="stable")]
            batches = list(self.batched(by_length))
            for place in generator.permutation(len(batches)):
                yield batches[place]

    def order(self, generator: np.random.Generator) -> Rows:
        """The rows of an epoch."""
        return generator.permutation(len(self.lengths))

    def batched(self, rows: Rows) -> Iterator[Rows]:
        """Sorted rows in batches; the longest row of each decides how many fit."""
        lengths = self.lengths[rows].tolist()  # numbers of Python: going on far into an epoch passes over millions
        first = 0
        for place in range(1, len(rows) + 1):
            if place == len(rows) or (place + 1 - first) * lengths[place] > self.batch_tokens:
                yield rows[first:place]
                first = place

    def batches_per_epoch(self) -> int:
        """How many batches the first epoch has; others have about as many."""
        return sum(1 for _ in self.batches(0))

    def epochs(self) -> float:
        """How often the corpus was read, in parts of a reading too."""
        return self.epoch + self.rows / len(self.lengths)

    def position(self) -> dict[str, Any]:
        return {"epoch": self.epoch, "taken": self.taken}

    def seek(self, position: dict[str, Any]) -> None:
        self.epoch, self.taken = int(position["epoch"]), int(position["taken"])
