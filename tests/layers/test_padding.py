"""Padding never changes a result: one suite for every layer that takes a mask."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.autograd import grad
from torch.testing import assert_close

from seqloom.layers.attention import AttentionPooling, KeyValueAttention, SoftAttention
from seqloom.layers.attention_layer import AttentionLayer, BareSelfAttention, SelfAttention
from seqloom.layers.convolution import CausalConvolution, Convolution
from seqloom.layers.cross_entropy import CrossEntropy
from seqloom.layers.decoder_block import DecoderBlock, DecoderBlockPreNorm
from seqloom.layers.encoder_block import EncoderBlock, EncoderBlockPreNorm
from seqloom.layers.masks import lengths_to_mask
from seqloom.layers.multi_head import MultiHead
from seqloom.layers.norms import BatchNorm
from seqloom.layers.output_layers import MLP, LogisticRegression
from seqloom.layers.scores import SCORES, score_called
from seqloom.layers.transposed_linear import TransposedLinear
from tests.layers.lifted import exact
from tests.layers.scan import randn

LENGTHS = torch.tensor([3, 5, 1])
B, T, D, N = 3, 5, 6, 2


@dataclass(frozen=True)
class Case:
    """How a layer reads padded words x (B, T, D), mask (B, T), and a second sequence z without padding."""

    name: str
    make: Callable[[], Any]
    run: Callable[[Any, Tensor, Tensor, Tensor], Tensor]  # layer, x, mask, z
    zeros: bool = True  # a sentence without words gives zeros
    alone: bool = True  # a sentence has the same result without the others of its batch


def soft(score):
    return SoftAttention(score_called(score, D, D, 4))


def plain(layer, x, mask, z):
    return layer(x, mask)


def asked(layer, x, mask, z):
    return layer(z, x, mask)


def asked_softly(layer, x, mask, z):
    return layer(z, x, mask)[0]


def heads(mask):
    return mask[:, None, None]


ENCODERS, DECODERS = (EncoderBlock, EncoderBlockPreNorm), (DecoderBlock, DecoderBlockPreNorm)

BY_WORD = [
    Case("bare self-attention", BareSelfAttention, plain),
    Case("self-attention", partial(SelfAttention, D, 4), plain),
    Case("self-attention, weights", partial(SelfAttention, D, 4), lambda f, x, mask, z: f(x, mask, weights=True)[0]),
    Case("multi-head", partial(MultiHead, D, N), lambda f, x, mask, z: f(x, x, heads(mask))),
    Case("multi-head, causal", partial(MultiHead, D, N), lambda f, x, mask, z: f(x, x, heads(mask), causal=True)),
    *(Case(f.__name__, partial(f, D, N, 4), lambda f, x, mask, z: f(x, heads(mask)), zeros=False) for f in ENCODERS),
    *(
        Case(f"{f.__name__}, causal", partial(f, D, N, 4), lambda f, x, m, z: f(x, heads(m), causal=True), zeros=False)
        for f in ENCODERS
    ),
    *(
        Case(f"{f.__name__}, written", partial(f, D, N, 4), lambda f, x, m, z: f(x, z, None, heads(m)), zeros=False)
        for f in DECODERS
    ),
    Case("batch norm", partial(BatchNorm, D), plain, alone=False),
    Case("convolution", partial(Convolution, D, 4, 3), plain),
    Case("causal convolution", partial(CausalConvolution, D, 4, 3), plain),
    Case("transposed linear", partial(TransposedLinear, T + 1), plain),
]
BY_SENTENCE = [
    *(Case(f"soft attention, {score}", partial(soft, score), asked_softly) for score in SCORES),
    Case("soft attention, by query", partial(soft, "dot"), lambda f, x, m, z: f(z, x, m[:, None].expand(-1, 4, -1))[0]),
    Case("key-value attention", KeyValueAttention, lambda f, x, mask, z: f(z, x, 2 * x, mask)[0]),
    Case("attention pooling", partial(AttentionPooling, D), lambda f, x, mask, z: f(x, mask)[0]),
    Case("attention layer", partial(AttentionLayer, D, 4), asked),
    Case("multi-head", partial(MultiHead, D, N), lambda f, x, mask, z: f(z, x, heads(mask))),
    Case("multi-head, weights", partial(MultiHead, D, N), lambda f, x, m, z: f(z, x, heads(m), weights=True)[0]),
    *(
        Case(f"{f.__name__}, source", partial(f, D, N, 4), lambda f, x, mask, z: f(z, x, heads(mask)), zeros=False)
        for f in DECODERS
    ),
    Case("logistic regression", partial(LogisticRegression, T + 1, D), plain, zeros=False),
    Case("mlp", partial(MLP, T + 1, D, 4, 3), plain, zeros=False),
    Case("cross-entropy", CrossEntropy, lambda f, x, m, z: f(x, torch.full(m.shape, 2), m)[None], alone=False),
]
CASES = [*BY_WORD, *BY_SENTENCE]
every = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


def results(case: Case, layer: Any, x: Tensor, mask: Tensor, z: Tensor) -> Tensor:
    """What counts: all of it, or what stands at words."""
    y = case.run(layer, x, mask, z)
    return y[mask] if case in BY_WORD else y


@every
@pytest.mark.parametrize("garbage", [torch.nan, torch.inf, -torch.inf, 1e6])
def test_whatever_stands_in_padding_changes_neither_results_nor_gradients(case, garbage):
    layer = exact(case.make())
    mask = lengths_to_mask(LENGTHS, T)
    clean, z = randn(B, T, D), randn(B, 4, D)
    x = clean.detach().masked_fill(~mask[..., None], garbage).requires_grad_()
    y, expected = results(case, layer, x, mask, z), results(case, layer, clean, mask, z)
    assert_close(y, expected)
    slopes = torch.randn_like(y)
    parameters = list(layer.parameters())
    of_x, *gradients = grad((y * slopes).sum(), [x, *parameters])
    of_clean, *wanted = grad((expected * slopes).sum(), [clean, *parameters])
    assert_close(gradients, wanted)
    assert_close(of_x, of_clean)


@every
def test_padding_gets_no_gradient(case):
    layer = exact(case.make())
    mask = lengths_to_mask(LENGTHS, T)
    x, z = randn(B, T, D), randn(B, 4, D)
    (gradient,) = grad(results(case, layer, x, mask, z).square().sum(), [x])
    assert gradient[~mask].eq(0).all()
    assert gradient[mask].ne(0).any()


@pytest.mark.parametrize("case", [case for case in CASES if case.alone], ids=lambda case: case.name)
def test_a_batch_equals_its_sentences_one_by_one_and_unpadded(case):
    layer = exact(case.make())
    x, z = randn(B, T, D), randn(B, 4, D)
    y = case.run(layer, x, lengths_to_mask(LENGTHS, T), z)
    for b, n in enumerate(LENGTHS.tolist()):
        alone = case.run(layer, x[b : b + 1, :n], torch.ones(1, n, dtype=torch.bool), z[b : b + 1])
        assert_close(y[b, :n] if case in BY_WORD else y[b], alone[0])


@every
def test_a_sentence_without_words_gives_finite_results_and_gradients(case):
    layer = exact(case.make())
    mask = torch.zeros(B, T, dtype=torch.bool)
    x = torch.full((B, T, D), torch.nan, dtype=torch.float64, requires_grad=True)
    y = case.run(layer, x, mask, randn(B, 4, D))
    assert y.isfinite().all()
    assert not case.zeros or y.eq(0).all()
    gradients = grad(y.square().sum(), [x, *layer.parameters()], allow_unused=True)
    assert all(gradient is None or gradient.isfinite().all() for gradient in gradients)
    assert gradients[0] is None or gradients[0].eq(0).all()
