import pytest
import torch
from torch import nn
from torch.testing import assert_close

from seqloom.errors import SeqloomError, ShapeError
from seqloom.layers.output_layers import (
    MLP,
    LogisticRegression,
    Readout,
    Temperature,
    linear_head,
    logistic_regression,
    mlp,
    readout,
    temperature,
)
from tests.layers.lifted import counted, exact, lifted
from tests.layers.scan import assert_same, randn


@pytest.mark.parametrize("B, T, D", [(1, 1, 1), (2, 3, 4), (5, 2, 3)])
def test_logistic_regression_computes_the_equations(B, T, D):
    layer = exact(LogisticRegression(T, D))
    x = randn(B, T, D)
    slow = lifted(logistic_regression, layer.symbols())(x)
    assert_same([layer.distribution(x)], [slow], [x, *layer.parameters()])
    assert_close(layer(x).sigmoid(), slow)


def test_logistic_regression_on_twenty_words_of_eight_has_161_parameters():
    assert sum(logistic_regression.count(T=20, D=8).values()) == 161
    assert counted(LogisticRegression(20, 8)) == 161


@pytest.mark.parametrize("B, T, D, F, V", [(1, 1, 1, 1, 1), (2, 3, 4, 5, 6), (5, 2, 3, 7, 4)])
def test_mlp_computes_the_equations(B, T, D, F, V):
    layer = exact(MLP(T, D, F, V))
    x = randn(B, T, D)
    slow = lifted(mlp, layer.symbols())(x)
    assert_same([layer(x)], [slow], [x, *layer.parameters()])


@pytest.mark.parametrize("T, D, V", [(1, 1, 1), (3, 4, 5), (2, 3, 7)])
def test_a_linear_head_is_a_readout_of_all_vectors_end_to_end(T, D, V):
    layer, oracle = exact(Readout(T * D, V)), nn.Linear(T * D, V).double()
    oracle.load_state_dict({"weight": layer.W_hy.T, "bias": layer.b_y})
    x = randn(2, T, D)
    slow = lifted(linear_head, {"W": layer.W_hy, "b": layer.b_y})(x)
    assert_same([layer(x.flatten(1))], [slow], [x, *layer.parameters()])
    assert_close(oracle(x.flatten(1)), slow)


def test_mlp_agrees_with_torch():
    layer = exact(MLP(3, 4, 5, 6))
    oracle = nn.Sequential(nn.Flatten(), nn.Linear(12, 5), nn.ReLU(), nn.Linear(5, 6)).double()
    oracle.load_state_dict({"1.weight": layer.W_1.T, "1.bias": layer.b_1, "3.weight": layer.W_2.T, "3.bias": layer.b_2})
    x = randn(2, 3, 4)
    assert_close(layer(x), oracle(x))


@pytest.mark.parametrize("make", [lambda: LogisticRegression(5, 4), lambda: MLP(5, 4, 3, 2)])
def test_a_shorter_sentence_is_read_as_one_with_zeros_behind_it(make):
    layer = exact(make())
    x = randn(2, 3, 4)
    filled = torch.cat([x, torch.zeros(2, 2, 4, dtype=torch.float64)], 1)
    assert_close(layer(x), layer(filled))


@pytest.mark.parametrize("make", [lambda: LogisticRegression(5, 4), lambda: MLP(5, 4, 3, 2)])
def test_a_longer_sentence_is_refused_with_what_to_do(make):
    with pytest.raises(ShapeError, match=r"6 tokens, and there are weights for 5\n.*make the layer 6 long"):
        make()(torch.zeros(1, 6, 4))


@pytest.mark.parametrize("B, T, H, V", [(1, 1, 1, 1), (2, 3, 4, 5)])
def test_readout_computes_the_equations(B, T, H, V):
    layer = exact(Readout(H, V))
    h = randn(B, T, H)
    slow = lifted(readout, layer.symbols(), 0, 0)(h)
    assert_same([layer(h)], [slow], [h, *layer.parameters()])


def test_readout_agrees_with_torch():
    layer = exact(Readout(4, 5))
    oracle = nn.Linear(4, 5).double()
    oracle.load_state_dict({"weight": layer.W_hy.T, "bias": layer.b_y})
    h = randn(3, 4)
    assert_close(layer(h), oracle(h))


@pytest.mark.parametrize("tau", [0.1, 1.0, 7.0])
def test_temperature_computes_the_equations(tau):
    z = randn(2, 3, 4)
    slow = torch.vmap(torch.vmap(lambda row: temperature(row, tau)))(z)
    assert_same([Temperature()(z, tau)], [slow], [z])


def test_each_row_may_have_a_temperature_of_its_own():
    z, tau = randn(3, 4), torch.tensor([[0.5], [1.0], [2.0]], dtype=torch.float64, requires_grad=True)
    slow = lifted(temperature, {})(z, tau)
    assert_same([Temperature()(z, tau)], [slow], [z, tau])


def test_cold_is_certain_and_hot_is_even():
    z = torch.tensor([1.0, 3.0, 2.0])
    assert_close(Temperature()(z, 0.01), torch.tensor([0.0, 1.0, 0.0]))
    assert_close(Temperature()(z, 1e6), torch.full((3,), 1 / 3), atol=1e-5, rtol=0)


@pytest.mark.parametrize("tau", [0, -1.5])
def test_a_temperature_that_is_not_above_zero_is_refused(tau):
    with pytest.raises(SeqloomError, match=rf"a temperature of {tau} is not above 0\n.*largest logit"):
        Temperature()(torch.zeros(3), tau)
