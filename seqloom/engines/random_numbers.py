"""The random numbers that torch draws, without torch: an engine then writes what a model in torch would."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def uniform(keys: Sequence[str], count: int) -> NDArray[np.float64]:
    """For each key so many numbers in [0, 1) (R, count), as `decoding.sampling.RowGenerators` draws them.

    torch's generator on a CPU is a Mersenne Twister, which takes 32 bits of its seed; of two draws of 32 bits, the
    higher first, a number of 64 bits keeps the lowest 53.
    """
    drawn = np.empty((len(keys), count))
    for row, key in enumerate(keys):
        seed = int.from_bytes(hashlib.blake2b(key.encode(), digest_size=7).digest(), "big") & 0xFFFFFFFF
        twister = np.random.RandomState(seed)
        raw = twister.randint(0, 1 << 32, (count, 2), np.uint64)
        drawn[row] = ((raw[:, 0] << np.uint64(32) | raw[:, 1]) & np.uint64((1 << 53) - 1)) * 2.0**-53
    return drawn
