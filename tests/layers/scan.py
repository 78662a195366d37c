"""What the tests of recurrent layers share besides `seqloom.testing`."""

from typing import Any

from torch import Tensor

from seqloom.layers.self_attentive_rnn import SelfAttentiveState
from seqloom.testing import assert_same, gradients, randn, scan, tensors

__all__ = ["SIZES", "assert_same", "gradients", "known", "randn", "rows", "scan", "tensors"]

SIZES = [(1, 1, 1, 1), (2, 3, 4, 5), (3, 1, 2, 4), (4, 9, 2, 7)]
"""B, T, D, H."""


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
