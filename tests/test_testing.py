"""The helpers for other packages find what is wrong."""

import pytest
import torch
from torch import Tensor

from seqloom.layers import LSTM, FeedForward, LayerNorm, SelfAttentiveRNN
from seqloom.testing import check_cell, check_layer, randn


def test_right_layers_pass():
    check_cell(LSTM(3, 5), B=4, T=3)
    check_cell(SelfAttentiveRNN(3, 5))
    check_layer(LayerNorm(4), randn(2, 3, 4))


class ForgetsPadding(LSTM):
    """It reads on after the end of a row."""

    def read(self, x, state, real):
        return super().read(x, state, None)


class DetachedState(LSTM):
    """Right values, wrong gradients."""

    def read(self, x, state, real):
        return super().read(x, type(state)(*(value.detach() for value in state)), real)


@pytest.mark.parametrize("cell", [ForgetsPadding, DetachedState])
def test_wrong_cell_is_found(cell):
    with pytest.raises(AssertionError, match="not close"):
        check_cell(cell(3, 5))


class Halved(FeedForward):
    """Not what its definition says."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.mul(super().forward(x), 0.5)


def test_wrong_layer_is_found():
    with pytest.raises(AssertionError, match="not close"):
        check_layer(Halved(4, 6), randn(2, 3, 4))
