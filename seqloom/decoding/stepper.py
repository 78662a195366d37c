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
    """A model that writes token by token.

    A row of the batch is one hypothesis. The rows of an input stand together, equally many for each: where there are W,
    row r belongs to input r // W. Rows do not depend on each other.
    """

    def step(self, tokens: Tensor, state: Any) -> Step:
        """tokens (R): the newest of each row. The state may be written into: only the new one goes on."""
        ...

    def select(self, state: Any, rows: Tensor, inputs: Tensor | None = None) -> Any:
        """The state of these rows (one may come more than once, or not at all), in this order.

        inputs  the inputs that stay, in this order; None for all
        """
        ...


@dataclass(frozen=True)
class PerInput:
    """A part of a state with a row for each input instead of each hypothesis: what was read is there once."""

    state: Any

    def select(self, rows: Tensor, inputs: Tensor | None) -> PerInput:
        return self if inputs is None else PerInput(select_rows(self.state, inputs))

    def join(self, others: Sequence[PerInput]) -> PerInput | None:
        state = join_rows([self.state, *(other.state for other in others)])
        return None if state is None else PerInput(state)


def select_rows(state: Any, rows: Tensor, inputs: Tensor | None = None) -> Any:
    """These rows of every tensor in nested tuples and lists, in this order; what has no axes holds for all rows.

    A part of a state that has a method `select(rows, inputs)` says itself what its rows are, as `PerInput` does.

    >>> import torch
    >>> select_rows((3, [torch.tensor([[1], [2]]), None]), torch.tensor([1, 1]))
    (3, [tensor([[2],
            [2]]), None])
    """
    if isinstance(state, Tensor):
        return state.index_select(0, rows) if state.dim() else state
    if isinstance(state, tuple | list):
        parts = [select_rows(part, rows, inputs) for part in state]
        return type(state)(*parts) if hasattr(state, "_fields") else type(state)(parts)
    return state.select(rows, inputs) if hasattr(state, "select") else state


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
    if hasattr(first, "join"):
        return first.join(states[1:])
    return first if all(state == first for state in states) else None
