"""Multi-head attention: several heads at once, each in a space of its own."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.init import xavier_uniform_

from seqloom.equations import concat, dim, equations, inf, softmax, sqrt, stack, where
from seqloom.errors import ShapeError
from seqloom.layers import masks
from seqloom.layers.attention import attention_weights
from seqloom.layers.base import Layer, Symbols, layer
from seqloom.layers.dropout import Dropout
from seqloom.layers.kv_cache import KVCache
from seqloom.layers.packed_weights import product

SHORT = 64
"""Tokens up to which two products are faster than one kernel, with numbers of 16 bits on a CPU."""


@equations
def scaled_dot_product(Q, K, V, mask):
    """Scaled dot-product attention.

    Paper: A. Vaswani et al., Attention is all you need, NeurIPS 2017.

    Q     (T, K)  the queries, one for each position
    K     (S, K)  the keys, one for each position that is attended to
    V     (S, K)  the values, one for each key
    mask  (T, S)  bool, True where a query may attend
    """
    E = Q @ K.T / sqrt(dim(K))  # the scores: how well each key fits each query
    A = softmax(where(mask, E, -inf))  # the attention weights: together 1, and 0 where the mask forbids
    Y = A @ V  # for each query the weighted mean of the values
    return Y


@equations
def unscaled_dot_product(Q, K, V, mask):
    """Dot-product attention without √d: wide heads make large scores, and softmax nearly picks one key.

    Paper: A. Vaswani et al., Attention is all you need, NeurIPS 2017, section 3.2.1.

    Q     (T, K)  the queries, one for each position
    K     (S, K)  the keys, one for each position that is attended to
    V     (S, K)  the values, one for each key
    mask  (T, S)  bool, True where a query may attend
    """
    E = Q @ K.T  # the scores: their variance grows with the width of a head
    A = softmax(where(mask, E, -inf))  # the attention weights: together 1, and 0 where the mask forbids
    Y = A @ V  # for each query the weighted mean of the values
    return Y


@equations
def multi_head(X, H, mask, *, attention=scaled_dot_product, W_Q, W_K, W_V, W_O, N):
    """Multi-head attention.

    Paper: A. Vaswani et al., Attention is all you need, NeurIPS 2017.

    X     (T, D)     the sequence that the queries come from
    H     (S, D)     the sequence that keys and values come from; X itself for self-attention
    mask  (T, S)     bool, True where a position may attend
    W_Q   (N, D, K)  for each head, projects to queries
    W_K   (N, D, K)  for each head, projects to keys
    W_V   (N, D, K)  for each head, projects to values
    W_O   (N*K, D)   from all heads back to the width of the model
    N     int        the number of heads
    """
    # each head attends in a subspace of its own
    head = stack(attention(X @ W_Q[n], H @ W_K[n], H @ W_V[n], mask) for n in range(N))
    Y = concat(*head) @ W_O  # the outputs of all heads, concatenated and projected
    return Y


@layer(scaled_dot_product)
class ScaledDotProduct(Layer):
    """Scaled dot-product attention on torch's fused kernel; it has no weights of its own."""

    def __init__(self, dropout: float = 0.0) -> None:
        super().__init__()
        self.dropout = Dropout(dropout)

    def forward(
        self,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        mask: Tensor | None = None,
        *,
        causal: bool = False,
        weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        """Each query takes a weighted mean of the values.

        q        (B, N, T, K)  N heads asking from T positions
        k, v     (B, N, S, K)  N heads answering from S positions
        mask     (B, N, T, S)  bool, True where a query may attend; any of the first three axes may be 1
        causal   bool          no query may attend past its own place either; T = S
        weights  bool          whether to hand out a
        ->    y  (B, N, T, K)  the mixtures; zeros for a query that may attend to nothing
              a  (B, N, T, S)  the weights, before dropout
        """
        if causal and q.shape[2] != k.shape[2]:
            raise ShapeError(
                f"{q.shape[2]} queries and {k.shape[2]} keys are not the same tokens: none comes after another",
                remedy="a causal mask is for self-attention; take one token after the other with `step`",
            )
        scale = self.scale(q)
        dropping = self.training and self.dropout.rate > 0  # torch's kernel draws from torch's generator
        if not weights and not dropping:
            return attend(q, k, v, mask, scale=scale, causal=causal)
        a = attention_weights(q * scale @ k.mT, causal_too(mask, q, k) if causal else mask)
        y = self.dropout(a) @ v
        return (y, a) if weights else y

    def scale(self, q: Tensor) -> float:
        """What scores are multiplied by: q (B, N, T, K)."""
        return float(q.shape[-1] ** -0.5)


@layer(unscaled_dot_product)
class UnscaledDotProduct(ScaledDotProduct):
    """The same with the scores as they are."""

    def scale(self, q: Tensor) -> float:
        return 1.0


class KeyValue(NamedTuple):
    """What the tokens of a source answer with, computed once."""

    k: Tensor  # (B, N, S, K)
    v: Tensor  # (B, N, S, K)


@layer(multi_head)
class MultiHead(Layer):
    """Multi-head attention: one product for queries, keys and values, one fused kernel, no biases."""

    def __init__(self, width: int, heads: int, dropout: float = 0.0, *, scaled: bool = True) -> None:
        super().__init__()
        if width % heads:
            raise ShapeError(
                f"a width of {width} does not divide into {heads} heads",
                remedy=f"choose a multiple of {heads} for the width, or another number of heads",
            )
        self.width, self.heads = width, heads
        self.W_QKV = nn.Parameter(torch.empty(width, 3 * width))  # side by side, so are the heads of each
        self.W_O = nn.Parameter(xavier_uniform_(torch.empty(width, width)))
        for part in self.W_QKV.detach().chunk(3, dim=1):
            xavier_uniform_(part)
        self.attend = (ScaledDotProduct if scaled else UnscaledDotProduct)(dropout)

    def forward(
        self,
        x: Tensor,
        h: Tensor,
        mask: Tensor | None = None,
        *,
        causal: bool = False,
        weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        """Tokens of x attend to tokens of h; for self-attention both are x.

        x        (B, T, D)     the sequence that the queries come from
        h        (B, S, D)     the sequence that keys and values come from
        mask     (B, N, T, S)  bool, True where a token may attend; any of the first three axes may be 1
        causal   bool          no token may attend to those after it either; T = S
        weights  bool          whether to hand out a
        ->    y  (B, T, D)     the outputs; zeros for a position that may attend nowhere
              a  (B, N, T, S)  the weights of each head
        """
        if h is not x:
            q, (k, v) = self.queries(x), self.project_keys_values(h, mask)
        else:
            q, k, v = self.heads_of(product(masks.zero_masked_nans(x, masks.per_head(mask)), self.W_QKV.T))
        return self.attend_heads(q, KeyValue(k, v), mask, causal=causal, weights=weights)

    def project_keys_values(self, h: Tensor, mask: Tensor | None = None) -> KeyValue:
        """What `attend_to` needs of h (B, S, D), computed once for many queries; mask as for `forward`."""
        h = masks.zero_masked_nans(h, masks.per_head(mask))
        return KeyValue(*self.heads_of(product(h, self.W_QKV[:, self.width :].T)))

    def attend_to(
        self, x: Tensor, keys_values: KeyValue, mask: Tensor | None = None, *, weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        """As `forward`, with what `project_keys_values` made of h."""
        return self.attend_heads(self.queries(x), keys_values, mask, weights=weights)

    def step(self, x: Tensor, cache: KVCache | None = None, mask: Tensor | None = None) -> tuple[Tensor, KVCache]:
        """Causal self-attention of the tokens that come next, with those before them in the cache.

        x      (B, T, D)     the next tokens; usually one
        cache                what the S - T tokens before answer with; None at the start
        mask   (B, N, T, S)  bool, True where a token may attend; any of the first three axes may be 1
        ->  y  (B, T, D)     what the new tokens saw
            cache            with the new tokens in it
        """
        new = product(x, self.W_QKV.T).view(*x.shape[:2], 3, self.heads, self.width // self.heads)  # (B, T, 3, N, K)
        q, cache = new[:, :, 0].transpose(1, 2), KVCache.after(cache, new[:, :, 1:])
        k, v = cache.k, cache.v
        mask = masks.per_head(mask)
        if x.shape[1] > 1:  # a single token is the last, and may attend to all
            mask = causal_too(mask, q, k)
        return self.merge_heads(self.attend(q, k, v, mask)), cache

    def symbols(self) -> Symbols:
        W_Q, W_K, W_V = self.W_QKV.unflatten(1, (3, self.heads, -1)).permute(1, 2, 0, 3)  # (N, D, K) each
        weights = {"W_Q": W_Q, "W_K": W_K, "W_V": W_V, "W_O": self.W_O}
        return {**weights, "N": self.heads, "attention": self.attend.part()}

    def queries(self, x: Tensor) -> Tensor:
        """x (B, T, D) -> q (B, N, T, K)"""
        return self.heads_of(product(x, self.W_QKV[:, : self.width].T))[0]

    def heads_of(self, side_by_side: Tensor) -> tuple[Tensor, ...]:
        """Up to three of q, k, v with their heads, side by side (B, T, 3*N*K) -> each (B, N, T, K)."""
        parts = side_by_side.unflatten(-1, (-1, self.heads, self.width // self.heads))
        heads: tuple[Tensor, ...] = parts.permute(2, 0, 3, 1, 4).unbind()
        return heads

    def attend_heads(
        self, q: Tensor, keys_values: KeyValue, mask: Tensor | None, *, causal: bool = False, weights: bool
    ) -> Tensor | tuple[Tensor, Tensor]:
        """All heads attend: q (B, N, T, K) -> what `forward` gives."""
        seen = self.attend(q, *keys_values, masks.per_head(mask), causal=causal, weights=weights)
        if not weights:
            return self.merge_heads(seen)
        y, a = seen
        return self.merge_heads(y), a

    def merge_heads(self, y: Tensor) -> Tensor:
        """What the heads saw, put together: y (B, N, T, K) -> (B, T, D)."""
        return product(y.transpose(1, 2).flatten(2), self.W_O.T)


def attend(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, *, scale: float, causal: bool = False) -> Tensor:
    """`ScaledDotProduct` with any scale, on torch's fused kernel."""
    if q.dtype == torch.bfloat16 and q.is_cpu:  # where the kernel's backward pass takes many times as long
        if k.shape[2] <= SHORT:
            a = attention_weights((q * scale @ k.mT).float(), causal_too(mask, q, k) if causal else mask)
            return a.bfloat16() @ v
        with torch.autocast("cpu", enabled=False):
            return attend(q.float(), k.float(), v.float(), mask, scale=scale, causal=causal).bfloat16()
    if mask is None:
        return F.scaled_dot_product_attention(q, k, v, is_causal=causal, scale=scale)
    if causal:
        mask = causal_too(mask, q, k)
    blind = ~mask.any(-1, keepdim=True)  # who may attend to nothing: some of torch's kernels answer NaN
    if mask.is_cpu and not blind.any():  # nearly always; on a GPU asking would mean waiting
        return F.scaled_dot_product_attention(q, k, v, mask, scale=scale)
    return F.scaled_dot_product_attention(q, k, v, mask | blind, scale=scale).masked_fill(blind, 0.0)


def causal_too(mask: Tensor | None, q: Tensor, k: Tensor) -> Tensor:
    """A mask and the causal one, where the T queries belong to the last of the S keys."""
    T, S = q.shape[2], k.shape[2]
    past = masks.causal(S, q.device)[S - T :]
    return past[None, None] if mask is None else mask & past
