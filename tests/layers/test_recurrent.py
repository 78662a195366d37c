"""What holds for every recurrent layer, whatever it computes."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.testing import assert_close

from seqloom.equations.count import parameters
from seqloom.equations.trace import trace
from seqloom.errors import ShapeError
from seqloom.layers.bidirectional import Bidirectional, sequence_part
from seqloom.layers.derived import cell_from
from seqloom.layers.gru import GRU, GRUResetAfter, GRUState, gru
from seqloom.layers.lstm import LSTM, lstm
from seqloom.layers.recurrent import Cell, Recurrent, in_one_block, last
from seqloom.layers.self_attentive_rnn import SelfAttentiveRNN
from seqloom.layers.simple_rnn import ConcatRNN, LinearRNN, SimpleRNN
from seqloom.layers.ssru import SSRU, ssru
from seqloom.layers.stacked import Stacked
from tests.layers.lifted import lifted
from tests.layers.scan import assert_same, gradients, known, rows, tensors

D, H = 3, 5
CELLS: list[type[Cell[Any]]] = [SimpleRNN, ConcatRNN, LinearRNN, GRU, GRUResetAfter, LSTM, SSRU, SelfAttentiveRNN]
CAUSAL: dict[str, Callable[[], Recurrent[Any]]] = {
    **{cls.__name__: partial(cls, D, H) for cls in CELLS},
    **{f"derived from {each.name}": partial(cell_from, each, D, H) for each in (gru, lstm, ssru)},
    "Stacked": lambda: Stacked([LSTM(D, 4), SelfAttentiveRNN(4, 6), SSRU(6, H)]),
}
LAYERS = CAUSAL | {
    "Bidirectional": lambda: Bidirectional(LSTM(D, H), SelfAttentiveRNN(D, 4)),
    "Stacked Bidirectional": lambda: Stacked([Bidirectional.of(lambda: GRU(D, 4)), SimpleRNN(8, H)]),
}
every_layer = pytest.mark.parametrize("name", LAYERS)
every_reader_of_sequences = pytest.mark.parametrize("name", [*CAUSAL, "Bidirectional"])
every_causal_layer = pytest.mark.parametrize("name", CAUSAL)
precisions = pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["single", "double"])


def make(name: str, dtype: torch.dtype = torch.float64) -> Recurrent[Any]:
    """A layer whose biases are no zeros: those hide mistakes."""
    layer = LAYERS[name]()
    for weight in layer.parameters():
        if weight.dim() == 1:
            nn.init.normal_(weight)
    return layer.to(dtype)


def somewhere(layer: Recurrent[Any], B: int, dtype: torch.dtype = torch.float64):
    """A state that a layer can be in, as leaves."""
    with torch.no_grad():
        _, state = layer(torch.randn(B, 2, D, dtype=dtype))
    for tensor in tensors(state):
        tensor.requires_grad_()
    return state


def words(B: int, T: int, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.randn(B, T, D, dtype=dtype, requires_grad=True)


@every_layer
def test_shapes_are_as_stated(name):
    layer = make(name)
    y, _ = layer(words(2, 4))
    assert y.shape == (2, 4, layer.output_size)
    assert layer.input_size == D


@every_causal_layer
def test_causal_layer_cannot_see_the_future(name):
    layer = make(name)
    x = words(2, 6)
    for t in range(6):
        changed = torch.cat([x[:, : t + 1], torch.randn(2, 5 - t, D, dtype=x.dtype)], 1)
        assert_close(layer(changed)[0][:, : t + 1], layer(x)[0][:, : t + 1])


@every_causal_layer
def test_causal_layer_sees_the_past_and_the_state(name):
    layer = make(name)
    x, state = words(2, 6), somewhere(layer, 2)
    y, _ = layer(x, state)
    for leaf in (x, *tensors(state)):
        (slope,) = torch.autograd.grad(y[:, -1].sum(), leaf, retain_graph=True)
        assert (slope != 0).any()


@every_layer
@precisions
def test_a_batch_equals_its_rows_one_by_one(name, dtype):
    layer = make(name, dtype)
    lengths = [4, 1, 6, 0, 2]
    x, state = words(5, 6, dtype), somewhere(layer, 5, dtype)
    y, end = layer(x, state, torch.tensor(lengths))
    leaves = [x, *tensors(state), *layer.parameters()]
    together, alone = [], []
    for row, length in enumerate(lengths):
        y_alone, end_alone = layer(x[row : row + 1, :length], rows(state, slice(row, row + 1)))
        alone += [y_alone[0], *known(end_alone, 0)]
        together += [y[row, :length], *known(end, row)]
        assert (y[row, length:] == 0).all()
    assert_close(together, alone)
    slopes = [torch.randn_like(value) for value in alone]
    assert_close(gradients(together, leaves, slopes), gradients(alone, leaves, slopes))


@every_layer
@precisions
@pytest.mark.parametrize("garbage", [1e30, float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("more", [0, 3])
def test_what_stands_in_the_padding_changes_nothing(name, dtype, garbage, more):
    layer = make(name, dtype)
    lengths = torch.tensor([4, 0, 5, 1])
    x, state = words(4, 5, dtype), somewhere(layer, 4, dtype)
    longer = torch.cat([x.detach(), torch.zeros(4, more, D, dtype=dtype)], 1)
    longer[torch.arange(5 + more) >= lengths[:, None]] = garbage
    longer.requires_grad_()
    y, end = layer(x, state, lengths)
    y_longer, end_longer = layer(longer, state, lengths)
    assert (y_longer[:, 5:] == 0).all()
    values, values_longer = [y], [y_longer[:, :5]]
    for row in range(4):
        values += known(end, row)
        values_longer += known(end_longer, row)
    assert_close(values_longer, values)
    slopes = [torch.randn_like(value) for value in values]
    leaves = [*tensors(state), *layer.parameters()]
    dx, *others = gradients(values, [x, *leaves], slopes)
    dx_longer, *others_longer = gradients(values_longer, [longer, *leaves], slopes)
    assert_close([dx_longer[:, :5], *others_longer], [dx, *others])
    assert (dx_longer[torch.arange(5 + more) >= lengths[:, None]] == 0).all()


@every_layer
def test_rows_without_words_give_zeros_and_keep_their_state(name):
    layer = make(name)
    state = somewhere(layer, 2)
    y, end = layer(torch.full((2, 3, D), float("nan"), dtype=torch.float64), state, torch.tensor([0, 0]))
    assert (y == 0).all()
    for row in range(2):
        assert_close(known(end, row), known(state, row), rtol=0, atol=0)
    slopes = torch.autograd.grad(y.sum() + sum(t.sum() for t in tensors(end)), list(layer.parameters()))
    assert all(slope.isfinite().all() for slope in slopes)


@every_layer
def test_no_words_at_all_leave_the_state_as_it_is(name):
    layer = make(name)
    state = somewhere(layer, 2)
    y, end = layer(words(2, 0), state)
    assert y.shape == (2, 0, layer.output_size)
    assert_close(tensors(end), tensors(state))
    assert layer(words(0, 3))[0].shape == (0, 3, layer.output_size)


@every_causal_layer
@precisions
@pytest.mark.parametrize("cut", [0, 1, 3, 6])
def test_two_pieces_equal_the_whole(name, dtype, cut):
    layer = make(name, dtype)
    x, lengths = words(4, 6, dtype), torch.tensor([6, 2, 4, 0])
    whole, end = layer(x, None, lengths)
    first, state = layer(x[:, :cut], None, lengths.clamp(max=cut))
    second, end_of_pieces = layer(x[:, cut:], state, (lengths - cut).clamp(min=0))
    values, pieces = [whole], [torch.cat([first, second], 1)]
    for row in range(4):
        values += known(end, row)
        pieces += known(end_of_pieces, row)
    assert_close(pieces, values)
    slopes = [torch.randn_like(value) for value in values]
    leaves = [x, *layer.parameters()]
    assert_close(gradients(pieces, leaves, slopes), gradients(values, leaves, slopes))


@every_causal_layer
def test_word_by_word_equals_the_whole(name):
    layer = make(name, torch.float32)
    x = words(2, 5, torch.float32)
    state, steps = None, []
    for word in x.split(1, dim=1):
        y, state = layer(word, state)
        steps.append(y)
    whole, end = layer(x)
    assert_close((torch.cat(steps, 1), tensors(state)), (whole, tensors(end)))


@every_layer
def test_full_lengths_are_the_same_as_none(name):
    layer = make(name)
    x = words(2, 4)
    (y, end), (y_full, end_full) = layer(x), layer(x, None, torch.tensor([4, 4], dtype=torch.int32))
    assert_close((y_full, tensors(end_full)), (y, tensors(end)))


@every_layer
def test_gradients_outside_of_training_are_the_same(name):
    layer = make(name, torch.float32)
    x = words(2, 4, torch.float32)
    slope = torch.randn(2, 4, layer.output_size)
    in_training = gradients([layer(x)[0]], [x], [slope])
    layer.eval()
    assert_close(gradients([layer(x)[0]], [x], [slope]), in_training)


@every_layer
def test_values_without_gradients_are_the_same(name):
    layer = make(name, torch.float32)
    x = words(2, 4, torch.float32)
    with torch.no_grad():
        y, end = layer(x)
    assert_close((y, tensors(end)), (layer(x)[0], tensors(layer(x)[1])))


@every_layer
def test_half_the_bits_do_for_training(name):
    layer = make(name, torch.float32)
    x, lengths = words(2, 4, torch.float32), torch.tensor([4, 2])
    with torch.autocast("cpu", dtype=torch.bfloat16):
        _, state = layer(x)
        y, end = layer(x, state, lengths)
    expected, _ = layer(x, layer(x)[1], lengths)
    assert_close(y.float(), expected, rtol=0.1, atol=0.1)
    loss = y.float().square().sum() + sum(tensor.float().sum() for tensor in tensors(end))
    slopes = torch.autograd.grad(loss, list(layer.parameters()))
    assert all(slope.isfinite().all() and (slope != 0).any() for slope in slopes)


@every_layer
def test_layer_keeps_nothing_of_a_call(name):
    layer = make(name)

    def held() -> list[tuple[str, str]]:
        return [(path, key) for path, module in layer.named_modules() for key in vars(module)]

    def buffers() -> int:
        return len(list(layer.buffers()))

    before = held(), buffers()
    layer(words(2, 4), None, torch.tensor([4, 2]))
    assert (held(), buffers()) == before
    assert not any(isinstance(value, Tensor) for module in layer.modules() for value in vars(module).values())


@every_layer
def test_all_parameters_stand_among_the_symbols(name):
    layer = make(name)
    assert sum(parameters(layer.symbols()).values()) == sum(weight.numel() for weight in layer.parameters())


@every_reader_of_sequences
def test_layer_computes_the_definition_of_a_whole_sequence(name):
    layer = make(name)
    x = words(3, 4)
    part = sequence_part(layer)
    assert_same([layer(x)[0]], [lifted(part.definition, part.weights)(x)], [x, *layer.parameters()])


@every_reader_of_sequences
def test_layer_computes_what_a_recorded_run_shows(name):
    layer = make(name)
    x = words(1, 4)
    part = sequence_part(layer)
    assert_close(trace(part.definition, x[0], **part.weights).results, (layer(x)[0][0],))


@pytest.mark.parametrize("cls", CELLS)
def test_symbols_have_the_letters_and_shapes_of_the_definition(cls):
    numbers = {name: value.numel() for name, value in cls(D, H).symbols().items()}
    assert numbers == cls.definition.count(D=D, H=H)


@pytest.mark.parametrize("cls", CELLS)
def test_weights_are_drawn_from_torchs_generator(cls):
    torch.manual_seed(1)
    first, second = cls(D, H), cls(D, H)
    torch.manual_seed(1)
    again = cls(D, H)
    assert_close(list(again.parameters()), list(first.parameters()))
    assert not torch.equal(next(first.parameters()), next(second.parameters()))


def test_words_of_another_width_are_refused():
    with pytest.raises(ShapeError, match=r"x has shape \(2, 4, 7\), LSTM reads \(B, T, 3\)"):
        LSTM(3, 5)(torch.zeros(2, 4, 7))


def test_a_state_of_other_rows_is_refused():
    with pytest.raises(ShapeError, match=r"shape \(1, 5\), GRU takes \(2, 5\)"):
        GRU(3, 5)(torch.zeros(2, 4, 3), GRUState(torch.zeros(1, 5)))


@pytest.mark.parametrize("lengths", [[4, 5], [-1, 2]])
def test_lengths_beyond_the_words_are_refused(lengths):
    with pytest.raises(ShapeError, match="between 0 and the 4 tokens"):
        SSRU(3, 5)(torch.zeros(2, 4, 3), lengths=torch.tensor(lengths))


@pytest.mark.parametrize("lengths", [torch.tensor([4]), torch.tensor([[4], [2]]), torch.tensor([1.0, 2.0])])
def test_lengths_that_are_not_one_number_a_row_are_refused(lengths):
    with pytest.raises(ShapeError, match="one whole number for each sequence"):
        Bidirectional.of(lambda: GRU(3, 5))(torch.zeros(2, 4, 3), lengths=lengths)


def test_last_of_a_row_without_words_is_zero():
    y = torch.randn(2, 3, 4)
    assert_close(last(y, torch.tensor([2, 0])), torch.stack([y[0, 1], torch.zeros(4)]))


def test_weights_in_one_block_are_the_same_weights():
    """What cuDNN asks for: one behind the other in memory, and gradients reach the weights."""
    weights = [torch.randn(4, 3, requires_grad=True), torch.randn(4, 2, requires_grad=True), torch.randn(4)]
    block = in_one_block(weights)
    assert_close(block, weights)
    ends = [part.data_ptr() + part.numel() * part.element_size() for part in block]
    assert [part.data_ptr() for part in block[1:]] == ends[:-1]
    slopes = [torch.randn_like(part) for part in block]
    assert_close(gradients(block, weights[:2], slopes), slopes[:2])
