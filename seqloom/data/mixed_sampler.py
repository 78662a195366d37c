"""Sets of very different sizes in one training: small ones are read more often than large ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seqloom.data.bucket_sampler import BucketSampler, Rows


class MixedSampler(BucketSampler):
    """Draws sets in proportion to size^(1/temperature): 1 as they are, above 1 more evenly.

    An epoch has as many rows as there are; of a set that is read several times in it, every row comes before one
    comes again.
    """

    def __init__(
        self, lengths: NDArray[np.int32], batch_tokens: int, seed: int, sets: NDArray[np.int64], temperature: float
    ) -> None:
        super().__init__(lengths, batch_tokens, seed)
        self.sets = [np.flatnonzero(sets == number) for number in np.unique(sets)]
        self.temperature = temperature

    def order(self, generator: np.random.Generator) -> Rows:
        drawn = [
            np.concatenate([generator.permutation(rows) for _ in range(-(-count // len(rows)))])[:count]
            for rows, count in zip(self.sets, self.counts(), strict=True)
        ]
        return generator.permutation(np.concatenate(drawn))

    def counts(self) -> list[int]:
        """Rows of each set in an epoch, one at least."""
        sizes = np.array([len(rows) for rows in self.sets], float)
        shares = sizes ** (1 / self.temperature)
        return [max(round(count), 1) for count in len(self.lengths) * shares / shares.sum()]


def mixed(
    lengths: NDArray[np.int32], batch_tokens: int, seed: int, sets: NDArray[np.int64] | None, temperature: float
) -> BucketSampler:
    """The order of training for rows of several sets, or of one (None)."""
    if sets is None:
        return BucketSampler(lengths, batch_tokens, seed)
    return MixedSampler(lengths, batch_tokens, seed, sets, temperature)
