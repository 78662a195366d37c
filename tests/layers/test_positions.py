import math

import numpy as np
import pytest
import torch
from torch import nn
from torch.testing import assert_close

from seqloom.errors import ShapeError
from seqloom.layers.positions import (
    AddLearned,
    AddSinusoidal,
    LearnedPositions,
    Sinusoidal,
    learned_positions,
    positioned,
    sinusoidal,
)
from tests.layers.lifted import exact, lifted
from tests.layers.scan import assert_same, randn


@pytest.mark.usefixtures("float64")
@pytest.mark.parametrize("T, D", [(1, 2), (3, 4), (7, 6)])
def test_sinusoidal_computes_the_equations(T, D):
    layer = Sinusoidal(D)
    slow = torch.stack([sinusoidal(torch.tensor(p), **layer.symbols()) for p in range(T)])
    assert_close(layer(T), slow)


@pytest.mark.parametrize("make", [lambda: Sinusoidal(4), lambda: LearnedPositions(9, 4)])
def test_positions_from_a_later_start_are_those_of_the_whole(make):
    layer = make()
    one_by_one = torch.cat([layer(1, start) for start in range(9)])
    assert torch.equal(one_by_one, layer(9))
    assert torch.equal(layer(3, start=5), layer(9)[5:8])


def test_sinusoidal_grows_when_a_longer_sentence_comes_and_keeps_its_rows():
    layer = Sinusoidal(4)
    few, many = layer(2), layer(50)
    assert torch.equal(many[:2], few)
    assert many.shape == (50, 4)


def test_sinusoidal_has_nothing_to_save():
    layer = Sinusoidal(4)
    layer(5)
    assert not layer.state_dict() and not list(layer.parameters())


def test_sinusoidal_grows_in_the_numbers_of_its_model():
    layer = Sinusoidal(4)
    layer(2)
    assert layer.double()(30).dtype == torch.float64


def test_a_late_position_is_exact_in_float32():
    late = Sinusoidal(4)(1, start=99_999)
    assert late[0, 2].item() == pytest.approx(math.sin(99_999 / 10_000**0.5), abs=1e-7)


def test_sinusoidal_positions_differ_by_a_rotation_that_does_not_depend_on_where():
    rows = Sinusoidal(6)(12)
    products = rows @ rows.T
    assert_close(products[:-3].diagonal(3), products[0, 3].expand(9))


def test_an_odd_width_is_refused():
    with pytest.raises(ShapeError, match=r"do not fill a width of 5\n.*even"):
        Sinusoidal(5)


@pytest.mark.parametrize("T, D", [(1, 1), (3, 4), (5, 2)])
def test_learned_positions_compute_the_equations(T, D):
    layer = exact(LearnedPositions(T + 2, D))
    slow = torch.stack([learned_positions(torch.tensor(p), **layer.symbols()) for p in range(1, T + 1)])
    assert_same([layer(T, start=1)], [slow], list(layer.parameters()))


def test_a_position_beyond_the_learned_ones_is_refused_with_what_to_do():
    layer = LearnedPositions(4, 3)
    layer(4)
    with pytest.raises(ShapeError, match=r"position 5 has no embedding: they were learned for the first 4\n.*shorten"):
        layer(2, start=4)


both_added = pytest.mark.parametrize("make", [AddSinusoidal, lambda width: AddLearned(12, width)])


@pytest.mark.usefixtures("float64")
@pytest.mark.parametrize("B, T, D", [(1, 1, 2), (2, 3, 4), (3, 7, 6)])
@both_added
def test_added_positions_compute_the_equations(make, B, T, D):
    layer = exact(make(D))
    x = randn(B, T, D)
    each = lifted(layer.definition, layer.symbols(), (0, None), (0, 0))  # the batch, then positions
    assert_same([layer(x)], [each(x, torch.arange(T))], [x, *layer.parameters()])
    assert_same([layer(x, start=5)], [each(x, torch.arange(5, 5 + T))], [x, *layer.parameters()])


@pytest.mark.usefixtures("float64")
@pytest.mark.parametrize("B, T, D", [(1, 1, 2), (2, 3, 4), (3, 7, 6)])
@both_added
def test_added_positions_compute_the_equations_of_a_whole_sequence(make, B, T, D):
    layer = exact(make(D))
    x, part = randn(B, T, D), layer.sequence_part()
    assert part.bound is positioned.bind(position=layer.definition)
    assert_same([layer(x)], [lifted(part.definition, part.weights)(x)], [x, *layer.parameters()])


@both_added
def test_added_positions_are_those_of_the_whole_when_tokens_come_one_by_one(make):
    layer, x = exact(make(6)), randn(2, 9, 6)
    one_by_one = [layer(x[:, t : t + 1], start=t) for t in range(9)]
    assert_close(torch.cat(one_by_one, 1), layer(x))


def test_sinusoidal_positions_are_added_as_by_numpy():
    """The formula of the paper, entry by entry, with another library."""
    x = torch.randn(1, 5, 6)
    waves = np.zeros((5, 6))
    for p in range(5):
        for i in range(3):
            angle = p / 10_000 ** (2 * i / 6)
            waves[p, 2 * i], waves[p, 2 * i + 1] = np.sin(angle), np.cos(angle)
    expected = np.sqrt(6) * x.numpy() + waves
    assert_close(AddSinusoidal(6)(x).numpy(), expected.astype("float32"))


def test_learned_positions_are_added_as_by_torch():
    layer, oracle, x = exact(AddLearned(7, 4)), nn.Embedding(7, 4).double(), randn(2, 5, 4)
    oracle.load_state_dict({"weight": layer.positions.P})
    assert_close(layer(x), x + oracle(torch.arange(5)))
