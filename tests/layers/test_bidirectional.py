from functools import partial
from typing import Any

import keras
import pytest
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
from torch.testing import assert_close

from seqloom.errors import ShapeError
from seqloom.layers.bidirectional import (
    Bidirectional,
    BidirectionalState,
    bidirectional,
    recurrent_layer,
    sequence_part,
)
from seqloom.layers.gru import GRU, GRUState, gru
from seqloom.layers.lstm import LSTM, LSTMState, lstm
from seqloom.layers.self_attentive_rnn import SelfAttentiveRNN
from seqloom.layers.simple_rnn import RNNState, SimpleRNN, simple_rnn
from seqloom.layers.ssru import SSRU
from tests.layers.lifted import exact, lifted
from tests.layers.scan import SIZES, assert_same, randn, scan

READERS = [SimpleRNN, GRU, LSTM, SSRU, SelfAttentiveRNN]


@pytest.mark.parametrize("B, T, D, H", SIZES)
@pytest.mark.parametrize("cls", READERS)
def test_fast_path_computes_the_equations(cls, B, T, D, H):
    layer = exact(Bidirectional(cls(D, H), cls(D, H + 1)))
    x = randn(B, T, D)
    assert_same([layer(x)[0]], [lifted(bidirectional, layer.symbols())(x)], [x, *layer.parameters()])


@pytest.mark.parametrize("B, T, D, H", SIZES)
@pytest.mark.parametrize("cls", READERS)
def test_a_cell_that_reads_a_sequence_computes_the_equations(cls, B, T, D, H):
    layer = exact(cls(D, H))
    x = randn(B, T, D)
    assert_same([layer(x)[0]], [lifted(recurrent_layer, {"cell": layer.part()})(x)], [x, *layer.parameters()])


def test_a_sequence_is_read_by_the_definition_of_one_reader_or_of_two():
    assert sequence_part(GRU(2, 3)).bound is recurrent_layer.bind(cell=gru)
    assert sequence_part(Bidirectional(LSTM(2, 3), GRU(2, 3))).bound is bidirectional.bind(fwd=lstm, bwd=gru)


@pytest.mark.parametrize("B, T, D, H", SIZES)
def test_readers_go_on_from_their_states(B, T, D, H):
    layer = Bidirectional.of(lambda: SimpleRNN(D, H)).double()
    x, h_fwd, h_bwd = randn(B, T, D), randn(B, H), randn(B, H)
    fast, ends = layer(x, BidirectionalState(RNNState(h_fwd), RNNState(h_bwd)))
    from_left, end_fwd = scan(simple_rnn, x, [h_fwd], layer.fwd.symbols())
    from_right, end_bwd = scan(simple_rnn, x.flip(1), [h_bwd], layer.bwd.symbols())
    slow = torch.cat([from_left, from_right.flip(1)], -1)
    leaves = [x, h_fwd, h_bwd, *layer.parameters()]
    assert_same([fast, ends.forward.h, ends.backward.h], [slow, *end_fwd, *end_bwd], leaves)


def test_class_is_tied_to_its_definition():
    assert bidirectional.layer is Bidirectional
    assert set(Bidirectional.of(lambda: GRU(2, 3)).symbols()) == set(bidirectional.parts)


def test_padded_rows_agree_with_packed_rows_of_torch():
    layer = Bidirectional.of(lambda: LSTM(3, 5))
    oracle = nn.LSTM(3, 5, batch_first=True, bidirectional=True)
    for ending, reader in (("", layer.fwd), ("_reverse", layer.bwd)):
        weights = (*reader.parameters(), torch.zeros(20))
        for name, weight in zip(("weight_ih", "weight_hh", "bias_ih", "bias_hh"), weights):
            getattr(oracle, f"{name}_l0{ending}").data.copy_(weight)
    x, h, c, lengths = torch.randn(3, 6, 3), *torch.randn(2, 2, 3, 5), torch.tensor([2, 6, 1])
    start = BidirectionalState(LSTMState(h[0], c[0]), LSTMState(h[1], c[1]))
    y, ends = layer(x, start, lengths)
    packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    expected, (last_h, last_c) = oracle(packed, (h, c))
    assert_close(y, pad_packed_sequence(expected, batch_first=True)[0])
    assert_close((*ends.forward, *ends.backward), (last_h[0], last_c[0], last_h[1], last_c[1]))


def as_in_keras(reader: LSTM | GRU, gates: str) -> list[NDArray[Any]]:
    """The weights of a layer, the gates in the order of Keras."""
    S = reader.symbols()
    joined = [torch.cat([S[letter.format(gate)] for gate in gates], -1) for letter in reader.symbol_names]
    return [weight.detach().numpy() for weight in joined]


@pytest.mark.parametrize("cls, options, gates", [(LSTM, {}, "ifgo"), (GRU, {"reset_after": False}, "zrh")])
def test_bidirectional_agrees_with_keras(cls, options, gates):
    fwd, bwd = cls(3, 5), cls(3, 5)
    nn.init.normal_(fwd.bias)
    nn.init.normal_(bwd.bias)
    inner = getattr(keras.layers, cls.__name__)(5, return_sequences=True, **options)
    oracle = keras.layers.Bidirectional(inner)
    oracle.build((2, 4, 3))
    oracle.set_weights(as_in_keras(fwd, gates) + as_in_keras(bwd, gates))
    x = torch.randn(2, 4, 3)
    assert_close(Bidirectional(fwd, bwd)(x)[0], oracle(x))


def test_count_is_exactly_twice_that_of_one_layer():
    assert sum(bidirectional.count(D=32, H=32).values()) == 2 * 2080
    for make, count in ((SimpleRNN, 2080), (LSTM, 8320)):
        layer = Bidirectional.of(partial(make, 32, 32))
        assert sum(weight.numel() for weight in layer.parameters()) == 2 * count


def test_every_place_knows_the_first_word_and_the_last():
    layer = Bidirectional.of(lambda: GRU(2, 3))
    x = randn(1, 5, 2).detach().float().requires_grad_()
    for t in range(5):
        (slope,) = torch.autograd.grad(layer(x)[0][0, t].sum(), x)
        assert (slope != 0).all()


def test_reader_from_the_right_goes_on_from_its_state_to_the_left():
    layer = Bidirectional(GRU(2, 3), GRU(2, 4)).double()
    x = randn(2, 7, 2)
    y, ends = layer(x)
    right, state = layer(x[:, 4:])
    left, state = layer(x[:, :4], BidirectionalState(GRUState(torch.zeros(2, 3).double()), state.backward))
    assert_close(torch.cat([left, right], 1)[..., 3:], y[..., 3:])
    assert_close(state.backward, ends.backward)


def test_readers_may_differ_in_kind_and_width():
    layer = Bidirectional(LSTM(2, 3), GRU(2, 4))
    y, _ = layer(torch.randn(2, 5, 2))
    assert y.shape == (2, 5, layer.output_size) == (2, 5, 7)


def test_one_layer_cannot_be_both_readers():
    layer = GRU(2, 3)
    with pytest.raises(ValueError, match="same layer"):
        Bidirectional(layer, layer)


def test_readers_of_different_words_are_refused():
    with pytest.raises(ShapeError, match="vectors 2 and 4 wide"):
        Bidirectional(GRU(2, 3), GRU(4, 3))
