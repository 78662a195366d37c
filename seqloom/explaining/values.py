"""A recorded number, row or matrix, ready to be shown."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Value:
    """Flat numbers in row-major order (true is 1, minus infinity is None); words for axes that run over words."""

    shape: tuple[int, ...]
    data: list[float | None]
    rows: list[str] | None = None
    columns: list[str] | None = None


def value_of(number: Tensor | float, rows: list[str] | None = None, columns: list[str] | None = None) -> Value:
    """A tensor or number with four significant digits.

    >>> value_of(torch.tensor([1 / 3, -torch.inf]))
    Value(shape=(2,), data=[0.3333, None], rows=None, columns=None)
    """
    tensor = torch.as_tensor(number).detach().to(torch.float64)
    data = [float(f"{x:.4g}") if torch.isfinite(torch.tensor(x)) else None for x in tensor.flatten().tolist()]
    return Value(tuple(tensor.shape), data, rows, columns)
