"""A recorded number, row or matrix, ready to be shown."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Value:
    """Flat numbers in row-major order (true is 1; what is not finite is a text); words for axes that run over words."""

    shape: tuple[int, ...]
    data: list[float | str]
    rows: list[str] | None = None
    columns: list[str] | None = None


def value_of(number: Tensor | float, rows: list[str] | None = None, columns: list[str] | None = None) -> Value:
    """A tensor or number with four significant digits.

    >>> value_of(torch.tensor([1 / 3, -torch.inf, torch.nan]))
    Value(shape=(3,), data=[0.3333, '−∞', 'NaN'], rows=None, columns=None)
    """
    tensor = torch.as_tensor(number).detach().to(torch.float64)
    return Value(tuple(tensor.shape), [rounded(x) for x in tensor.flatten().tolist()], rows, columns)


def rounded(number: float) -> float | str:
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "∞" if number > 0 else "−∞"
    return float(f"{number:.4g}")
