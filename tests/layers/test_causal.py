"""What is causal cannot see the future: one suite for every layer that claims to be."""

import pytest
import torch
from torch.autograd import grad
from torch.testing import assert_close

from seqloom.layers.convolution import CausalConvolution, Convolution
from seqloom.layers.decoder_block import DecoderBlock, DecoderBlockPreNorm
from seqloom.layers.encoder_block import EncoderBlock, EncoderBlockPreNorm
from seqloom.layers.masks import causal
from seqloom.layers.multi_head import MultiHead
from tests.layers.lifted import exact
from tests.layers.scan import randn

B, T, S, D, N = 2, 5, 3, 6, 2

CASES = {
    "multi-head, causal": (lambda: MultiHead(D, N), lambda layer, x, h: layer(x, x, causal=True)),
    "multi-head, a causal mask": (lambda: MultiHead(D, N), lambda layer, x, h: layer(x, x, causal(T)[None, None])),
    "multi-head, with weights": (
        lambda: MultiHead(D, N),
        lambda layer, x, h: layer(x, x, causal=True, weights=True)[0],
    ),
    "multi-head, dropout": (lambda: MultiHead(D, N, 1e-9), lambda layer, x, h: layer(x, x, causal=True)),
    "multi-head, steps": (lambda: MultiHead(D, N), lambda layer, x, h: layer.step(x)[0]),
    "encoder block": (lambda: EncoderBlock(D, N, 4), lambda layer, x, h: layer(x, causal=True)),
    "encoder block, pre-norm": (lambda: EncoderBlockPreNorm(D, N, 4), lambda layer, x, h: layer(x, causal=True)),
    "decoder block": (lambda: DecoderBlock(D, N, 4), lambda layer, x, h: layer(x, h)),
    "decoder block, pre-norm": (lambda: DecoderBlockPreNorm(D, N, 4), lambda layer, x, h: layer(x, h)),
    "causal convolution": (lambda: CausalConvolution(D, 4, 3), lambda layer, x, h: layer(x)),
}


@pytest.mark.parametrize("make, run", CASES.values(), ids=CASES)
@pytest.mark.parametrize("t", [1, 3])
def test_what_is_causal_cannot_see_the_future(make, run, t):
    layer = exact(make())
    x, h = randn(B, T, D), randn(B, S, D)
    changed = x.detach().clone()
    changed[:, t:] = torch.randn_like(changed[:, t:])
    y = run(layer, x, h)
    assert_close(run(layer, changed, h)[:, :t], y[:, :t])
    assert (run(layer, changed, h)[:, t:] - y[:, t:]).abs().max() > 1e-3  # but the present
    (gradient,) = grad(y[:, :t].square().sum(), [x])
    assert gradient[:, t:].eq(0).all()
    assert gradient[:, :t].ne(0).any()


SEEING = {
    "multi-head": (lambda: MultiHead(D, N), lambda layer, x: layer(x, x)),
    "encoder block": (lambda: EncoderBlock(D, N, 4), lambda layer, x: layer(x)),
    "convolution": (lambda: Convolution(D, 4, 3), lambda layer, x: layer(x)),
}


@pytest.mark.parametrize("make, run", SEEING.values(), ids=SEEING)
def test_what_is_not_causal_sees_the_future(make, run):
    layer = exact(make())
    x = randn(B, T, D)
    (gradient,) = grad(run(layer, x)[:, :3].square().sum(), [x])
    assert gradient[:, 3].ne(0).any()
