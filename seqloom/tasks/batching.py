"""Rows of numbers into tensors: padded after their end, with their lengths."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from seqloom.data.align import to_matrix


def tensors(rows: Sequence[Any], device: torch.device) -> tuple[Tensor, Tensor]:
    """Rows of different lengths -> (B, T) with 0 after each, and lengths (B); T is 1 at least."""
    longest = max((len(row) for row in rows), default=0)
    matrix, lengths = to_matrix(rows, max(longest, 1))
    return torch.from_numpy(matrix).to(device), torch.from_numpy(lengths).to(device)
