import pytest
import torch
from torch import nn
from torch.testing import assert_close

from seqloom.layers.attention_layer import (
    AttentionLayer,
    BareSelfAttention,
    SelfAttention,
    attention_layer,
    bare_self_attention,
    self_attention,
)
from seqloom.layers.masks import causal
from tests.layers.lifted import exact, lifted, values
from tests.layers.scan import assert_same, randn

SIZES = [(1, 1, 1, 1, 1), (2, 3, 4, 5, 6), (4, 6, 2, 3, 1)]  # B, T, S, D, K


@pytest.mark.parametrize("B, T, S, D, K", SIZES)
def test_attention_layer_computes_the_equations(B, T, S, D, K):
    layer = exact(AttentionLayer(D, K))
    x, h = randn(B, T, D), randn(B, S, D)
    slow = lifted(attention_layer, layer.symbols())(x, h)
    assert_same([layer(x, h)], [slow], [x, h, *layer.parameters()])


@pytest.mark.parametrize("B, T, S, D, K", SIZES)
def test_bare_self_attention_computes_the_equations(B, T, S, D, K):
    x = randn(B, T, D)
    assert_same([BareSelfAttention()(x)], [lifted(bare_self_attention, {})(x)], [x])


@pytest.mark.parametrize("B, T, S, D, K", SIZES)
def test_self_attention_computes_the_equations(B, T, S, D, K):
    layer = exact(SelfAttention(D, K))
    x = randn(B, T, D)
    slow = lifted(self_attention, layer.symbols())(x)
    assert_same([layer(x)], [slow], [x, *layer.parameters()])


def test_the_attention_layer_on_one_sequence_is_self_attention_without_the_scaling():
    K = 4
    layer, scaled = exact(AttentionLayer(3, K)), exact(SelfAttention(3, K))
    W_Q, W_K, W_V = values(layer)
    with torch.no_grad():
        scaled.W_QKV.copy_(torch.cat([W_Q * K**0.5, W_K, W_V], 1))
    x = randn(2, 5, 3)
    assert_close(layer(x, x), scaled(x))


@pytest.mark.parametrize(
    "cls, sizes, inputs", [(AttentionLayer, (5, 6), 2), (BareSelfAttention, (), 1), (SelfAttention, (5, 6), 1)]
)
@pytest.mark.parametrize("shape", [None, (2, 4), (2, 4, 4)])
def test_weights_handed_out_sum_to_one_and_reproduce_the_fast_output(cls, sizes, inputs, shape):
    layer = exact(cls(*sizes))
    x = [randn(2, 4, 5) for _ in range(inputs)]
    mask = None
    if shape is not None:
        mask = torch.rand(shape) < 0.6
        mask[..., 0] = True
    y, weights = layer(*x, mask, weights=True)
    W_V = layer.symbols().get("W_V", torch.eye(5, dtype=torch.float64))
    assert_close(weights.sum(-1), torch.ones(2, 4, dtype=torch.float64))
    assert_close(weights @ (x[-1] @ W_V), y)
    assert_same([layer(*x, mask)], [y], [*x, *layer.parameters()])


def test_a_word_that_may_look_nowhere_gets_zeros_in_both_paths():
    layer = exact(SelfAttention(5, 3))
    x = randn(1, 4, 5)
    mask = causal(4)[None].tril(-1)  # before itself: the first word sees nothing
    y, weights = layer(x, mask, weights=True)
    assert y[0, 0].eq(0).all() and weights[0, 0].eq(0).all()
    assert_same([layer(x, mask)], [y], [x, *layer.parameters()])


def test_self_attention_agrees_with_one_head_of_torch():
    layer = exact(SelfAttention(4, 4))
    oracle = nn.MultiheadAttention(4, 1, bias=False, batch_first=True).double()
    with torch.no_grad():
        oracle.in_proj_weight.copy_(layer.W_QKV.T)
        oracle.out_proj.weight.copy_(torch.eye(4))
    x = randn(2, 3, 4)
    assert_close(layer(x, weights=True), oracle(x, x, x))


def test_the_attention_layer_agrees_with_the_column_form():
    layer = exact(AttentionLayer(5, 3))
    x, h = randn(4, 5), randn(6, 5)
    W_Q, W_K, W_V = (W.T for W in values(layer))  # acting from the left, on columns
    Q, K, V = W_Q @ x.T, W_K @ h.T, W_V @ h.T  # a column for each word
    C = V @ torch.softmax(K.T @ Q, dim=0)
    assert_close(layer(x[None], h[None])[0].T, C)


@pytest.mark.parametrize("cls", [AttentionLayer, SelfAttention])
def test_every_matrix_starts_within_the_bound_it_would_have_alone(cls):
    bound = (6 / (200 + 300)) ** 0.5
    for W in values(cls(200, 300)):
        assert 0.99 * bound < W.abs().max() <= bound
