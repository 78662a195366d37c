"""A recorded number, vector or matrix, ready to be shown."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

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
    tensor = torch.as_tensor(number).detach().to(torch.float64)
    return Value(tuple(tensor.shape), rounded(tensor.flatten(), digits), rows, columns)


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


def rounded(numbers: Tensor, digits: int) -> list[float | str]:
    """Numbers with so many significant digits; what is not finite as a text."""
    finite = numbers.isfinite()
    places = digits - 1 - numbers.abs().log10().floor().masked_fill(~finite | (numbers == 0), 0).clamp(min=-300)
    up, down = 10.0 ** places.clamp(min=0), 10.0 ** (-places).clamp(min=0)  # both whole: so the quotient is exact
    found: list[float | str] = ((numbers * up / down).round() * down / up).tolist()
    if not finite.all():
        for place in (~finite).nonzero().flatten().tolist():
            number = found[place]
            found[place] = "NaN" if number != number else "∞" if number > 0 else "−∞"
    return found
