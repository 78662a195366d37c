"""Attention of many queries at once, without recurrence: the layer, and two forms of it on itself."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.init import xavier_uniform_

from seqloom.equations import dim, equations, softmax, sqrt
from seqloom.layers.attention import attention_weights
from seqloom.layers.base import Layer, Symbols, layer
from seqloom.layers.masks import per_query, quiet
from seqloom.layers.multi_head import attend


@equations
def attention_layer(X, H, *, W_Q, W_K, W_V):
    """Attention layer: queries from one sequence, keys and values from the other.

    Paper: A. Vaswani et al., Attention is all you need, NeurIPS 2017, before scaling and heads.

    X    (T, D)  the sequence that asks, one row a word: the decoder's
    H    (S, D)  the sequence that answers: the encoder's
    W_Q  (D, K)  what a word asks for
    W_K  (D, K)  what a word is found by
    W_V  (D, K)  what a word hands out
    """
    Q = X @ W_Q  # queries
    K = H @ W_K  # keys
    V = H @ W_V  # values
    A = softmax(Q @ K.T)  # for each query a distribution over the keys
    C = A @ V  # for each query the mean of the values
    return C


@equations
def bare_self_attention(X):
    """Self-attention without a single weight.

    Paper: A. Vaswani et al., Attention is all you need, NeurIPS 2017, with everything taken away.

    X  (T, D)  the words, one a row
    """
    A = softmax(X @ X.T)  # how alike every two words are, as shares
    Y = A @ X  # each word becomes a mean of the words like it
    return Y


@equations
def self_attention(X, *, W_Q, W_K, W_V):
    """Scaled dot-product self-attention.

    Paper: A. Vaswani et al., Attention is all you need, NeurIPS 2017.

    X    (T, D)  the words, one a row
    W_Q  (D, K)  what a word asks for
    W_K  (D, K)  what a word is found by
    W_V  (D, K)  what a word hands out
    """
    Q = X @ W_Q  # queries
    K = X @ W_K  # keys
    V = X @ W_V  # values
    A = softmax(Q @ K.T / sqrt(dim(K)))  # for each word a distribution over all words
    Y = A @ V  # for each word the mean of the values
    return Y


@layer(attention_layer)
class AttentionLayer(Layer):
    """The attention layer: one product for keys and values, one fused kernel."""

    def __init__(self, width: int, head_width: int) -> None:
        super().__init__()
        self.W_Q = nn.Parameter(xavier_uniform_(torch.empty(width, head_width)))
        self.W_KV = nn.Parameter(side_by_side(2, width, head_width))

    def forward(
        self, x: Tensor, h: Tensor, mask: Tensor | None = None, *, weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        """Words of x look at words of h.

        x        (B, T, D)            the words that ask
        h        (B, S, D)            the words that answer
        mask     (B, S) or (B, T, S)  bool, True where a word may look; None lets it look everywhere
        weights  bool                 whether to hand out a
        ->    c  (B, T, K)            what they saw; zeros for a word that may look nowhere
              a  (B, T, S)            the weights
        """
        mask = per_query(mask)
        k, v = (quiet(h, mask) @ self.W_KV).chunk(2, dim=-1)
        return look(x @ self.W_Q, k, v, mask, scale=1.0, weights=weights)

    def symbols(self) -> Symbols:
        W_K, W_V = self.W_KV.chunk(2, dim=1)
        return {"W_Q": self.W_Q, "W_K": W_K, "W_V": W_V}


@layer(bare_self_attention)
class BareSelfAttention(Layer):
    """Self-attention without a single weight."""

    def forward(
        self, x: Tensor, mask: Tensor | None = None, *, weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        """Each word looks at all.

        x        (B, T, D)            the words
        mask     (B, T) or (B, T, T)  bool, True where a word may look; None lets it look everywhere
        weights  bool                 whether to hand out a
        ->    y  (B, T, D)            what they saw; zeros for a word that may look nowhere
              a  (B, T, T)            the weights
        """
        mask = per_query(mask)
        x = quiet(x, mask)
        return look(x, x, x, mask, scale=1.0, weights=weights)


@layer(self_attention)
class SelfAttention(Layer):
    """Scaled dot-product self-attention: one product for queries, keys and values, one fused kernel."""

    def __init__(self, width: int, head_width: int) -> None:
        super().__init__()
        self.W_QKV = nn.Parameter(side_by_side(3, width, head_width))

    def forward(
        self, x: Tensor, mask: Tensor | None = None, *, weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        """Each word looks at all.

        x        (B, T, D)            the words
        mask     (B, T) or (B, T, T)  bool, True where a word may look; None lets it look everywhere
        weights  bool                 whether to hand out a
        ->    y  (B, T, K)            what they saw; zeros for a word that may look nowhere
              a  (B, T, T)            the weights
        """
        mask = per_query(mask)
        q, k, v = (quiet(x, mask) @ self.W_QKV).chunk(3, dim=-1)
        return look(q, k, v, mask, scale=k.shape[-1] ** -0.5, weights=weights)

    def symbols(self) -> Symbols:
        W_Q, W_K, W_V = self.W_QKV.chunk(3, dim=1)
        return {"W_Q": W_Q, "W_K": W_K, "W_V": W_V}


def look(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, *, scale: float, weights: bool
) -> Tensor | tuple[Tensor, Tensor]:
    """q (B, T, K), k and v (B, S, K), mask (B, T, S) -> y (B, T, K), and a (B, T, S) when asked for."""
    if weights:
        a = attention_weights(q * scale @ k.mT, mask)
        return a @ v, a
    y = attend(q[:, None], k[:, None], v[:, None], mask if mask is None else mask[:, None], scale=scale)
    return y[:, 0]  # the kernel knows heads


def side_by_side(parts: int, rows: int, columns: int) -> Tensor:
    """Matrices for one product, each with the numbers it would start with alone: (rows, parts*columns)."""
    return torch.cat([xavier_uniform_(torch.empty(rows, columns)) for _ in range(parts)], dim=1)
