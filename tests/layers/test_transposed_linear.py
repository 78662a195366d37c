import pytest
import torch
from torch.testing import assert_close

from seqloom.errors import ShapeError
from seqloom.layers.transposed_linear import TransposedLinear, transposed_linear
from tests.layers.lifted import exact, lifted
from tests.layers.scan import assert_same, randn


@pytest.mark.parametrize("B, T, D", [(1, 1, 1), (2, 3, 4), (4, 5, 2)])
def test_transposed_linear_computes_the_equations(B, T, D):
    layer = exact(TransposedLinear(T))
    x = randn(B, T, D)
    slow = lifted(transposed_linear, layer.symbols())(x)
    assert_same([layer(x)], [slow], [x, *layer.parameters()])


def test_a_shorter_sentence_is_mixed_as_if_zeros_stood_behind_it():
    layer = exact(TransposedLinear(5))
    x = randn(2, 3, 4)
    filled = torch.cat([x, torch.zeros(2, 2, 4, dtype=torch.float64)], 1)
    assert_close(layer(x), transposed_linear(filled, **layer.symbols())[:, :3])


def test_it_is_the_linear_layer_of_the_columns():
    layer = exact(TransposedLinear(3))
    x = randn(2, 3, 4)
    assert_close(layer(x).mT, torch.nn.functional.linear(x.mT, layer.W))


def test_a_longer_sentence_is_refused_with_what_to_do():
    with pytest.raises(ShapeError, match=r"4 tokens, and the layer mixes 3\n.*make the layer 4 long"):
        TransposedLinear(3)(torch.zeros(1, 4, 2))
