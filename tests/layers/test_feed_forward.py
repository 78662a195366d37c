import pytest
import torch
from torch import nn
from torch.testing import assert_close

from seqloom.layers.dropout import Dropout, draw_from
from seqloom.layers.feed_forward import FeedForward, Residual, feed_forward, residual
from tests.layers.lifted import exact, lifted
from tests.layers.scan import assert_same, randn


@pytest.mark.parametrize("B, T, D, F", [(1, 1, 1, 1), (2, 3, 4, 5), (3, 5, 6, 2)])
def test_feed_forward_computes_the_equations(B, T, D, F):
    layer = exact(FeedForward(D, F))
    x = randn(B, T, D)
    slow = lifted(feed_forward, layer.symbols(), 0, 0)(x)
    assert_same([layer(x)], [slow], [x, *layer.parameters()])


def test_feed_forward_agrees_with_torch():
    layer = FeedForward(4, 7)
    oracle = nn.Sequential(nn.Linear(4, 7), nn.ReLU(), nn.Linear(7, 4))
    oracle.load_state_dict({"0.weight": layer.W_1.T, "0.bias": layer.b_1, "2.weight": layer.W_2.T, "2.bias": layer.b_2})
    x = torch.randn(2, 3, 4)
    assert_close(layer(x), oracle(x))


def test_dropout_falls_on_the_middle_while_training():
    layer = exact(FeedForward(4, 5, dropout=0.5))
    draw_from(torch.Generator().manual_seed(3), layer)
    x = randn(2, 3, 4)
    u = torch.relu(x @ layer.W_1 + layer.b_1)
    again = Dropout(0.5)
    again.generator = torch.Generator().manual_seed(3)
    assert_close(layer(x), again(u) @ layer.W_2 + layer.b_2)
    assert not torch.equal(again(u), u)
    assert_close(layer.eval()(x), u @ layer.W_2 + layer.b_2)


def test_residual_computes_the_equations():
    layer = exact(Residual(FeedForward(4, 5)))
    x = randn(2, 3, 4)
    slow = lifted(residual, {}, 0, 0)(x, layer.layer(x))
    assert_same([layer(x)], [slow], [x, *layer.parameters()])


def test_residual_hands_on_whatever_else_its_layer_takes():
    class Scaled(nn.Module):
        def forward(self, x, factor, *, shift):
            return x * factor + shift

    x = torch.randn(2, 3)
    assert_close(Residual(Scaled())(x, 3, shift=1), 4 * x + 1)
