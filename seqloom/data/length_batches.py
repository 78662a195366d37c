"""Batches of inputs that are about equally long, so that little is padded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

AT_ONCE = 256
"""Examples that are predicted or evaluated in one batch."""


def by_length(lengths: Sequence[int] | NDArray[Any], at_once: int = AT_ONCE) -> Iterator[list[int]]:
    """Indices in batches of about equal length, the shortest first.

    >>> list(by_length([7, 2, 5], at_once=2))
    [[1, 2], [0]]
    """
    order = np.argsort(np.asarray(lengths), kind="stable").tolist()
    for first in range(0, len(order), at_once):
        yield order[first : first + at_once]
