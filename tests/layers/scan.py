"""What the tests of recurrent layers share besides `seqloom.testing`."""

from typing import Any

import torch
from torch import Tensor, nn

from seqloom.layers.self_attentive_rnn import SelfAttentiveState
from seqloom.testing import assert_same, gradients, randn, scan, tensors

__all__ = [
    "SIZES",
    "as_torch",
    "assert_same",
    "gradients",
    "known",
    "randn",
    "random_biases",
    "rows",
    "scan",
    "tensors",
]

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


def random_biases(layer: Any) -> Any:
    """New layers have zeros there, and zeros hide mistakes."""
    nn.init.normal_(layer.bias)
    return layer


def as_torch(layer: Any, kind: type[nn.Module]) -> nn.Module:
    """The same layer as torch writes it, nn.GRU or nn.LSTM, with its second bias zero."""
    oracle = kind(layer.input_size, layer.output_size, batch_first=True)
    oracle.load_state_dict({
        "weight_ih_l0": layer.weight_x.detach(), "weight_hh_l0": layer.weight_h.detach(),
        "bias_ih_l0": layer.bias.detach(), "bias_hh_l0": torch.zeros_like(layer.bias),
    })  # fmt: skip
    return oracle
