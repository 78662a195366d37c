"""The state of a decoder as a list of tensors: what goes in and out of a graph, step by step."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import torch
from torch import Tensor

Rebuild = Callable[[Sequence[Tensor]], Any]


def leaves_of(state: Any) -> tuple[list[Tensor], Rebuild]:
    """All tensors and whole numbers of a state, the numbers as tensors of no axis; and the way back.

    A state is nested tuples, lists and data classes. Numbers are what changes from step to step, as the position of the
    next token. What is neither (None, a flag, packed weights) is the same in every step, and stays as it is.

    >>> leaves, rebuild = leaves_of((3, [torch.ones(2), None]))
    >>> leaves, rebuild([torch.tensor(4), torch.zeros(2)])
    ([tensor(3), tensor([1., 1.])], (tensor(4), [tensor([0., 0.]), None]))
    """
    leaves: list[Tensor] = []
    collect(state, leaves)
    return leaves, lambda values: rebuilt(state, iter(values))


def is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def collect(part: Any, leaves: list[Tensor]) -> None:
    if isinstance(part, Tensor):
        leaves.append(part)
    elif is_number(part):
        leaves.append(torch.tensor(part))
    elif isinstance(part, tuple | list):
        for one in part:
            collect(one, leaves)
    elif is_dataclass(part):
        for field in fields(part):
            collect(getattr(part, field.name), leaves)


def rebuilt(like: Any, values: Iterator[Tensor]) -> Any:
    """The same state with other values in the places of its tensors and numbers."""
    if isinstance(like, Tensor) or is_number(like):
        return next(values)
    if isinstance(like, tuple | list):
        parts = [rebuilt(one, values) for one in like]
        return type(like)(*parts) if hasattr(like, "_fields") else type(like)(parts)
    if is_dataclass(like) and not isinstance(like, type):
        return type(like)(**{field.name: rebuilt(getattr(like, field.name), values) for field in fields(like)})
    return like
