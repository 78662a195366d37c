"""Rows of numbers into tensors: padded behind, with their lengths."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


def pad(rows: Sequence[NDArray[np.int64]], device: torch.device) -> tuple[Tensor, Tensor]:
    """Rows of different lengths -> (B, T) with 0 behind each, and lengths (B); T is 1 at least."""
    lengths = [len(row) for row in rows]
    matrix = np.zeros((len(rows), max([1, *lengths])), np.int64)
    for number, row in enumerate(rows):
        matrix[number, : len(row)] = row
    return torch.from_numpy(matrix).to(device), torch.tensor(lengths, device=device)


def shorten(row: NDArray[np.int64], length: int, keep: Literal["first", "last"]) -> NDArray[np.int64]:
    """The first or the last tokens of a row that is longer than allowed."""
    return row if len(row) <= length else row[:length] if keep == "first" else row[-length:]
