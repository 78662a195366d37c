import keras
import pytest
import torch
from torch import nn
from torch.testing import assert_close

from seqloom.layers.simple_rnn import (
    ConcatRNN,
    LinearRNN,
    RNNState,
    SimpleRNN,
    concat_rnn,
    linear_rnn,
    simple_rnn,
)
from tests.layers.scan import SIZES, assert_same, randn, scan


@pytest.mark.parametrize("B, T, D, H", SIZES)
@pytest.mark.parametrize("cls", [SimpleRNN, ConcatRNN, LinearRNN])
def test_fast_path_computes_the_equations(cls, B, T, D, H):
    layer = cls(D, H).double()
    for weight in layer.parameters():
        nn.init.normal_(weight)  # new layers have biases of zero, and zeros hide mistakes
    x, h = randn(B, T, D), randn(B, H)
    fast, end = layer(x, RNNState(h))
    slow, slow_end = scan(cls.definition, x, [h], layer.symbols())
    assert_same([fast, *end], [slow, *slow_end], [x, h, *layer.parameters()])


def test_classes_are_tied_to_their_definitions():
    assert (simple_rnn.layer, concat_rnn.layer, linear_rnn.layer) == (SimpleRNN, ConcatRNN, LinearRNN)


def test_simple_rnn_agrees_with_torch():
    layer, oracle = SimpleRNN(3, 5), nn.RNN(3, 5, batch_first=True)
    oracle.load_state_dict(
        {
            "weight_ih_l0": layer.weight_x.detach(),
            "weight_hh_l0": layer.weight_h.detach(),
            "bias_ih_l0": nn.init.normal_(layer.bias).detach(),
            "bias_hh_l0": torch.zeros(5),
        }
    )
    x, h = torch.randn(2, 4, 3), torch.randn(2, 5)
    y, end = layer(x, RNNState(h))
    expected, last = oracle(x, h[None])
    assert_close((y, end.h), (expected, last[0]))


def test_simple_rnn_agrees_with_keras():
    layer = SimpleRNN(3, 5)
    nn.init.normal_(layer.bias)
    oracle = keras.layers.SimpleRNN(5, return_sequences=True, return_state=True)
    oracle.build((2, 4, 3))
    oracle.set_weights([layer.symbols()[name].detach().numpy() for name in ("W_xh", "W_hh", "b_h")])
    x, h = torch.randn(2, 4, 3), torch.randn(2, 5)
    y, end = layer(x, RNNState(h))
    assert_close((y, end.h), tuple(oracle(x, initial_state=h)))


@pytest.mark.parametrize("definition, cls", [(simple_rnn, SimpleRNN), (concat_rnn, ConcatRNN)])
def test_width_32_takes_2080_parameters(definition, cls):
    assert sum(definition.count(D=32, H=32).values()) == 2080
    assert sum(weight.numel() for weight in cls(32, 32).parameters()) == 2080


def test_one_matrix_computes_what_two_do():
    one, two = ConcatRNN(3, 5), SimpleRNN(3, 5)
    W = two.symbols()
    with torch.no_grad():
        one.A.copy_(torch.cat([W["W_hh"], W["W_xh"]]))
        one.b.copy_(nn.init.normal_(two.bias))
    x = torch.randn(2, 4, 3)
    assert_close(one(x), two(x))


def test_columns_with_one_matrix_say_the_same_as_rows():
    """Textbooks write h = tanh(A [h; x] + b) with columns and A (H, H+D)."""
    A, b, h, x = randn(5, 8), randn(5, 1), randn(5, 1), randn(3, 1)
    column = torch.tanh(A @ torch.cat([h, x]) + b)
    assert_close(concat_rnn(x[:, 0], h[:, 0], A=A.T, b=b[:, 0]), column[:, 0])


def test_columns_with_two_matrices_say_the_same_as_rows():
    """Textbooks write h = tanh(W_xh x + W_hh h + b) with columns, W_xh (H, D) and W_hh (H, H)."""
    W_xh, W_hh, b, h, x = randn(5, 3), randn(5, 5), randn(5, 1), randn(5, 1), randn(3, 1)
    column = torch.tanh(W_xh @ x + W_hh @ h + b)
    row = simple_rnn(x[:, 0], h[:, 0], W_xh=W_xh.T, W_hh=W_hh.T, b_h=b[:, 0])
    assert_close(row, column[:, 0])


def test_linear_rnn_does_not_explode_in_the_padding():
    layer = LinearRNN(2, 3)
    with torch.no_grad():
        layer.weight_h.copy_(3 * torch.eye(3))  # 3 ** 200 is more than float32 can hold
    y, end = layer(torch.randn(2, 200, 2), lengths=torch.tensor([2, 5]))
    slopes = torch.autograd.grad(y.sum() + end.h.sum(), list(layer.parameters()))
    assert all(slope.isfinite().all() for slope in slopes)


def test_weights_from_the_state_start_orthogonal():
    from_state = ConcatRNN(3, 5).A[:5]
    assert_close(from_state @ from_state.T, torch.eye(5))
