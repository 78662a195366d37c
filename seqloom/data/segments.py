"""Segments of a long sequence and the token that comes next, to learn a language model from.

Nothing is copied until it is used: the windows are views, so a memory-mapped corpus stays on the disk.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from seqloom.errors import DataError


def segments(tokens: NDArray[Any], length: int, stride: int = 1) -> tuple[NDArray[Any], NDArray[Any]]:
    """Windows of `length` that start every `stride` tokens, and the token after each.

    ->      (N, length) and (N,); zip them for pairs

    >>> windows, following = segments(np.array([1, 2, 3, 4, 5, 6]), length=2, stride=3)
    >>> windows.tolist(), following.tolist()
    ([[1, 2], [4, 5]], [3, 6])
    """
    if stride < 1:
        raise DataError(f"a stride of {stride} does not move", remedy="give 1 or more")
    both = windows_of(tokens, length)[::stride]
    return both[:, :-1], both[:, -1]


def random_segments(
    tokens: NDArray[Any], length: int, count: int, generator: np.random.Generator
) -> tuple[NDArray[Any], NDArray[Any]]:
    """`count` windows from anywhere, each start as likely as any other, and the token after each."""
    windows = windows_of(tokens, length)
    both = windows[generator.integers(len(windows), size=count)]
    return both[:, :-1], both[:, -1]


def windows_of(tokens: NDArray[Any], length: int) -> NDArray[Any]:
    """Every run of `length` tokens and the next."""
    if length < 1:
        raise DataError(f"a segment of {length} tokens holds nothing", remedy="give 1 or more")
    if len(tokens) <= length:
        what = f"{len(tokens)} tokens are too few for a segment of {length} and the token after it"
        raise DataError(what, remedy="give a longer text, or shorter segments")
    return sliding_window_view(tokens, length + 1)
