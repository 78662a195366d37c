"""Rows of a state: whatever a model carries from word to word, as far as it is tensors with the batch first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor


def select_rows(state: Any, rows: Tensor) -> Any:
    """These rows of every tensor in nested tuples and lists, in this order; what is no tensor holds for all rows.

    >>> import torch
    >>> select_rows((3, [torch.tensor([[1], [2]]), None]), torch.tensor([1, 1]))
    (3, [tensor([[2],
            [2]]), None])
    """
    if isinstance(state, Tensor):
        return state.index_select(0, rows)
    if isinstance(state, tuple | list):
        parts = [select_rows(part, rows) for part in state]
        return type(state)(*parts) if hasattr(state, "_fields") else type(state)(parts)
    return state


def join_rows(states: Sequence[Any]) -> Any:
    """The rows of several states, one after the other; None where they do not fit together, as caches of two lengths.

    >>> import torch
    >>> join_rows([(3, torch.tensor([[1]])), (3, torch.tensor([[2], [5]]))])
    (3, tensor([[1],
            [2],
            [5]]))
    """
    first = states[0]
    if isinstance(first, Tensor):
        return torch.cat(list(states)) if len({state.shape[1:] for state in states}) == 1 else None
    if isinstance(first, tuple | list):
        parts = [join_rows(same) for same in zip(*states, strict=True)]
        if any(part is None and same is not None for part, same in zip(parts, first, strict=True)):
            return None
        return type(first)(*parts) if hasattr(first, "_fields") else type(first)(parts)
    return first if all(state == first for state in states) else None
