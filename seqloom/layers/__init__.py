"""Mathematics: every layer as equations, and as a fast torch module held to them.

A name in small letters is a definition, one in capitals its module: `lstm` says what `LSTM` computes.
"""

from seqloom.layers.attention import (
    AttentionPooling,
    KeyValueAttention,
    SoftAttention,
    attention_pooling,
    key_value_attention,
    soft_attention,
)
from seqloom.layers.attention_layer import (
    AttentionLayer,
    BareSelfAttention,
    SelfAttention,
    attention_layer,
    bare_self_attention,
    self_attention,
)
from seqloom.layers.base import Layer, layer
from seqloom.layers.bidirectional import Bidirectional, bidirectional
from seqloom.layers.convolution import CausalConvolution, Convolution, convolution
from seqloom.layers.cross_entropy import CrossEntropy, cross_entropy
from seqloom.layers.decoder_block import DecoderBlock, DecoderBlockPreNorm, decoder_block, decoder_block_pre_norm
from seqloom.layers.disagreement import Disagreement, disagreement
from seqloom.layers.dropout import Dropout, draw_from
from seqloom.layers.embedding import Embedding, OneHotEmbedding, embedding, one_hot_embedding
from seqloom.layers.encoder_block import EncoderBlock, EncoderBlockPreNorm, encoder_block, encoder_block_pre_norm
from seqloom.layers.feed_forward import FeedForward, Residual, feed_forward, residual
from seqloom.layers.gru import GRU, GRUResetAfter, gru, gru_reset_after
from seqloom.layers.heads import (
    MLP,
    LogisticRegression,
    Readout,
    Temperature,
    logistic_regression,
    mlp,
    readout,
    temperature,
)
from seqloom.layers.lstm import LSTM, lstm
from seqloom.layers.masks import causal, causal_mask, lengths_to_mask, padding_mask
from seqloom.layers.multi_head import MultiHead, ScaledDotProduct, multi_head, scaled_dot_product
from seqloom.layers.norms import BatchNorm, LayerNorm, batch_norm, layer_norm
from seqloom.layers.positions import LearnedPositions, Sinusoidal, learned_positions, sinusoidal
from seqloom.layers.scores import (
    SCORES,
    Additive,
    Bilinear,
    Cosine,
    Dot,
    MLPScore,
    Projected,
    ScaledDot,
    additive,
    bilinear,
    cosine,
    dot,
    mlp_score,
    projected,
    scaled_dot,
)
from seqloom.layers.self_attentive_rnn import SelfAttentiveRNN, self_attentive_rnn
from seqloom.layers.simple_rnn import ConcatRNN, LinearRNN, SimpleRNN, concat_rnn, linear_rnn, simple_rnn
from seqloom.layers.ssru import SSRU, ssru
from seqloom.layers.ssru_block import multi_head_query, ssru_block
from seqloom.layers.stacked import Stacked, stacked
from seqloom.layers.transposed_linear import TransposedLinear, transposed_linear
from seqloom.layers.word2vec import CBOW, SkipGram, cbow, skip_gram

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
    "additive",
    "attention_layer",
    "attention_pooling",
    "bare_self_attention",
    "batch_norm",
    "bidirectional",
    "bilinear",
    "causal",
    "causal_mask",
    "cbow",
    "concat_rnn",
    "convolution",
    "cosine",
    "cross_entropy",
    "decoder_block",
    "decoder_block_pre_norm",
    "disagreement",
    "dot",
    "draw_from",
    "embedding",
    "encoder_block",
    "encoder_block_pre_norm",
    "feed_forward",
    "gru",
    "gru_reset_after",
    "key_value_attention",
    "layer",
    "layer_norm",
    "learned_positions",
    "lengths_to_mask",
    "linear_rnn",
    "logistic_regression",
    "lstm",
    "mlp",
    "mlp_score",
    "multi_head",
    "multi_head_query",
    "one_hot_embedding",
    "padding_mask",
    "projected",
    "readout",
    "residual",
    "scaled_dot",
    "scaled_dot_product",
    "self_attention",
    "self_attentive_rnn",
    "simple_rnn",
    "sinusoidal",
    "skip_gram",
    "soft_attention",
    "ssru",
    "ssru_block",
    "stacked",
    "temperature",
    "transposed_linear",
]
