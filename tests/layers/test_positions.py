import math

import pytest
import torch
from torch.testing import assert_close

from seqloom.errors import ShapeError
from seqloom.layers.positions import LearnedPositions, Sinusoidal, learned_positions, sinusoidal
from tests.layers.lifted import exact
from tests.layers.scan import assert_same


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
