import keras
import pytest
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
from torch.testing import assert_close

from seqloom.layers.gru import GRU, GRUResetAfter, GRUState, gru, gru_reset_after
from tests.layers.scan import SIZES, as_torch, assert_same, randn, random_biases, scan


@pytest.mark.parametrize("B, T, D, H", SIZES)
@pytest.mark.parametrize("cls", [GRU, GRUResetAfter])
def test_fast_path_computes_the_equations(cls, B, T, D, H):
    layer = random_biases(cls(D, H)).double()
    x, h = randn(B, T, D), randn(B, H)
    fast, end = layer(x, GRUState(h))
    slow, slow_end = scan(cls.definition, x, [h], layer.symbols())
    assert_same([fast, *end], [slow, *slow_end], [x, h, *layer.parameters()])


def test_classes_are_tied_to_their_definitions():
    assert (gru.layer, gru_reset_after.layer) == (GRU, GRUResetAfter)


def test_reset_after_agrees_with_torch():
    layer = random_biases(GRUResetAfter(3, 5))
    x, h = torch.randn(2, 4, 3), torch.randn(2, 5)
    y, end = layer(x, GRUState(h))
    expected, last = as_torch(layer, nn.GRU)(x, h[None])
    assert_close((y, end.h), (expected, last[0]))


def test_reset_after_treats_padding_as_torch_treats_packed_rows():
    layer = random_biases(GRUResetAfter(3, 5))
    x, h, lengths = torch.randn(3, 6, 3), torch.randn(3, 5), torch.tensor([2, 6, 1])
    y, end = layer(x, GRUState(h), lengths)
    packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    expected, last = as_torch(layer, nn.GRU)(packed, h[None])
    assert_close((y, end.h), (pad_packed_sequence(expected, batch_first=True)[0], last[0]))


@pytest.mark.parametrize("cls, reset_after", [(GRU, False), (GRUResetAfter, True)])
def test_gru_agrees_with_keras(cls, reset_after):
    layer = random_biases(cls(3, 5))
    oracle = keras.layers.GRU(5, reset_after=reset_after, return_sequences=True, return_state=True)
    oracle.build((2, 4, 3))
    S = layer.symbols()
    kernel, recurrent, bias = (torch.cat([S[letter + gate] for gate in "zrh"], -1) for letter in ("W_x", "W_h", "b_"))
    if reset_after:
        bias = torch.stack([bias, torch.zeros_like(bias)])  # Keras has a second one, too
    oracle.set_weights([weight.detach().numpy() for weight in (kernel, recurrent, bias)])
    x, h = torch.randn(2, 4, 3), torch.randn(2, 5)
    y, end = layer(x, GRUState(h))
    assert_close((y, end.h), tuple(oracle(x, initial_state=h)))


@pytest.mark.parametrize("definition, cls", [(gru, GRU), (gru_reset_after, GRUResetAfter)])
def test_count_is_three_times_that_of_a_simple_rnn(definition, cls):
    assert sum(definition.count(D=32, H=32).values()) == 3 * 2080
    assert sum(weight.numel() for weight in cls(32, 32).parameters()) == 3 * 2080


def test_columns_of_torch_say_the_same_as_rows():
    """torch writes r = σ(W_ir x + b_ir + W_hr h + b_hr) with columns, and z, n likewise."""
    oracle = nn.GRUCell(3, 5).double()
    nn.init.zeros_(oracle.bias_hh)
    W, U, b = (weight.chunk(3) for weight in (oracle.weight_ih, oracle.weight_hh, oracle.bias_ih))
    weights = {f"W_x{gate}": part.T for gate, part in zip("rzh", W)}
    weights |= {f"W_h{gate}": part.T for gate, part in zip("rzh", U)}
    weights |= {f"b_{gate}": part for gate, part in zip("rzh", b)}
    x, h = randn(3), randn(5)
    assert_close(gru_reset_after(x, h, **weights), oracle(x, h))
