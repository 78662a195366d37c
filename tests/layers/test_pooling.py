import keras
import pytest
import torch
from torch.autograd import grad
from torch.testing import assert_close

from seqloom.layers.pooling import POOLINGS, pooling_called
from seqloom.layers.recurrent import last
from tests.layers.lifted import exact, lifted
from tests.layers.scan import assert_same, randn

every = pytest.mark.parametrize("kind", POOLINGS)
LENGTHS = torch.tensor([3, 5, 1])


@pytest.mark.parametrize("B, S, H", [(1, 1, 1), (2, 3, 4), (4, 2, 5)])
@every
def test_pooling_computes_the_equations(kind, B, S, H):
    layer = exact(pooling_called(kind, H))
    h = randn(B, S, H)
    slow = lifted(layer.definition, layer.symbols())(h)
    assert_same([layer(h, torch.full((B,), S))], [slow], [h, *layer.parameters()])


@every
def test_pooling_computes_the_equations_for_the_tokens_of_each_sentence(kind):
    layer = exact(pooling_called(kind, 4))
    h = randn(3, 5, 4)
    slow = [layer.definition(vectors[:n], **layer.symbols()) for vectors, n in zip(h, LENGTHS.tolist(), strict=True)]
    assert_same([layer(h, LENGTHS)], [torch.stack(slow)], [h, *layer.parameters()])


@every
@pytest.mark.parametrize("garbage", [torch.nan, torch.inf, -torch.inf, 1e6])
def test_whatever_stands_in_padding_changes_neither_results_nor_gradients(kind, garbage):
    layer = exact(pooling_called(kind, 4))
    clean = randn(3, 5, 4)
    padding = torch.arange(5) >= LENGTHS[:, None]
    h = clean.detach().masked_fill(padding[..., None], garbage).requires_grad_()
    pooled, expected = layer(h, LENGTHS), layer(clean, LENGTHS)
    assert_close(pooled, expected)
    leaves = list(layer.parameters())
    assert_close(grad(pooled.square().sum(), [h, *leaves]), grad(expected.square().sum(), [clean, *leaves]))


@every
def test_a_sentence_without_tokens_gives_zeros_and_finite_gradients(kind):
    layer = exact(pooling_called(kind, 4))
    h = torch.full((2, 3, 4), 7.0, dtype=torch.float64, requires_grad=True)
    pooled = layer(h, torch.tensor([0, 3]))
    assert_close(pooled, torch.tensor([[0.0] * 4, [7.0] * 4], dtype=torch.float64))
    gradients = grad(pooled.square().sum(), [h, *layer.parameters()])
    assert all(gradient.isfinite().all() for gradient in gradients)
    assert gradients[0][0].eq(0).all()


@pytest.mark.parametrize("kind, oracle", [("mean", "GlobalAveragePooling1D"), ("max", "GlobalMaxPooling1D")])
def test_pooling_agrees_with_keras(kind, oracle):
    h = torch.randn(2, 5, 4)
    assert_close(pooling_called(kind, 4)(h, torch.tensor([5, 5])), getattr(keras.layers, oracle)()(h))


def test_mean_pooling_of_padded_sentences_agrees_with_keras():
    h = torch.randn(3, 5, 4)
    mask = torch.arange(5) < LENGTHS[:, None]
    assert_close(pooling_called("mean", 4)(h, LENGTHS), keras.layers.GlobalAveragePooling1D()(h, mask=mask))


def test_last_pooling_is_the_last_output_of_a_recurrent_layer():
    h = randn(3, 5, 4)
    assert_close(pooling_called("last", 4)(h, LENGTHS), last(h, LENGTHS))
