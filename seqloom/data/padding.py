"""Sequences of one length: truncated to the first or the last tokens, padded in front or behind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

T = TypeVar("T")
Keep: TypeAlias = Literal["first", "last"]
Side: TypeAlias = Literal["front", "behind"]


def truncate(tokens: Sequence[T], longest: int, keep: Keep = "first") -> Sequence[T]:
    """At most `longest` tokens, from the beginning or the end.

    >>> truncate(["a", "b", "c"], 2), truncate(["a", "b", "c"], 2, keep="last")
    (['a', 'b'], ['b', 'c'])
    """
    if len(tokens) <= longest:
        return tokens
    return tokens[:longest] if keep == "first" else tokens[len(tokens) - longest :]


def pad_sequences(
    sequences: Sequence[Any],
    length: int | None = None,
    *,
    filler: float = 0,
    keep: Keep = "first",
    side: Side = "behind",
    dtype: DTypeLike = np.int64,
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Sequences of unequal length as one array, and how long each is in it.

    sequences  B of T token ids each, or of frames (T, D)
    length     that all get; None: of the longest
    ->         (B, length) or (B, length, D), and (B,)

    >>> matrix, lengths = pad_sequences([[5, 6, 7], [8]], side="front")
    >>> matrix.tolist(), lengths.tolist()
    ([[5, 6, 7], [0, 0, 8]], [3, 1])
    """
    length = max((len(one) for one in sequences), default=0) if length is None else length
    inner = np.shape(sequences[0])[1:] if len(sequences) else ()
    matrix = np.full((len(sequences), length, *inner), filler, dtype=dtype)
    lengths = np.zeros(len(sequences), dtype=np.int64)
    for index, sequence in enumerate(sequences):
        kept = truncate(sequence, length, keep)
        lengths[index] = len(kept)
        if len(kept):
            start = 0 if side == "behind" else length - len(kept)
            matrix[index, start : start + len(kept)] = kept
    return matrix, lengths
