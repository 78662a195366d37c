"""Rows of a state: whatever a model carries from word to word, as far as it is tensors with the batch first."""

from __future__ import annotations

from typing import Any

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
