from typing import Any

import keras
import pytest
import torch
from torch import nn
from torch.testing import assert_close

from seqloom.errors import ShapeError
from seqloom.layers.attention_layer import SelfAttention
from seqloom.layers.dropout import draw_from
from seqloom.layers.masks import causal
from seqloom.layers.multi_head import SHORT, MultiHead, ScaledDotProduct, multi_head, scaled_dot_product
from tests.layers.lifted import exact, lifted, values
from tests.layers.scan import assert_same, randn

SIZES = [(1, 1, 1, 1, 1), (2, 3, 4, 5, 6), (3, 5, 2, 2, 7), (2, 4, 3, 1, 5)]  # B, T, S, N, K


def some(*shape: int):
    """A mask that lets every query look somewhere."""
    mask = torch.rand(shape) < 0.6
    mask[..., 0] = True
    return mask


@pytest.mark.parametrize("B, T, S, N, K", SIZES)
def test_scaled_dot_product_computes_the_equations(B, T, S, N, K):
    q, k, v = randn(B, N, T, K), randn(B, N, S, K), randn(B, N, S, K)
    mask = torch.rand(B, N, T, S) < 0.6  # some queries may look nowhere
    slow = lifted(scaled_dot_product, {}, 0, 0)(q, k, v, mask)
    assert_same([ScaledDotProduct()(q, k, v, mask)], [slow], [q, k, v])


@pytest.mark.parametrize("B, T, S, N, K", SIZES)
def test_multi_head_computes_the_equations(B, T, S, N, K):
    layer = exact(MultiHead(N * K, N))
    x, h = randn(B, T, N * K), randn(B, S, N * K)
    mask = torch.rand(B, 1, T, S) < 0.6
    slow = lifted(multi_head, layer.symbols())(x, h, mask[:, 0])
    assert_same([layer(x, h, mask)], [slow], [x, h, *layer.parameters()])


@pytest.mark.parametrize("B, T, S, N, K", SIZES)
def test_multi_head_on_itself_computes_the_equations(B, T, S, N, K):
    layer = exact(MultiHead(N * K, N))
    x = randn(B, T, N * K)
    mask = torch.rand(B, 1, T, T) < 0.6
    slow = lifted(multi_head, layer.symbols())(x, x, mask[:, 0])
    assert_same([layer(x, x, mask)], [slow], [x, *layer.parameters()])


def test_handing_in_the_same_sequence_or_a_copy_makes_no_difference():
    layer = exact(MultiHead(6, 2))
    x = randn(2, 3, 6)
    mask = torch.rand(2, 2, 3, 3) < 0.5
    assert_same([layer(x, x, mask)], [layer(x, x.clone(), mask)], [x, *layer.parameters()])


@pytest.mark.parametrize("shape", [(1, 1, 1, 5), (2, 1, 1, 5), (1, 3, 1, 5), (1, 1, 4, 5), (2, 3, 4, 5)])
def test_an_axis_of_one_in_a_mask_stands_for_all(shape):
    layer = exact(MultiHead(6, 3))
    x, h = randn(2, 4, 6), randn(2, 5, 6)
    mask = some(*shape)
    assert_same([layer(x, h, mask)], [layer(x, h, mask.expand(2, 3, 4, 5).clone())], [x, h, *layer.parameters()])


def test_every_head_alone_and_summed_is_all_heads_together():
    N, K = 3, 2
    layer = exact(MultiHead(N * K, N))
    x = randn(2, 4, N * K)
    mask = some(2, 4, 4)
    _, W_Q, W_K, W_V, W_O, _ = values(layer)
    together, alone = torch.zeros_like(x), []
    for n in range(N):
        head = SelfAttention(N * K, K).double()
        with torch.no_grad():
            head.W_QKV.copy_(torch.cat([W_Q[n], W_K[n], W_V[n]], 1))
        alone.append(head(x, mask))
        together = together + alone[-1] @ W_O[n * K : (n + 1) * K]
    assert_close(layer(x, x, mask[:, None]), together)
    assert_close(layer(x, x, mask[:, None]), torch.cat(alone, -1) @ W_O)


def test_heads_may_have_masks_of_their_own():
    layer = exact(MultiHead(6, 2))
    x = randn(1, 3, 6)
    mask = torch.zeros(1, 2, 3, 3, dtype=torch.bool)
    mask[:, 0] = True
    _, weights = layer(x, x, mask, weights=True)
    assert_close(weights.sum(-1), torch.tensor([[[1.0] * 3, [0.0] * 3]], dtype=torch.float64))


