import pytest
import torch
from torch import nn
from torch.testing import assert_close

from seqloom.equations import State
from seqloom.equations.part import shown
from seqloom.errors import ShapeError
from seqloom.layers.dropout import draw_from
from seqloom.layers.gru import GRU, GRUState
from seqloom.layers.lstm import LSTM, LSTMState
from seqloom.layers.recurrent import last
from seqloom.layers.simple_rnn import RNNState, SimpleRNN
from seqloom.layers.ssru import SSRU, SSRUState
from seqloom.layers.stacked import Stacked, stacked
from tests.layers.scan import SIZES, assert_same, randn, tensors


def step_by_step(layer, x, starts):
    """`stacked` over a batch x (B, T, D): the outputs of the top layer, and the states of all after the last step."""

    def run(x, starts):
        s, outputs = [State(start[0], start) for start in starts], []
        for vector in x:
            y, s = stacked(vector, s, **layer.symbols())
            outputs.append(shown(y))
        return torch.stack(outputs), [list(state) for state in s]

    return torch.vmap(run)(x, [list(start) for start in starts])


@pytest.mark.parametrize("B, T, D, H", SIZES)
def test_fast_path_computes_the_equations(B, T, D, H):
    K = H + 1
    layer = Stacked([SimpleRNN(D, H), SimpleRNN(H, K)]).double()
    x, h_1, h_2 = randn(B, T, D), randn(B, H), randn(B, K)
    fast, (lower, upper) = layer(x, (RNNState(h_1), RNNState(h_2)))
    slow, slow_end = step_by_step(layer, x, [[h_1], [h_2]])
    assert_same([fast, lower.h, upper.h], [slow, *tensors(slow_end)], [x, h_1, h_2, *layer.parameters()])


def test_class_is_tied_to_its_definition():
    assert stacked.layer is Stacked


def test_layers_of_any_kind_read_each_other():
    layer = Stacked([LSTM(2, 3), GRU(3, 4), SSRU(4, 5)]).double()
    x, h, c, g, s = randn(2, 6, 2), randn(2, 3), randn(2, 3), randn(2, 4), randn(2, 5)
    starts = (LSTMState(h, c), GRUState(g), SSRUState(s))
    fast, ends = layer(x, starts)
    slow, slow_ends = step_by_step(layer, x, starts)
    assert_same([fast, *tensors(ends)], [slow, *tensors(slow_ends)], [x, h, c, g, s, *layer.parameters()])


def test_the_definition_leaves_the_state_it_was_given_as_it_was():
    layer = Stacked([GRU(2, 3), GRU(3, 4)])
    start = layer.part().start()
    before = [state.values[0] for state in start.values[0]]
    stacked(torch.ones(2), *start.values, **layer.symbols())
    assert all(state.values[0] is value for state, value in zip(*start.values, before, strict=True))


def test_two_layers_agree_with_torch():
    layer, oracle = Stacked([LSTM(3, 5), LSTM(5, 5)]), nn.LSTM(3, 5, num_layers=2, batch_first=True)
    for number, reader in enumerate(layer.stack()):
        weights = (*reader.parameters(), torch.zeros(20))
        for name, weight in zip(("weight_ih", "weight_hh", "bias_ih", "bias_hh"), weights):
            getattr(oracle, f"{name}_l{number}").data.copy_(weight)
    x = torch.randn(2, 4, 3)
    y, (lower, upper) = layer(x)
    expected, (h, c) = oracle(x)
    assert_close((y, lower.h, upper.h, lower.c, upper.c), (expected, *h, *c))


def test_the_definition_is_bound_to_as_many_cells_as_there_are_layers():
    layer = Stacked([LSTM(2, 3), GRU(3, 4), SSRU(4, 5)])
    assert set(layer.symbols()) == set(stacked.parts) == {"cells"}
    assert layer.part().bound.bound_to == {"cells": (LSTM.definition, GRU.definition, SSRU.definition)}


def test_all_outputs_or_the_last_one():
    layer = Stacked([LSTM(2, 3), GRU(3, 4)])
    x, lengths = torch.randn(3, 5, 2), torch.tensor([5, 2, 0])
    y, (_, upper) = layer(x, lengths=lengths)
    assert_close(last(y, lengths), upper.h)
    y, (_, upper) = layer(x)
    assert_close(last(y), upper.h)


def test_dropout_is_drawn_anew_for_every_call_and_the_same_from_the_same_generator():
    layer = Stacked([GRU(2, 6), GRU(6, 4)], dropout=0.5)
    x = torch.randn(3, 5, 2)
    draw_from(torch.Generator().manual_seed(7), layer)
    first, second = layer(x)[0], layer(x)[0]
    torch.rand(3)  # torch's own generator moves on, and that changes nothing
    draw_from(torch.Generator().manual_seed(7), layer)
    assert_close((layer(x)[0], layer(x)[0]), (first, second))
    assert not torch.allclose(first, second)


def test_dropout_is_off_in_eval():
    layer, x = Stacked([GRU(2, 6), GRU(6, 4)], dropout=0.5), torch.randn(3, 5, 2)
    dropped = layer(x)[0]
    plain = Stacked(layer.stack())
    layer.eval()
    assert_close(layer(x)[0], plain(x)[0])
    assert not torch.allclose(dropped, plain(x)[0])


def test_dropout_stands_between_layers_only():
    x = torch.randn(3, 5, 2)
    single = Stacked([GRU(2, 6)], dropout=0.9)
    assert_close(single(x)[0], single.stack()[0](x)[0])
    double = Stacked([GRU(2, 6), GRU(6, 4)], dropout=0.9)
    for weight in double.parameters():
        nn.init.normal_(weight)
    y, (lower, _) = double(x)
    assert_close(lower, double.stack()[0](x)[1])  # the lower one reads all of the words
    assert (y != 0).all()  # and nothing of what the upper one says is lost


def test_widths_that_do_not_meet_are_refused():
    with pytest.raises(ShapeError, match="layer 3 reads width 5, the one below makes 4"):
        Stacked([GRU(2, 3), GRU(3, 4), GRU(5, 6)])


def test_a_stack_of_nothing_is_refused():
    with pytest.raises(ShapeError, match="no layers"):
        Stacked([])


def test_a_state_for_another_number_of_layers_is_refused():
    layer = Stacked([GRU(2, 3), GRU(3, 4)])
    with pytest.raises(ShapeError, match="1 states for 2 layers"):
        layer(torch.zeros(1, 1, 2), (GRUState(torch.zeros(1, 3)),))
