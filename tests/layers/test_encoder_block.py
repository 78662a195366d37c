import pytest
import torch
from torch import Tensor, nn
from torch.testing import assert_close

from seqloom.layers.encoder_block import EncoderBlock, EncoderBlockPreNorm
from seqloom.layers.masks import causal
from tests.layers.lifted import exact, lifted
from tests.layers.scan import assert_same, randn

both = pytest.mark.parametrize("cls", [EncoderBlock, EncoderBlockPreNorm])


class Nothing(nn.Module):
    """Dropout that leaves nothing."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.zeros_like(x)


@pytest.mark.parametrize("B, T, N, K, F", [(1, 1, 1, 2, 1), (2, 3, 2, 2, 5), (3, 4, 3, 1, 7)])
@both
def test_encoder_block_computes_the_equations(cls, B, T, N, K, F):
    layer = exact(cls(N * K, N, F))
    x = randn(B, T, N * K)
    mask = torch.rand(B, 1, T, T) < 0.6
    slow = lifted(cls.definition, layer.symbols())(x, mask[:, 0])
    assert_same([layer(x, mask)], [slow], [x, *layer.parameters()])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@both
def test_encoder_block_agrees_with_torch(cls, dtype):
    layer = exact(cls(6, 3, 5)).to(dtype)
    oracle = nn.TransformerEncoderLayer(
        6, 3, 5, dropout=0.0, batch_first=True, norm_first=cls is EncoderBlockPreNorm, dtype=dtype
    )
    oracle.load_state_dict(
        {
            **attention_of(layer.attention, "self_attn"),
            **network_of(layer.network),
            **norm_of(layer.norm_1, "norm1"),
            **norm_of(layer.norm_2, "norm2"),
        }
    )
    x = torch.randn(2, 4, 6, dtype=dtype)
    real = torch.tensor([[True, True, True, False], [True, True, False, False]])
    y = layer(x, real[:, None, None], causal=True)
    expected = oracle(x, src_mask=~causal(4), src_key_padding_mask=~real)
    assert_close(y, expected)


def attention_of(attention, name):
    D = attention.width
    return {
        f"{name}.in_proj_weight": attention.W_QKV.T,
        f"{name}.in_proj_bias": torch.zeros(3 * D),
        f"{name}.out_proj.weight": attention.W_O.T,
        f"{name}.out_proj.bias": torch.zeros(D),
    }


def network_of(network):
    return {
        "linear1.weight": network.W_1.T,
        "linear1.bias": network.b_1,
        "linear2.weight": network.W_2.T,
        "linear2.bias": network.b_2,
    }


def norm_of(norm, name):
    return {f"{name}.weight": norm.gamma, f"{name}.bias": norm.beta}


@pytest.mark.parametrize("chunks", [[1, 1, 1, 1, 1], [3, 1, 1], [5]])
@both
def test_step_by_step_with_a_cache_equals_all_words_at_once(cls, chunks):
    layer = exact(cls(6, 3, 5))
    x = randn(2, 5, 6)
    cache, parts = None, []
    for words in x.split(chunks, 1):
        y, cache = layer.step(words, cache)
        parts.append(y)
    assert_same([torch.cat(parts, 1)], [layer(x, causal=True)], [x, *layer.parameters()])


@both
def test_steps_heed_padding_before_the_first_word(cls):
    layer = exact(cls(6, 3, 5))
    x = randn(1, 4, 6)
    mask = torch.tensor([False, False, True, True])[None, None, None]
    _, cache = layer.step(x[:, :3], None, mask[..., :3])
    y, _ = layer.step(x[:, 3:], cache, mask)
    assert_close(y, layer(x[:, 2:], causal=True)[:, 1:])


def test_dropout_falls_behind_each_part_and_before_the_sum():
    x = randn(2, 3, 6)
    first, behind = exact(EncoderBlockPreNorm(6, 3, 5)), exact(EncoderBlock(6, 3, 5))
    first.dropout, behind.dropout = Nothing(), Nothing()  # type: ignore[assignment]
    assert_close(first(x), x)
    assert_close(behind(x), behind.norm_2(behind.norm_1(x)))


@both
def test_dropout_is_spread_over_the_parts(cls):
    layer = cls(6, 3, 5, dropout=0.2, inner_dropout=0.1)
    assert (layer.dropout.rate, layer.network.dropout.rate, layer.attention.attend.dropout.rate) == (0.2, 0.1, 0.1)
    x = torch.randn(2, 4, 6)
    assert not torch.equal(layer(x), layer(x))
    layer.eval()
    assert torch.equal(layer(x), layer(x))