@pytest.mark.parametrize("shape", [None, (2, 1, 1, 5), (2, 1, 5, 5), (2, 3, 5, 5)])
@pytest.mark.parametrize("is_causal", [False, True])
def test_weights_handed_out_reproduce_the_fast_output(shape, is_causal):
    layer = exact(MultiHead(6, 3))
    x = randn(2, 5, 6)
    mask = None if shape is None else torch.rand(shape) < 0.5
    y, weights = layer(x, x, mask, causal=is_causal, weights=True)
    allowed = torch.ones(2, 3, 5, 5, dtype=torch.bool) if mask is None else mask.expand(2, 3, 5, 5)
    allowed = allowed & causal(5) if is_causal else allowed
    assert_close(weights.sum(-1), allowed.any(-1).double())
    assert torch.equal(weights > 0, allowed)
    V = torch.einsum("btd,ndk->bntk", x, layer.symbols()["W_V"])
    assert_close((weights @ V).transpose(1, 2).flatten(2) @ layer.W_O, y)
    assert_same([layer(x, x, mask, causal=is_causal)], [y], [x, *layer.parameters()])


@pytest.mark.parametrize("words", [7, SHORT + 3])
@pytest.mark.parametrize("is_causal", [False, True])
def test_with_16_bits_it_is_nearly_the_same(words, is_causal):
    mask = some(2, 1, words, words)
    mask[1, :, 3] = False
    q, k, v = (torch.randn(2, 3, words, 5).bfloat16().requires_grad_() for _ in range(3))
    exact_ones = [tensor.detach().float().requires_grad_() for tensor in (q, k, v)]
    y, exact_y = (ScaledDotProduct()(*given, mask, causal=is_causal) for given in ((q, k, v), exact_ones))
    assert y.dtype == torch.bfloat16
    assert_close(y.float(), exact_y, atol=0.03, rtol=0.03)
    assert y[1, :, 3].eq(0).all()
    for made in (y, exact_y):
        made.float().square().sum().backward()
    for one, other in zip((q, k, v), exact_ones, strict=True):
        assert one.grad is not None
        assert_close(one.grad.float(), other.grad, atol=0.15, rtol=0.1)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("weights", [False, True])
def test_words_that_may_look_nowhere_get_exact_zeros_and_finite_gradients(dtype, weights):
    layer = MultiHead(6, 2).to(dtype)
    x = torch.randn(2, 3, 6, dtype=dtype, requires_grad=True)
    mask = torch.ones(2, 1, 3, 3, dtype=torch.bool)
    mask[0], mask[1, :, 2] = False, False
    y = layer(x, x, mask, weights=True)[0] if weights else layer(x, x, mask)
    assert y[0].eq(0).all() and y[1, 2].eq(0).all()
    assert y[1, :2].ne(0).all()
    y.square().sum().backward()
    assert x.grad is not None and x.grad[0].eq(0).all()
    leaves = [x.grad, layer.W_QKV.grad, layer.W_O.grad]
    assert all(gradient is not None and gradient.isfinite().all() for gradient in leaves)


def test_causal_is_the_causal_mask():
    layer = exact(MultiHead(6, 2))
    x = randn(2, 5, 6)
    masked = layer(x, x, causal(5)[None, None])
    assert_same([layer(x, x, causal=True)], [masked], [x, *layer.parameters()])


@pytest.mark.parametrize("chunks", [[1, 1, 1, 1, 1], [3, 1, 1], [1, 2, 2], [5]])
@pytest.mark.parametrize("shape", [None, (2, 1, 1, 5), (2, 3, 1, 5)])
def test_step_by_step_with_a_cache_equals_all_words_at_once(chunks, shape):
    layer = exact(MultiHead(6, 3))
    x = randn(2, 5, 6)
    mask = None if shape is None else some(*shape)
    cache, parts, seen = None, [], 0
    for words in x.split(chunks, 1):
        seen += words.shape[1]
        y, cache = layer.step(words, cache, None if mask is None else mask[..., :seen])
        parts.append(y)
    assert cache is not None and cache.k.shape == cache.v.shape == (2, 3, 5, 2)
    assert_same([torch.cat(parts, 1)], [layer(x, x, mask, causal=True)], [x, *layer.parameters()])


def test_a_step_leaves_the_cache_it_was_given_as_it_was():
    layer = exact(MultiHead(6, 3))
    x = randn(2, 2, 6)
    _, cache = layer.step(x[:, :1])
    kept = cache.k.clone()
    first, _ = layer.step(x[:, 1:], cache)
    again, _ = layer.step(x[:, 1:], cache)
    assert torch.equal(cache.k, kept) and torch.equal(first, again)


