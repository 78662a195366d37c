"""Mathematics: every layer as equations, and as a fast torch module held to them."""

from seqloom.layers.attention import AttentionPooling, KeyValueAttention, SoftAttention
from seqloom.layers.attention_layer import AttentionLayer, BareSelfAttention, SelfAttention
from seqloom.layers.base import Layer, layer
from seqloom.layers.bidirectional import Bidirectional
from seqloom.layers.convolution import CausalConvolution, Convolution
from seqloom.layers.cross_entropy import CrossEntropy
from seqloom.layers.decoder_block import DecoderBlock, DecoderBlockPreNorm
from seqloom.layers.disagreement import Disagreement
from seqloom.layers.dropout import Dropout, draw_from
from seqloom.layers.embedding import Embedding, OneHotEmbedding
from seqloom.layers.encoder_block import EncoderBlock, EncoderBlockPreNorm
from seqloom.layers.feed_forward import FeedForward, Residual
from seqloom.layers.gru import GRU, GRUResetAfter
from seqloom.layers.heads import MLP, LogisticRegression, Readout, Temperature
from seqloom.layers.lstm import LSTM
from seqloom.layers.masks import causal, lengths_to_mask
from seqloom.layers.multi_head import MultiHead, ScaledDotProduct
from seqloom.layers.norms import BatchNorm, LayerNorm
from seqloom.layers.positions import LearnedPositions, Sinusoidal
from seqloom.layers.scores import SCORES, Additive, Bilinear, Cosine, Dot, MLPScore, Projected, ScaledDot
from seqloom.layers.self_attentive_rnn import SelfAttentiveRNN
from seqloom.layers.simple_rnn import ConcatRNN, LinearRNN, SimpleRNN
from seqloom.layers.ssru import SSRU
from seqloom.layers.stacked import Stacked
from seqloom.layers.transposed_linear import TransposedLinear
from seqloom.layers.word2vec import CBOW, SkipGram

__all__ = [
    "CBOW",
    "GRU",
    "LSTM",
    "MLP",
    "SCORES",
    "SSRU",
    "Additive",
    "AttentionLayer",
    "AttentionPooling",
    "BareSelfAttention",
    "BatchNorm",
    "Bidirectional",
    "Bilinear",
    "CausalConvolution",
    "ConcatRNN",
    "Convolution",
    "Cosine",
    "CrossEntropy",
    "DecoderBlock",
    "DecoderBlockPreNorm",
    "Disagreement",
    "Dot",
    "Dropout",
    "Embedding",
    "EncoderBlock",
    "EncoderBlockPreNorm",
    "FeedForward",
    "GRUResetAfter",
    "KeyValueAttention",
    "Layer",
    "LayerNorm",
    "LearnedPositions",
    "LinearRNN",
    "LogisticRegression",
    "MLPScore",
    "MultiHead",
    "OneHotEmbedding",
    "Projected",
    "Readout",
    "Residual",
    "ScaledDot",
    "ScaledDotProduct",
    "SelfAttention",
    "SelfAttentiveRNN",
    "SimpleRNN",
    "Sinusoidal",
    "SkipGram",
    "SoftAttention",
    "Stacked",
    "Temperature",
    "TransposedLinear",
    "causal",
    "draw_from",
    "layer",
    "lengths_to_mask",
]
