import keras
import pytest
import torch
from torch import nn
from torch.testing import assert_close

from seqloom.layers.norms import BatchNorm, LayerNorm, batch_norm, layer_norm
from tests.layers.lifted import exact, lifted
from tests.layers.scan import assert_same, randn


@pytest.mark.parametrize("B, T, D", [(1, 1, 2), (2, 3, 4), (4, 2, 7)])
def test_layer_norm_computes_the_equations(B, T, D):
    layer = exact(LayerNorm(D))
    x = randn(B, T, D)
    slow = lifted(layer_norm, layer.symbols(), 0, 0)(x)
    assert_same([layer(x)], [slow], [x, *layer.parameters()])


def test_layer_norm_agrees_with_torch_and_keras():
    layer = LayerNorm(4)
    nn.init.normal_(layer.gamma)
    nn.init.normal_(layer.beta)
    x = torch.randn(2, 3, 4)
    oracle = nn.LayerNorm(4)
    oracle.load_state_dict({"weight": layer.gamma, "bias": layer.beta})
    other = keras.layers.LayerNormalization(epsilon=1e-5)
    other.build((2, 3, 4))
    other.set_weights([layer.gamma.detach().numpy(), layer.beta.detach().numpy()])
    assert_close(layer(x), oracle(x))
    assert_close(layer(x), other(x))


@pytest.mark.parametrize("B, T, D", [(1, 2, 1), (2, 3, 4), (4, 2, 5)])
def test_batch_norm_computes_the_equations_over_all_positions(B, T, D):
    layer = exact(BatchNorm(D))
    x = randn(B, T, D)
    slow = batch_norm(x.flatten(0, 1), **layer.symbols()).view(B, T, D)
    assert_same([layer(x)], [slow], [x, *layer.parameters()])


def test_batch_norm_computes_the_equations_over_real_positions_only():
    layer = exact(BatchNorm(4))
    x = randn(2, 5, 4)
    mask = torch.tensor([[True, True, True, False, False], [True] * 4 + [False]])
    y = layer(x, mask)
    slow = batch_norm(x[mask], **layer.symbols())
    assert y[~mask].eq(0).all()
    assert_same([y[mask]], [slow], [x, *layer.parameters()])


def test_batch_norm_agrees_with_torch_through_training_and_after():
    layer = exact(BatchNorm(4, momentum=0.2))
    oracle = nn.BatchNorm1d(4, momentum=0.2).double()
    oracle.load_state_dict({"weight": layer.gamma, "bias": layer.beta}, strict=False)
    for _ in range(3):
        x = randn(2, 3, 4) * 3 + 1
        assert_close(layer(x), oracle(x.mT).mT)
    assert_close((layer.mean, layer.variance), (oracle.running_mean, oracle.running_var))
    layer.eval(), oracle.eval()
    x = randn(2, 1, 4)
    assert_close(layer(x), oracle(x.mT).mT)


def test_batch_norm_remembers_real_positions_only():
    layer, trimmed = exact(BatchNorm(4)), exact(BatchNorm(4))
    x = randn(2, 5, 4)
    mask = torch.tensor([[True, True, True, False, False], [True] * 4 + [False]])
    layer(x, mask)
    trimmed(x[mask][None])
    assert_close((layer.mean, layer.variance), (trimmed.mean, trimmed.variance))


def test_batch_norm_of_a_single_position_is_the_shift_and_spoils_no_memory():
    layer = exact(BatchNorm(4))
    x = randn(1, 1, 4)
    assert_same([layer(x)], [batch_norm(x[0], **layer.symbols())[None]], [x, *layer.parameters()])
    assert_close((layer.mean, layer.variance), (torch.zeros(4).double(), torch.ones(4).double()))


def test_batch_norm_of_padding_alone_is_zero_and_spoils_no_memory():
    layer = exact(BatchNorm(4))
    y = layer(randn(2, 3, 4), torch.zeros(2, 3, dtype=torch.bool))
    y.sum().backward()
    assert y.eq(0).all()
    assert layer.mean.isfinite().all() and layer.variance.isfinite().all()


def test_batch_norm_out_of_training_remembers_nothing_new():
    layer = exact(BatchNorm(4)).eval()
    layer(randn(2, 3, 4))
    assert_close((layer.mean, layer.variance), (torch.zeros(4).double(), torch.ones(4).double()))
