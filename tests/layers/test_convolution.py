import keras
import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.testing import assert_close

from seqloom.layers.convolution import (
    CausalConvolution,
    Convolution,
    convolution,
    convolution_layer,
    residual_convolution,
)
from tests.layers.lifted import exact, lifted, values
from tests.layers.scan import assert_same, randn

SIZES = [(1, 1, 1, 1, 1), (2, 5, 3, 4, 3), (3, 4, 2, 5, 2), (2, 3, 4, 1, 7)]  # B, T, D, H, window


def windows(x, before, behind):
    """Every word between its neighbours: x (B, T, D) -> (B, T, window, D)."""
    return F.pad(x, (0, 0, before, behind)).unfold(1, before + 1 + behind, 1).mT


@pytest.mark.parametrize("B, T, D, H, window", SIZES)
def test_convolution_computes_the_equations_in_the_middle_of_the_window(B, T, D, H, window):
    layer = exact(Convolution(D, H, window))
    x = randn(B, T, D)
    slow = lifted(convolution, layer.symbols(), 0, 0)(windows(x, (window - 1) // 2, window // 2))
    assert_same([layer(x)], [slow], [x, *layer.parameters()])


@pytest.mark.parametrize("B, T, D, H, window", SIZES)
def test_causal_convolution_computes_the_equations_at_the_end_of_the_window(B, T, D, H, window):
    layer = exact(CausalConvolution(D, H, window))
    x = randn(B, T, D)
    slow = lifted(convolution, layer.symbols(), 0, 0)(windows(x, window - 1, 0))
    assert_same([layer(x)], [slow], [x, *layer.parameters()])


@pytest.mark.parametrize("B, T, D, H, window", SIZES)
@pytest.mark.parametrize("cls", [Convolution, CausalConvolution])
def test_convolution_computes_the_equations_of_a_whole_sequence(cls, B, T, D, H, window):
    layer = exact(cls(D, H, window))
    x, part = randn(B, T, D), layer.sequence_part(residual=False)
    assert part.definition is convolution_layer
    assert_same([layer(x)], [lifted(part.definition, part.weights)(x)], [x, *layer.parameters()])


@pytest.mark.parametrize("B, T, D, H, window", SIZES)
@pytest.mark.parametrize("cls", [Convolution, CausalConvolution])
def test_convolution_with_a_residual_connection_computes_the_equations_of_a_whole_sequence(cls, B, T, D, H, window):
    layer = exact(cls(D, D, window))
    x, part = randn(B, T, D), layer.sequence_part(residual=True)
    assert part.definition is residual_convolution
    assert_same([x + layer(x)], [lifted(part.definition, part.weights)(x)], [x, *layer.parameters()])


@pytest.mark.parametrize("window", [1, 2, 3, 4])
def test_causal_convolution_of_a_whole_sequence_agrees_with_keras(window):
    layer = exact(CausalConvolution(3, 4, window)).float()
    oracle = keras.layers.Conv1D(4, window, padding="causal", activation="relu")
    oracle.build((2, 5, 3))
    oracle.set_weights([weight.detach().numpy() for weight in values(layer)])
    x, part = torch.randn(2, 5, 3), layer.sequence_part(residual=False)
    assert_close(lifted(part.definition, part.weights)(x), oracle(x))


@pytest.mark.parametrize("window", [1, 2, 3, 4])
def test_convolution_agrees_with_torch(window):
    layer = exact(Convolution(3, 4, window))
    oracle = nn.Conv1d(3, 4, window).double()
    W, b = values(layer)
    oracle.load_state_dict({"weight": W.permute(2, 1, 0), "bias": b})
    x = randn(2, 5, 3)
    around = F.pad(x.mT, ((window - 1) // 2, window // 2))
    assert_close(layer(x), oracle(around).relu().mT)


@pytest.mark.parametrize("cls", [Convolution, CausalConvolution])
def test_both_convolutions_are_tied_to_the_definition(cls):
    assert cls.definition is convolution
    assert convolution.layer is Convolution


def test_padding_stays_zero_though_the_bias_is_not():
    layer = exact(Convolution(3, 4, 3))
    nn.init.ones_(layer.b)
    mask = torch.tensor([[True, True, False], [True, False, False]])
    assert layer(randn(2, 3, 3), mask)[~mask].eq(0).all()
