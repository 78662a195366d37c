"""A recorded number, vector or matrix, ready to be shown."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

FEW = 4
"""Where so few entries of an axis can be shown, there are very many numbers, and three digits of each are enough."""


@dataclass(frozen=True)
class Value:
    """Flat numbers in row-major order (true is 1; what is not finite is a text); words for axes that run over words."""

    shape: tuple[int, ...]
    data: list[float | str]
    rows: list[str] | None = None
    columns: list[str] | None = None
    of: tuple[int, ...] | None = None
    """The shape of the whole, where only a part of it is held."""
    note: str = ""
    """Which part that is."""


def value_of(
    number: Tensor | float, rows: list[str] | None = None, columns: list[str] | None = None, digits: int = 4
) -> Value:
    """A tensor or number with so many significant digits.

    >>> value_of(torch.tensor([1 / 3, -torch.inf, torch.nan]))
    Value(shape=(3,), data=[0.3333, '−∞', 'NaN'], rows=None, columns=None, of=None, note='')
    """
    numbers = torch.as_tensor(number).detach().to("cpu", torch.float64).numpy()
    return Value(numbers.shape, rounded(numbers.reshape(-1), digits), rows, columns)


def part_of(
    number: Tensor | float, names: Sequence[list[str] | None], limit: int | None, newest: Collection[int] = ()
) -> Value:
    """A value with the words along its axes.

    With a limit, of an axis without words at most so many entries, the first; of the axes `newest` the last entry.

    >>> part_of(torch.arange(6.0), [None], 4)
    Value(shape=(4,), data=[0.0, 1.0, 2.0, 3.0], rows=None, columns=None, of=(6,), note='the first 4 of 6')
    """
    tensor = torch.as_tensor(number).detach()
    whole = tuple(tensor.shape)
    kept = held(whole, names, limit, newest)
    named: list[list[str] | None] = [None, None, *(name and name[places] for name, places in zip(names, kept))]
    value = value_of(tensor[kept], named[-2], named[-1], digits=4 if limit is None or limit > FEW else 3)
    if value.shape == whole:
        return value
    last = any(value.shape[axis] < whole[axis] for axis in newest)
    note = f"the {'newest' if last else 'first'} {' × '.join(map(str, value.shape))} of {' × '.join(map(str, whole))}"
    return replace(value, of=whole, note=note)


def held(
    shape: tuple[int, ...], names: Sequence[list[str] | None], limit: int | None, newest: Collection[int] = ()
) -> tuple[slice, ...]:
    """Which entries of each axis are shown."""
    return tuple(
        slice(size)
        if limit is None or (name is not None and axis not in newest)
        else slice(max(size - 1, 0), size)
        if axis in newest
        else slice(min(size, limit))
        for axis, (size, name) in enumerate(zip(shape, names, strict=True))
    )


def rounded(numbers: np.ndarray, digits: int) -> list[float | str]:
    """Numbers with so many significant digits; what is not finite as a text."""
    usual = np.isfinite(numbers) & (np.abs(numbers) > 1e-300)
    places = digits - 1 - np.floor(np.log10(np.abs(numbers), where=usual, out=np.zeros_like(numbers)))
    up, down = 10.0 ** np.maximum(places, 0), 10.0 ** np.maximum(-places, 0)  # whole, so that the quotient is exact
    found: list[float | str] = np.where(usual, np.round(numbers * up / down) * down / up, numbers).tolist()
    if not usual.all():
        for place in np.flatnonzero(~np.isfinite(numbers)):
            number = numbers[place]
            found[place] = "NaN" if np.isnan(number) else "∞" if number > 0 else "−∞"
    return found
