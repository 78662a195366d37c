import pytest
import torch
from torch import nn
from torch.testing import assert_close

from seqloom.layers.ssru import SSRU, SSRUState, ssru
from tests.layers.scan import SIZES, assert_same, randn, scan


@pytest.mark.parametrize("B, T, D, H", SIZES)
def test_fast_path_computes_the_equations(B, T, D, H):
    layer = SSRU(D, H).double()
    nn.init.normal_(layer.bias)
    x, c = randn(B, T, D), randn(B, H)
    fast, end = layer(x, SSRUState(c))
    slow, slow_end = scan(ssru, x, [c], layer.symbols())
    assert_same([fast, *end], [slow, *slow_end], [x, c, *layer.parameters()])


def test_class_is_tied_to_its_definition():
    assert ssru.layer is SSRU


def test_a_step_agrees_with_the_paper_computed_by_hand():
    """One entry: f = σ(0) = 1/2, so c = 1/2 · 4 + 1/2 · (-6) = -1, and nothing negative is shown."""
    layer = SSRU(1, 1)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor([[-2.0], [1.0]]))
        layer.bias.fill_(-3.0)
    y, end = layer(torch.tensor([[[3.0]]]), SSRUState(torch.tensor([[4.0]])))
    assert_close((y.item(), end.c.item()), (0.0, -1.0))


def test_count_of_the_definition_is_that_of_the_layer():
    assert ssru.count(D=3, H=5) == {"W": 15, "W_f": 15, "b_f": 5}
    assert sum(weight.numel() for weight in SSRU(3, 5).parameters()) == 35
