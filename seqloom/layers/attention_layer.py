"""Attention of many queries at once, without recurrence: between two sequences, and self-attention in two forms."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.init import xavier_uniform_

from seqloom.equations import dim, equations, softmax, sqrt
from seqloom.layers.attention import attention_weights
from seqloom.layers.base import Layer, Symbols, layer
from seqloom.layers.masks import per_query, zero_masked_nans
from seqloom.layers.multi_head import attend
from seqloom.layers.packed_weights import product


@equations
def attention_layer(X, H, *, W_Q, W_K, W_V):
    """Attention layer: queries from one sequence, keys and values from the other.

    Paper: A. Vaswani et al., Attention is all you need, NeurIPS 2017, before scaling and heads.

    X    (T, D)  the sequence of the queries: the decoder's
    H    (S, D)  the sequence of the keys and values: the encoder's
    W_Q  (D, K)  projects to queries: what a token looks for
    W_K  (D, K)  projects to keys: what a token is found by
    W_V  (D, K)  projects to values: what a token passes on
    """
    Q = X @ W_Q  # the queries
    K = H @ W_K  # the keys
    V = H @ W_V  # the values
    A = softmax(Q @ K.T)  # the attention weights: for each query, a distribution over keys
    C = A @ V  # the context: for each query, a weighted mean of the values
    return C


@equations
def bare_self_attention(X):
    """Self-attention without a single weight.

    Paper: A. Vaswani et al., Attention is all you need, NeurIPS 2017, with everything taken away.

    X  (T, D)  the sequence, a vector for each token
    """
    A = softmax(X @ X.T)  # the attention weights: how alike every two tokens are
    Y = A @ X  # each token becomes a weighted mean of the tokens like it
    return Y


@equations
def self_attention(X, *, W_Q, W_K, W_V):
    """Scaled dot-product self-attention.

    Paper: A. Vaswani et al., Attention is all you need, NeurIPS 2017.

    X    (T, D)  the sequence, a vector for each token
    W_Q  (D, K)  projects to queries: what a token looks for
    W_K  (D, K)  projects to keys: what a token is found by
    W_V  (D, K)  projects to values: what a token passes on
    """
    Q = X @ W_Q  # the queries
    K = X @ W_K  # the keys
    V = X @ W_V  # the values
    A = softmax(Q @ K.T / sqrt(dim(K)))  # the attention weights: for each token, a distribution over all
    Y = A @ V  # the output: for each token, a weighted mean of the values
    return Y


class MaskedKeyValue(NamedTuple):
    """What a sequence answers with, computed once, and where it may be looked at."""

    k: Tensor  # (B, S, K)
    v: Tensor  # (B, S, K)
    mask: Tensor | None  # (B, T, S), T may be 1


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
        """Tokens of x attend to tokens of h.

        x        (B, T, D)            the sequence of the queries
        h        (B, S, D)            the sequence of the keys and values
        mask     (B, S) or (B, T, S)  bool, True where a query may attend; None: everywhere
        weights  bool                 whether to return the attention weights too
        ->    c  (B, T, K)            the outputs; zeros for a query that may attend nowhere
              a  (B, T, S)            the attention weights
        """
        return self.attend_to(x, self.project_keys_values(h, mask), weights=weights)

    def project_keys_values(self, h: Tensor, mask: Tensor | None = None) -> MaskedKeyValue:
        """What `attend_to` needs of h (B, S, D), computed once for many queries; mask as for `forward`."""
        mask = per_query(mask)
        k, v = product(zero_masked_nans(h, mask), self.W_KV.T).chunk(2, dim=-1)
        return MaskedKeyValue(k, v, mask)

    def attend_to(
        self, x: Tensor, keys_values: MaskedKeyValue, *, weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        """As `forward`, with what `project_keys_values` made of h."""
        return attend_alone(product(x, self.W_Q.T), *keys_values, scale=1.0, weights=weights)

    def symbols(self) -> Symbols:
        W_K, W_V = self.W_KV.chunk(2, dim=1)
        return {"W_Q": self.W_Q, "W_K": W_K, "W_V": W_V}


@layer(bare_self_attention)
class BareSelfAttention(Layer):
    """Self-attention without a single weight."""

    def forward(
        self, x: Tensor, mask: Tensor | None = None, *, weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        """Each token attends to all.

        x        (B, T, D)            a vector for each token
        mask     (B, T) or (B, T, T)  bool, True where a query may attend; None: everywhere
        weights  bool                 whether to return the attention weights too
        ->    y  (B, T, D)            the outputs; zeros for a query that may attend nowhere
              a  (B, T, T)            the attention weights
        """
        mask = per_query(mask)
        x = zero_masked_nans(x, mask)
        return attend_alone(x, x, x, mask, scale=1.0, weights=weights)


@layer(self_attention)
class SelfAttention(Layer):
    """Scaled dot-product self-attention: one product for queries, keys and values, one fused kernel."""

    def __init__(self, width: int, head_width: int) -> None:
        super().__init__()
        self.W_QKV = nn.Parameter(side_by_side(3, width, head_width))

    def forward(
        self, x: Tensor, mask: Tensor | None = None, *, weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        """Each token attends to all.

        x        (B, T, D)            a vector for each token
        mask     (B, T) or (B, T, T)  bool, True where a query may attend; None: everywhere
        weights  bool                 whether to return the attention weights too
        ->    y  (B, T, K)            the outputs; zeros for a query that may attend nowhere
              a  (B, T, T)            the attention weights
        """
        mask = per_query(mask)
        q, k, v = (zero_masked_nans(x, mask) @ self.W_QKV).chunk(3, dim=-1)
        return attend_alone(q, k, v, mask, scale=k.shape[-1] ** -0.5, weights=weights)

    def symbols(self) -> Symbols:
        W_Q, W_K, W_V = self.W_QKV.chunk(3, dim=1)
        return {"W_Q": W_Q, "W_K": W_K, "W_V": W_V}


def attend_alone(
    q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, *, scale: float, weights: bool
) -> Tensor | tuple[Tensor, Tensor]:
    """q (B, T, K), k and v (B, S, K), mask (B, T, S) -> y (B, T, K), and a (B, T, S) when asked for."""
    if weights:
        a = attention_weights(q * scale @ k.mT, mask)
        return a @ v, a
    y = attend(q[:, None], k[:, None], v[:, None], mask if mask is None else mask[:, None], scale=scale)
    return y[:, 0]  # the kernel knows heads


def side_by_side(parts: int, rows: int, columns: int) -> Tensor:
    """Matrices for one product, each initialised as it would be alone: (rows, parts*columns)."""
    return torch.cat([xavier_uniform_(torch.empty(rows, columns)) for _ in range(parts)], dim=1)