def test_keys_of_the_source_computed_once_serve_every_look():
    layer = exact(MultiHead(6, 3))
    x, h = randn(2, 4, 6), randn(2, 5, 6)
    mask = some(2, 1, 1, 5)
    source = layer.project_keys_values(h, mask)
    looks: list[Any] = [layer.attend_to(x[:, t : t + 1], source, mask) for t in range(4)]
    assert_same([torch.cat(looks, 1)], [layer(x, h, mask)], [x, h, *layer.parameters()])
    assert_close(layer.attend_to(x, source, mask, weights=True), layer(x, h, mask, weights=True))


def as_torch(layer: MultiHead) -> nn.MultiheadAttention:
    oracle = nn.MultiheadAttention(layer.width, layer.heads, bias=False, batch_first=True).to(layer.W_O)
    with torch.no_grad():
        oracle.in_proj_weight.copy_(layer.W_QKV.T)
        oracle.out_proj.weight.copy_(layer.W_O.T)
    return oracle


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_multi_head_agrees_with_torch(dtype):
    layer = MultiHead(6, 3).to(dtype)
    x, h = torch.randn(2, 4, 6, dtype=dtype), torch.randn(2, 5, 6, dtype=dtype)
    mask = some(2, 3, 4, 5)
    expected = as_torch(layer)(x, h, h, attn_mask=~mask.flatten(0, 1), average_attn_weights=False)
    assert_close(layer(x, h, mask, weights=True), expected)
    assert_close(layer(x, h, mask), expected[0])
    assert_close(layer(x, x), as_torch(layer)(x, x, x)[0])


def test_multi_head_agrees_with_keras():
    layer = MultiHead(6, 3)
    x, h = torch.randn(2, 4, 6), torch.randn(2, 5, 6)
    mask = some(2, 4, 5)
    oracle = keras.layers.MultiHeadAttention(num_heads=3, key_dim=2, use_bias=False)
    oracle.build((2, 4, 6), (2, 5, 6))
    _, W_Q, W_K, W_V, W_O, _ = values(layer)
    in_its_order = [*(W.transpose(0, 1) for W in (W_Q, W_K, W_V)), W_O.unflatten(0, (3, 2))]
    oracle.set_weights([W.detach().numpy() for W in in_its_order])
    expected = oracle(x, h, attention_mask=mask, return_attention_scores=True)
    assert_close(layer(x, h, mask[:, None], weights=True), tuple(expected))


def test_attention_dropout_draws_from_its_own_generator():
    layer = exact(MultiHead(6, 2, dropout=0.5))
    draw_from(torch.Generator().manual_seed(1), layer)
    x = randn(2, 5, 6)
    of_torch = torch.get_rng_state()
    first, second = layer(x, x), layer(x, x)
    assert torch.equal(torch.get_rng_state(), of_torch)
    assert not torch.allclose(first, second)
    draw_from(torch.Generator().manual_seed(1), layer)
    assert torch.equal(layer(x, x), first)


def test_attention_dropout_is_off_out_of_training_and_right_on_average():
    layer = exact(MultiHead(6, 2, dropout=0.3))
    x = randn(1, 4, 6)
    plain = MultiHead(6, 2).double()
    plain.load_state_dict(layer.state_dict())
    often = x.expand(40_000, 4, 6)
    assert_close(layer(often, often).mean(0, keepdim=True), plain(x, x), atol=0.1, rtol=0)
    assert_close(layer.eval()(x, x), plain(x, x))


def test_every_matrix_starts_within_the_bound_it_would_have_alone():
    D = 120
    layer = MultiHead(D, 4)
    bound = (6 / (D + D)) ** 0.5
    _, W_Q, W_K, W_V, W_O, _ = values(layer)
    for W in (W_Q, W_K, W_V, W_O):
        assert 0.99 * bound < W.abs().max() <= bound


def test_a_width_that_does_not_divide_is_refused():
    with pytest.raises(ShapeError, match=r"a width of 7 does not divide into 2 heads\n.*multiple of 2"):
        MultiHead(7, 2)


def test_a_causal_look_at_another_sequence_is_refused():
    layer = MultiHead(6, 2)
    with pytest.raises(ShapeError, match="3 queries and 4 keys"):
        layer(torch.zeros(1, 3, 6), torch.zeros(1, 4, 6), causal=True)


def test_a_mask_without_its_axes_is_refused_everywhere():
    layer = MultiHead(6, 2)
    x = torch.zeros(3, 3, 6)
    mask = causal(3)  # (T, T) would pass for (B, S)
    calls = [
        lambda: layer(x, x, mask),
        lambda: layer(x, x.clone(), mask),
        lambda: layer.project_keys_values(x, mask),
        lambda: layer.attend_to(x, layer.project_keys_values(x), mask),
        lambda: layer.step(x, None, mask),
    ]
    for call in calls:
        with pytest.raises(ShapeError, match="a mask has shape"):
            call()
