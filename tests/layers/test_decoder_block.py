import pytest
import torch
from torch import nn
from torch.testing import assert_close

from seqloom.layers.decoder_block import DecoderBlock, DecoderBlockPreNorm
from seqloom.layers.masks import causal
from tests.layers.lifted import exact, lifted
from tests.layers.scan import assert_same, randn
from tests.layers.test_encoder_block import Nothing, attention_of, network_of, norm_of

both = pytest.mark.parametrize("cls", [DecoderBlock, DecoderBlockPreNorm])


@pytest.mark.parametrize("B, T, S, N, K, F", [(1, 1, 1, 1, 2, 1), (2, 3, 4, 2, 2, 5), (3, 5, 2, 3, 1, 7)])
@both
def test_decoder_block_computes_the_equations(cls, B, T, S, N, K, F):
    layer = exact(cls(N * K, N, F))
    x, h = randn(B, T, N * K), randn(B, S, N * K)
    mask = torch.rand(B, 1, T, S) < 0.6
    slow = lifted(cls.definition, layer.symbols(), (0, 0, None, 0))(x, h, causal(T), mask[:, 0])
    assert_same([layer(x, h, mask)], [slow], [x, h, *layer.parameters()])


@both
def test_decoder_block_computes_the_equations_with_a_mask_for_the_words_written(cls):
    layer = exact(cls(6, 3, 5))
    x, h = randn(2, 4, 6), randn(2, 3, 6)
    mask, written = torch.rand(2, 1, 4, 3) < 0.6, torch.rand(2, 1, 4, 4) < 0.6
    slow = lifted(cls.definition, layer.symbols())(x, h, written[:, 0] & causal(4), mask[:, 0])
    assert_same([layer(x, h, mask, written)], [slow], [x, h, *layer.parameters()])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@both
def test_decoder_block_agrees_with_torch(cls, dtype):
    layer = exact(cls(6, 3, 5)).to(dtype)
    oracle = nn.TransformerDecoderLayer(
        6, 3, 5, dropout=0.0, batch_first=True, norm_first=cls is DecoderBlockPreNorm, dtype=dtype
    )
    oracle.load_state_dict(
        {
            **attention_of(layer.self_attention, "self_attn"),
            **attention_of(layer.cross_attention, "multihead_attn"),
            **network_of(layer.network),
            **norm_of(layer.norm_1, "norm1"),
            **norm_of(layer.norm_2, "norm2"),
            **norm_of(layer.norm_3, "norm3"),
        }
    )
    x, h = torch.randn(2, 4, 6, dtype=dtype), torch.randn(2, 3, 6, dtype=dtype)
    real = torch.tensor([[True, True, False], [True, True, True]])
    expected = oracle(x, h, tgt_mask=~causal(4), memory_key_padding_mask=~real)
    assert_close(layer(x, h, real[:, None, None]), expected)


@pytest.mark.parametrize("chunks", [[1, 1, 1, 1, 1], [3, 1, 1], [5]])
@both
def test_step_by_step_with_a_cache_equals_all_words_at_once(cls, chunks):
    layer = exact(cls(6, 3, 5))
    x, h = randn(2, 5, 6), randn(2, 4, 6)
    mask = torch.tensor([[True, True, False, False], [True, True, True, True]])[:, None, None]
    cache, parts = layer.start(h, mask), []
    for words in x.split(chunks, 1):
        y, cache, _ = layer.step(words, cache, mask)
        parts.append(y)
    assert_same([torch.cat(parts, 1)], [layer(x, h, mask)], [x, h, *layer.parameters()])


@both
def test_a_step_leaves_the_cache_it_was_given_as_it_was(cls):
    layer = exact(cls(6, 3, 5))
    x, h = randn(2, 2, 6), randn(2, 4, 6)
    _, cache, _ = layer.step(x[:, :1], layer.start(h))
    first, _, _ = layer.step(x[:, 1:], cache)
    again, _, _ = layer.step(x[:, 1:], cache)
    assert torch.equal(first, again)
    assert cache.written.k.shape == (2, 3, 1, 2)


def test_dropout_falls_behind_each_part_and_before_the_sum():
    x, h = randn(2, 3, 6), randn(2, 4, 6)
    first, behind = exact(DecoderBlockPreNorm(6, 3, 5)), exact(DecoderBlock(6, 3, 5))
    first.dropout, behind.dropout = Nothing(), Nothing()  # type: ignore[assignment]
    assert_close(first(x, h), x)
    assert_close(behind(x, h), behind.norm_3(behind.norm_2(behind.norm_1(x))))


@both
def test_dropout_is_spread_over_the_parts(cls):
    layer = cls(6, 3, 5, dropout=0.2, inner_dropout=0.1)
    rates = [part.attend.dropout.rate for part in (layer.self_attention, layer.cross_attention)]
    assert (layer.dropout.rate, layer.network.dropout.rate, *rates) == (0.2, 0.1, 0.1, 0.1)
