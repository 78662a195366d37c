"""Mathematics: every layer as equations, and as a fast torch module held to them.

A name in small letters is a definition, one in capitals its module: `lstm` says what `LSTM` computes.
"""

# fmt: off
# isort: off
from seqloom.layers.attention import (
    AttentionPooling, KeyValueAttention, SoftAttention, attention_pooling, key_value_attention, soft_attention,
)
from seqloom.layers.attention_layer import (
    AttentionLayer, BareSelfAttention, SelfAttention, attention_layer, bare_self_attention, self_attention,
)
from seqloom.layers.base import Layer, layer
from seqloom.layers.bidirectional import Bidirectional, bidirectional, recurrent_layer
from seqloom.layers.convolution import (
    CausalConvolution, Convolution, convolution, convolution_layer, residual_convolution,
)
from seqloom.layers.cross_entropy import CrossEntropy, cross_entropy
from seqloom.layers.decoder_block import (
    DecoderBlock, DecoderBlockNoResidual, DecoderBlockPreNorm, DecoderBlockPreNormNoResidual, decoder_block,
    decoder_block_no_residual, decoder_block_pre_norm, decoder_block_pre_norm_no_residual,
)
from seqloom.layers.derived import cell_for, cell_from
from seqloom.layers.derived_block import block_from
from seqloom.layers.distillation import Distillation, distillation
from seqloom.layers.dropout import Dropout, draw_from
from seqloom.layers.embedding import Embedding, OneHotEmbedding, embedding, one_hot_embedding
from seqloom.layers.encoder_block import (
    EncoderBlock, EncoderBlockNoResidual, EncoderBlockPreNorm, EncoderBlockPreNormNoResidual, encoder_block,
    encoder_block_no_residual, encoder_block_pre_norm, encoder_block_pre_norm_no_residual,
)
from seqloom.layers.feed_forward import FeedForward, Residual, feed_forward, residual
from seqloom.layers.gru import GRU, GRUResetAfter, gru, gru_reset_after
from seqloom.layers.output_layers import (
    MLP, LogisticRegression, Readout, Temperature, linear_head, logistic_regression, mlp, readout, temperature,
)
from seqloom.layers.identity import Identity, Nothing, identity, nothing
from seqloom.layers.linear import Linear, linear
from seqloom.layers.lstm import LSTM, lstm
from seqloom.layers.masks import causal, causal_mask, lengths_to_mask, padding_mask
from seqloom.layers.multi_head import (
    MultiHead, ScaledDotProduct, UnscaledDotProduct, multi_head, scaled_dot_product, unscaled_dot_product,
)
from seqloom.layers.norms import BatchNorm, LayerNorm, batch_norm, batch_norm_inference, layer_norm
from seqloom.layers.picture_convolution import (
    PictureConvolution, RegionPositions, picture_convolution, region_positions,
)
from seqloom.layers.pooling import (
    LastPooling, LearnedPooling, MaxPooling, MeanPooling, last_pooling, max_pooling, mean_pooling,
)
from seqloom.layers.positions import (
    AddLearned, AddSinusoidal, LearnedPositions, NoPosition, Sinusoidal, add_learned, add_sinusoidal, learned_positions,
    no_position, positioned, sinusoidal,
)
from seqloom.layers.r_drop import RDrop, r_drop
from seqloom.layers.scores import (
    SCORES, Additive, Bilinear, Cosine, Dot, MLPScore, Projected, ScaledDot, additive, bilinear, cosine, dot, mlp_score,
    projected, scaled_dot,
)
from seqloom.layers.self_attentive_rnn import SelfAttentiveRNN, self_attentive_rnn
from seqloom.layers.simple_rnn import ConcatRNN, LinearRNN, SimpleRNN, concat_rnn, linear_rnn, simple_rnn
from seqloom.layers.ssru import SSRU, ssru
from seqloom.layers.ssru_block import SSRUBlock, SSRUBlockNoResidual, ssru_block, ssru_block_no_residual
from seqloom.layers.stacked import Stacked, stacked
from seqloom.layers.transposed_linear import TransposedLinear, transposed_linear
from seqloom.layers.word2vec import CBOW, SkipGram, cbow, skip_gram
# isort: on
# fmt: on

__all__ = [
    "CBOW", "GRU", "LSTM", "MLP", "SCORES", "SSRU", "AddLearned", "AddSinusoidal", "Additive", "AttentionLayer",
    "AttentionPooling", "BareSelfAttention", "BatchNorm", "Bidirectional", "Bilinear", "CausalConvolution", "ConcatRNN",
    "Convolution", "Cosine", "CrossEntropy", "DecoderBlock", "DecoderBlockNoResidual", "DecoderBlockPreNorm",
    "DecoderBlockPreNormNoResidual", "Distillation", "Dot", "Dropout", "Embedding", "EncoderBlock",
    "EncoderBlockNoResidual", "EncoderBlockPreNorm", "EncoderBlockPreNormNoResidual", "FeedForward",
    "GRUResetAfter", "Identity",
    "KeyValueAttention", "LastPooling", "Layer", "LayerNorm", "LearnedPooling", "LearnedPositions", "Linear",
    "LinearRNN", "LogisticRegression", "MLPScore", "MaxPooling", "MeanPooling", "MultiHead", "NoPosition", "Nothing",
    "OneHotEmbedding", "PictureConvolution", "Projected", "RDrop", "Readout", "RegionPositions", "Residual",
    "SSRUBlock", "SSRUBlockNoResidual", "ScaledDot",
    "ScaledDotProduct", "SelfAttention", "SelfAttentiveRNN", "SimpleRNN", "Sinusoidal", "SkipGram", "SoftAttention",
    "Stacked", "Temperature", "TransposedLinear", "UnscaledDotProduct", "add_learned", "add_sinusoidal", "additive",
    "attention_layer", "attention_pooling", "bare_self_attention", "batch_norm", "batch_norm_inference",
    "bidirectional", "bilinear", "block_from", "causal", "causal_mask", "cbow", "cell_for", "cell_from", "concat_rnn",
    "convolution", "convolution_layer", "cosine", "cross_entropy", "decoder_block", "decoder_block_no_residual",
    "decoder_block_pre_norm", "decoder_block_pre_norm_no_residual", "distillation", "dot", "draw_from", "embedding",
    "encoder_block", "encoder_block_no_residual", "encoder_block_pre_norm",
    "encoder_block_pre_norm_no_residual", "feed_forward", "gru",
    "gru_reset_after", "identity", "key_value_attention", "last_pooling", "layer", "layer_norm", "learned_positions",
    "lengths_to_mask", "linear", "linear_head", "linear_rnn", "logistic_regression", "lstm", "max_pooling",
    "mean_pooling", "mlp", "mlp_score", "multi_head", "no_position", "nothing", "one_hot_embedding", "padding_mask",
    "picture_convolution", "positioned", "projected", "r_drop", "readout", "recurrent_layer", "region_positions",
    "residual", "residual_convolution", "scaled_dot",
    "scaled_dot_product", "self_attention", "self_attentive_rnn", "simple_rnn", "sinusoidal", "skip_gram",
    "soft_attention", "ssru", "ssru_block", "ssru_block_no_residual", "stacked", "temperature", "transposed_linear",
    "unscaled_dot_product",
]  # fmt: skip
