"""A layer has the weights that its definition states, no more and no fewer, under the same letters."""

import pytest
import torch
from torch import Tensor

from seqloom.equations.legend import size_of
from seqloom.layers.attention import AttentionPooling, KeyValueAttention, SoftAttention
from seqloom.layers.attention_layer import AttentionLayer, BareSelfAttention, SelfAttention
from seqloom.layers.base import Layer
from seqloom.layers.convolution import CausalConvolution, Convolution
from seqloom.layers.cross_entropy import CrossEntropy
from seqloom.layers.decoder_block import DecoderBlock, DecoderBlockPreNorm
from seqloom.layers.disagreement import Disagreement
from seqloom.layers.embedding import Embedding, OneHotEmbedding
from seqloom.layers.encoder_block import EncoderBlock, EncoderBlockPreNorm
from seqloom.layers.feed_forward import FeedForward
from seqloom.layers.heads import MLP, LogisticRegression, Readout, Temperature
from seqloom.layers.multi_head import MultiHead, ScaledDotProduct
from seqloom.layers.norms import BatchNorm, LayerNorm
from seqloom.layers.positions import LearnedPositions, Sinusoidal
from seqloom.layers.scores import SCORES, score_called
from seqloom.layers.transposed_linear import TransposedLinear
from tests.layers.lifted import counted

SIZES = {"T": 2, "D": 6, "H": 6, "N": 3, "K": 2, "F": 5, "V": 7, "window": 4}
T, D, H, N, K, F, V, window = SIZES.values()


def score(name):
    return score_called(name, H, D, F if name == "mlp_score" else K)


LAYERS: list[Layer] = [
    *map(score, SCORES),
    *(SoftAttention(score(name)) for name in SCORES),
    KeyValueAttention(),
    AttentionPooling(D),
    AttentionLayer(D, K),
    BareSelfAttention(),
    SelfAttention(D, K),
    ScaledDotProduct(),
    MultiHead(D, N),
    FeedForward(D, F),
    LayerNorm(D),
    BatchNorm(D),
    EncoderBlock(D, N, F),
    EncoderBlockPreNorm(D, N, F),
    DecoderBlock(D, N, F),
    DecoderBlockPreNorm(D, N, F),
    Sinusoidal(D),
    LearnedPositions(T, D),
    Convolution(D, H, window),
    CausalConvolution(D, H, window),
    TransposedLinear(T),
    Embedding(V, D),
    OneHotEmbedding(V, D),
    LogisticRegression(T, D),
    MLP(T, D, F, V),
    Readout(H, V),
    Temperature(),
    CrossEntropy(),
    Disagreement(),
]
every = pytest.mark.parametrize("layer", LAYERS, ids=[f"{type(layer).__name__}-{i}" for i, layer in enumerate(LAYERS)])


@every
def test_parameters_number_what_the_definition_counts(layer):
    assert counted(layer) == sum(layer.definition.count(**SIZES).values())


def check(definition, symbols):
    assert list(symbols) == [] or set(symbols) == {symbol.name for symbol in definition.body.weights}
    for symbol in definition.body.weights:
        value, entry = symbols[symbol.name], definition.legend[symbol.name]
        if symbol.role == "group":
            check(definition.groups[symbol.name], value)
        elif symbol.role == "size":
            assert value == SIZES[symbol.name]
        else:
            assert value.shape == tuple(size_of(letter, SIZES) for letter in entry.shape), symbol.name


@every
def test_symbols_have_the_letters_and_shapes_of_the_definition(layer):
    check(layer.definition, layer.symbols())


@every
def test_symbols_are_the_parameters_themselves_and_not_copies(layer):

    def tensors(symbols):
        for value in symbols.values():
            yield from tensors(value) if isinstance(value, dict) else [value] if isinstance(value, Tensor) else []

    before = [tensor.clone() for tensor in tensors(layer.symbols())]
    symbols = layer.symbols()
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter += 1
    for tensor, old in zip(tensors(symbols), before, strict=True):
        assert torch.equal(tensor, old + 1)
