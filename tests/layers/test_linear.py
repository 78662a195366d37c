import pytest
import torch
from torch import nn
from torch.testing import assert_close

from seqloom.layers.linear import Linear, linear
from tests.layers.lifted import exact, lifted
from tests.layers.scan import assert_same, randn


@pytest.mark.parametrize("B, T, D, H", [(1, 1, 1, 1), (2, 3, 4, 5)])
def test_linear_computes_the_equations(B, T, D, H):
    layer = exact(Linear(D, H))
    x = randn(B, T, D)
    assert_same([layer(x)], [lifted(linear, layer.symbols(), 0, 0)(x)], [x, *layer.parameters()])


def test_linear_agrees_with_torch():
    layer, oracle = exact(Linear(4, 5)), nn.Linear(4, 5).double()
    oracle.load_state_dict({"weight": layer.W.T, "bias": layer.b})
    x = randn(2, 3, 4)
    assert_close(layer(x), oracle(x))


def test_a_new_linear_layer_has_no_bias_yet():
    assert torch.equal(Linear(4, 5)(torch.zeros(2, 4)), torch.zeros(2, 5))
