"""All that decoding knows of a model: `step` gives logits of the next token, `select` reorders the state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch import Tensor


@dataclass(frozen=True)
class Step:
    """The output of a model after one more token in every row of the batch."""

    logits: Tensor  # (R, V)
    state: Any  # hidden state or cache for the next step; see `select`
    attention: Sequence[Tensor] = ()  # weights of each layer (R, N, S), if the state was made to return them


class Stepper(Protocol):
    """A model that writes token by token. Rows of the batch are independent of each other."""

    def step(self, tokens: Tensor, state: Any) -> Step:
        """tokens (R): the newest of each row."""
        ...

    def select(self, state: Any, rows: Tensor) -> Any:
        """The state of these rows (a row may come more than once, or not at all), in this order."""
        ...


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
