import pytest
import torch
from torch import nn
from torch.autograd import gradcheck
from torch.testing import assert_close

from seqloom.errors import ShapeError
from seqloom.layers.self_attentive_rnn import SelfAttentiveRNN, SelfAttentiveState, self_attentive_rnn
from tests.layers.scan import SIZES, assert_same, randn, scan


@pytest.mark.parametrize("B, T, D, H", SIZES)
@pytest.mark.parametrize("steps", [0, 2])
def test_fast_path_computes_the_equations(B, T, D, H, steps):
    layer = SelfAttentiveRNN(D, H).double()
    nn.init.normal_(layer.b)
    x, c, before = randn(B, T, D), randn(B, H), randn(B, steps, H)
    fast, end = layer(x, SelfAttentiveState(c, before, torch.ones(B, steps, dtype=torch.bool)))
    slow, slow_end = scan(self_attentive_rnn, x, [c, before], layer.symbols())
    assert_same([fast, end.c, end.H], [slow, *slow_end], [x, c, before, *layer.parameters()])
    assert end.seen.all()


def test_class_is_tied_to_its_definition():
    assert self_attentive_rnn.layer is SelfAttentiveRNN


def test_gradient_by_hand_is_the_slope_of_the_values_with_padding_too():
    layer = SelfAttentiveRNN(2, 3).double()
    seen = torch.tensor([[True, False], [False, False], [True, True]])
    lengths = torch.tensor([4, 0, 2])

    def outputs(x, c, H):
        y, end = layer(x, SelfAttentiveState(c, H.masked_fill(~seen[..., None], 0), seen), lengths)
        return y, end.c, end.H

    assert gradcheck(outputs, (randn(3, 4, 2), randn(3, 3), randn(3, 2, 3)))


def test_what_was_not_seen_is_not_looked_at():
    layer = SelfAttentiveRNN(2, 3)
    c, H = torch.randn(1, 3), torch.randn(1, 4, 3)
    seen = torch.tensor([[True, False, True, False]])
    x = torch.randn(1, 5, 2)
    y, _ = layer(x, SelfAttentiveState(c, H, seen))
    expected, _ = layer(x, SelfAttentiveState(c, H[:, [0, 2]], torch.tensor([[True, True]])))
    assert_close(y, expected)


def test_states_at_padding_are_zeros_and_not_seen():
    layer = SelfAttentiveRNN(2, 3)
    _, end = layer(torch.randn(2, 4, 2), lengths=torch.tensor([3, 1]))
    assert end.seen.tolist() == [[True, True, True, False], [True, False, False, False]]
    assert_close((end.H != 0).all(-1), end.seen)


def test_states_that_do_not_fit_are_refused():
    layer = SelfAttentiveRNN(2, 3)
    state = SelfAttentiveState(torch.zeros(1, 3), torch.zeros(1, 4, 3), torch.ones(1, 5, dtype=torch.bool))
    with pytest.raises(ShapeError, match=r"takes \(1, 3\), \(1, steps, 3\), \(1, steps\)"):
        layer(torch.zeros(1, 1, 2), state)


def test_count_of_the_definition_is_that_of_the_layer():
    assert self_attentive_rnn.count(D=3, H=5) == {"A": 40, "b": 5}
    assert sum(weight.numel() for weight in SelfAttentiveRNN(3, 5).parameters()) == 45
