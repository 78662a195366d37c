"""Which word belongs to which: links taken from attention, in Pharaoh's format."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Links: TypeAlias = frozenset[tuple[int, int]]
"""(source, target), both counted from 0."""


def links_of_targets(weights: NDArray[np.float32], threshold: float = 0.0) -> Links:
    """Each target word with the source word it looks at most, if with `threshold` at least. weights (T, S)

    >>> to_pharaoh(links_of_targets(np.array([[0.9, 0.1], [0.8, 0.2]])))
    '0-0 0-1'
    """
    best = weights.argmax(1)
    return frozenset((int(s), t) for t, s in enumerate(best) if weights[t, s] >= threshold)


def to_pharaoh(links: Iterable[tuple[int, int]]) -> str:
    """Links as text, `source-target`, in order.

    >>> to_pharaoh({(1, 2), (0, 0)})
    '0-0 1-2'
    """
    return " ".join(f"{s}-{t}" for s, t in sorted(links))
