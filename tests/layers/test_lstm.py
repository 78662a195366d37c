import keras
import pytest
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
from torch.testing import assert_close

from seqloom.layers.lstm import LSTM, LSTMState, lstm
from tests.layers.scan import SIZES, as_torch, assert_same, randn, random_biases, scan


@pytest.mark.parametrize("B, T, D, H", SIZES)
def test_fast_path_computes_the_equations(B, T, D, H):
    layer = random_biases(LSTM(D, H)).double()
    x, h, c = randn(B, T, D), randn(B, H), randn(B, H)
    fast, end = layer(x, LSTMState(h, c))
    slow, slow_end = scan(lstm, x, [h, c], layer.symbols())
    assert_same([fast, *end], [slow, *slow_end], [x, h, c, *layer.parameters()])


@pytest.mark.parametrize("B, T, D, H", SIZES)
def test_fast_path_computes_the_equations_in_single_precision_too(B, T, D, H):
    """There, on a CPU, the kernel is another: that of oneDNN."""
    layer = random_biases(LSTM(D, H))
    x, h, c = (leaf.detach().float().requires_grad_() for leaf in (randn(B, T, D), randn(B, H), randn(B, H)))
    fast, end = layer(x, LSTMState(h, c))
    slow, slow_end = scan(lstm, x, [h, c], layer.symbols())
    assert_same([fast, *end], [slow, *slow_end], [x, h, c, *layer.parameters()])


def test_class_is_tied_to_its_definition():
    assert lstm.layer is LSTM


def test_lstm_agrees_with_torch():
    layer = random_biases(LSTM(3, 5))
    x, h, c = torch.randn(2, 4, 3), torch.randn(2, 5), torch.randn(2, 5)
    y, end = layer(x, LSTMState(h, c))
    expected, (last_h, last_c) = as_torch(layer, nn.LSTM)(x, (h[None], c[None]))
    assert_close((y, *end), (expected, last_h[0], last_c[0]))


def test_lstm_treats_padding_as_torch_treats_packed_rows():
    layer = random_biases(LSTM(3, 5))
    x, h, c, lengths = torch.randn(3, 6, 3), torch.randn(3, 5), torch.randn(3, 5), torch.tensor([2, 6, 1])
    y, end = layer(x, LSTMState(h, c), lengths)
    packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    expected, (last_h, last_c) = as_torch(layer, nn.LSTM)(packed, (h[None], c[None]))
    assert_close((y, *end), (pad_packed_sequence(expected, batch_first=True)[0], last_h[0], last_c[0]))


def test_lstm_agrees_with_keras():
    layer = random_biases(LSTM(3, 5))
    oracle = keras.layers.LSTM(5, return_sequences=True, return_state=True)
    oracle.build((2, 4, 3))
    S = layer.symbols()
    weights = [torch.cat([S[letter + gate] for gate in "ifgo"], -1) for letter in ("W_", "U_", "b_")]
    oracle.set_weights([weight.detach().numpy() for weight in weights])
    x, h, c = torch.randn(2, 4, 3), torch.randn(2, 5), torch.randn(2, 5)
    y, end = layer(x, LSTMState(h, c))
    assert_close((y, *end), tuple(oracle(x, initial_state=[h, c])))


def test_width_32_takes_8320_parameters():
    assert sum(lstm.count(D=32, H=32).values()) == 8320
    assert sum(weight.numel() for weight in LSTM(32, 32).parameters()) == 8320


def test_columns_of_torch_say_the_same_as_rows():
    """torch writes i = σ(W_ii x + b_ii + W_hi h + b_hi) with columns, and f, g, o likewise."""
    oracle = nn.LSTMCell(3, 5).double()
    nn.init.zeros_(oracle.bias_hh)
    W, U, b = (weight.chunk(4) for weight in (oracle.weight_ih, oracle.weight_hh, oracle.bias_ih))
    weights = {f"W_{gate}": part.T for gate, part in zip("ifgo", W)}
    weights |= {f"U_{gate}": part.T for gate, part in zip("ifgo", U)}
    weights |= {f"b_{gate}": part for gate, part in zip("ifgo", b)}
    x, h, c = randn(3), randn(5), randn(5)
    assert_close(lstm(x, h, c, **weights), oracle(x, (h, c)))


@pytest.mark.parametrize("T", [1, 4])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_padding_leaves_the_memory_as_it_is_to_the_bit(dtype, T):
    layer = random_biases(LSTM(3, 5)).to(dtype)
    start = LSTMState(*torch.randn(2, 2, 5, dtype=dtype))
    _, end = layer(torch.randn(2, T, 3, dtype=dtype), start, torch.tensor([T, 0]))
    assert end.c[1].equal(start.c[1])
    assert not end.c[0].equal(start.c[0])


def test_a_new_cell_forgets_little():
    biases = LSTM(3, 5).symbols()
    assert biases["b_f"].tolist() == [1] * 5
    assert biases["b_i"].tolist() == biases["b_g"].tolist() == biases["b_o"].tolist() == [0] * 5


def test_every_gate_starts_with_an_orthogonal_matrix_from_the_state():
    symbols = LSTM(3, 5).symbols()
    for U in (symbols["U_i"], symbols["U_f"], symbols["U_g"], symbols["U_o"]):
        assert_close(U @ U.T, torch.eye(5))
