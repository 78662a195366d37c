"""Attention without positions does not know the order of words."""

import pytest
import torch
from torch.testing import assert_close

from seqloom.layers.attention_layer import BareSelfAttention, SelfAttention
from seqloom.layers.encoder_block import EncoderBlock, EncoderBlockPreNorm
from seqloom.layers.multi_head import MultiHead
from seqloom.layers.positions import LearnedPositions, Sinusoidal
from tests.layers.lifted import exact
from tests.layers.scan import randn

T, D = 5, 6
ORDER = [3, 0, 4, 1, 2]

CASES = {
    "bare self-attention": (BareSelfAttention, lambda layer, x: layer(x)),
    "self-attention": (lambda: SelfAttention(D, 4), lambda layer, x: layer(x)),
    "multi-head": (lambda: MultiHead(D, 3), lambda layer, x: layer(x, x)),
    "encoder block": (lambda: EncoderBlock(D, 3, 4), lambda layer, x: layer(x)),
    "encoder block, pre-norm": (lambda: EncoderBlockPreNorm(D, 3, 4), lambda layer, x: layer(x)),
}
every = pytest.mark.parametrize("make, run", CASES.values(), ids=CASES)


@every
def test_permuting_the_words_permutes_the_results(make, run):
    layer = exact(make())
    x = randn(2, T, D)
    assert_close(run(layer, x[:, ORDER]), run(layer, x)[:, ORDER])


@every
@pytest.mark.parametrize("positions", [lambda: Sinusoidal(D), lambda: LearnedPositions(T, D)])
def test_with_positions_the_order_of_words_matters(make, run, positions):
    layer = exact(make())
    x, rows = randn(2, T, D), positions().double()(T)
    permuted = run(layer, x[:, ORDER] + rows)
    assert (permuted - run(layer, x + rows)[:, ORDER]).abs().max() > 1e-3


def test_bare_self_attention_gives_equal_words_equal_rows():
    x = torch.randn(1, 1, D).expand(1, T, D)
    assert_close(BareSelfAttention()(x), x)
