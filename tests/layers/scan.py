"""A recurrent definition run word by word, and how fast layers are compared with it."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.autograd import grad
from torch.testing import assert_close

from seqloom.equations import Equations
from seqloom.layers.base import Symbols
from seqloom.layers.self_attentive_rnn import SelfAttentiveState

SIZES = [(1, 1, 1, 1), (2, 3, 4, 5), (3, 1, 2, 4), (4, 9, 2, 7)]
"""B, T, D, H."""


def scan(
    definition: Equations[..., Any], x: Tensor, state: Sequence[Tensor], weights: Symbols, output: str = "h"
) -> tuple[Tensor, tuple[Tensor, ...]]:
    """Run the definition itself over x (B, T, D); `torch.vmap` lifts it to the batch."""
    step = torch.vmap(partial(definition, **weights))
    returned = [symbol.name for symbol in definition.body.returns]  # type: ignore[attr-defined]
    outputs = []
    for word in x.unbind(1):
        results = step(word, *state)
        values = dict(zip(returned, results if isinstance(results, tuple) else (results,), strict=True))
        state = [values[name] for name in definition.body.states]
        outputs.append(values[output])
    return torch.stack(outputs, 1), tuple(state)


def randn(*shape: int) -> Tensor:
    """A leaf in float64: there, equal means the same mathematics and not nearly the same."""
    return torch.randn(*shape, dtype=torch.float64, requires_grad=True)


def assert_same(fast: Sequence[Tensor], slow: Sequence[Tensor], leaves: Sequence[Tensor]) -> None:
    """Equal values, and equal gradients at every leaf, of a loss that every single entry changes."""
    assert_close(list(fast), list(slow))
    slopes = [torch.randn_like(value) for value in slow]
    assert_close(gradients(fast, leaves, slopes), gradients(slow, leaves, slopes))


def gradients(values: Sequence[Tensor], leaves: Sequence[Tensor], slopes: Sequence[Tensor]) -> list[Tensor]:
    loss = sum((value * slope).sum() for value, slope in zip(values, slopes, strict=True))
    return list(grad(loss, leaves, retain_graph=True))  # type: ignore[arg-type]


def tensors(state: Any) -> list[Tensor]:
    """All that a state carries and a gradient can reach, however it is nested."""
    if isinstance(state, Tensor):
        return [state] if state.is_floating_point() else []
    return [tensor for part in state for tensor in tensors(part)]


def rows(state: Any, pick: Any) -> Any:
    """Some rows of the batch, of a state however nested."""
    if isinstance(state, Tensor):
        return state[pick]
    parts = [rows(part, pick) for part in state]
    return type(state)(*parts) if hasattr(state, "_fields") else tuple(parts)


def known(state: Any, row: int) -> list[Tensor]:
    """What a state says of one row: the states at padding, of which nothing is known, left out."""
    if isinstance(state, SelfAttentiveState):
        return [state.c[row], state.H[row][state.seen[row]]]
    if isinstance(state, Tensor):
        return [state[row]]
    return [tensor for part in state for tensor in known(part, row)]
