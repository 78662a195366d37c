"""Attention with one query: score the keys, make a distribution of the scores, take the mean."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from seqloom.equations import equations, softmax, stack
from seqloom.layers.base import Layer, Symbols, layer
from seqloom.layers.masks import per_query, zero_masked_nans
from seqloom.layers.scores import Score, additive, dot


@equations
def soft_attention(q, H, *, score=additive):
    """Soft attention.

    Paper: D. Bahdanau, K. Cho, Y. Bengio, Neural machine translation by jointly learning to align and
    translate, ICLR 2015.

    q  (H)     the query: the hidden state of the decoder
    H  (S, D)  the hidden states of the encoder, one for each source position
    """
    e = stack(score(q, h_j) for h_j in H)  # the score of each position: how well it fits the query
    alpha = softmax(e)  # the attention weights: positive, together 1
    c = sum(alpha_j * h_j for alpha_j, h_j in zip(alpha, H))  # the context vector: the weighted mean
    return c


@equations
def key_value_attention(q, K, V):
    """Key-value attention: keys are scored, values are summed.

    Paper: M. Daniluk et al., Frustratingly short attention spans in neural language modeling, ICLR 2017,
    with the dot product as its score.

    q  (D)     the query
    K  (S, D)  the keys, one for each position: what is compared with the query
    V  (S, F)  the values, one for each key: what is summed
    """
    e = stack(dot(q, k_j) for k_j in K)  # the score of each key: how well it fits the query
    alpha = softmax(e)  # the attention weights: positive, together 1
    c = sum(alpha_j * v_j for alpha_j, v_j in zip(alpha, V))  # the weighted mean of the values
    return c


@equations
def attention_pooling(H, *, q):
    """Attention pooling: the query is a parameter, the result one vector for the whole sentence.

    Paper: Z. Yang et al., Hierarchical attention networks for document classification, NAACL 2016,
    without the layer before the score.

    H  (S, D)  the hidden states, one for each position
    q  (D)     the learned query: what is worth attending to
    """
    e = stack(dot(q, h_j) for h_j in H)  # the score of each position
    alpha = softmax(e)  # the attention weights: positive, together 1
    c = sum(alpha_j * h_j for alpha_j, h_j in zip(alpha, H))  # the sentence as one vector
    return c


class PreparedKeys(NamedTuple):
    """What a decoder attends to in every step, prepared once."""

    h: Tensor  # (B, S, D)
    keys: Tensor  # (B, S, ...) what the score makes of h
    mask: Tensor | None  # (B, 1 or T, S)


@layer(soft_attention)
class SoftAttention(Layer):
    """Soft attention with any score."""

    def __init__(self, score: Score) -> None:
        super().__init__()
        self.score = score

    def forward(self, q: Tensor, h: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Each query takes a weighted mean of the states.

        q      (B, T, H)            the queries
        h      (B, S, D)            the states
        mask   (B, S) or (B, T, S)  bool, True where a query may attend; None: everywhere
        ->  c  (B, T, D)            the contexts; zeros for a query that may attend nowhere
            a  (B, T, S)            the weights
        """
        return self.attend_to(q, self.prepare(h, mask))

    def prepare(self, h: Tensor, mask: Tensor | None = None) -> PreparedKeys:
        """What needs the states alone: h (B, S, D) and a mask as for `forward` -> what `attend` takes."""
        mask = per_query(mask)
        h = zero_masked_nans(h, mask)
        return PreparedKeys(h, self.score.prepare(h), mask)

    def attend_to(self, q: Tensor, memory: PreparedKeys) -> tuple[Tensor, Tensor]:
        """What needs the queries: q (B, T, H) and a memory -> what `forward` gives."""
        a = attention_weights(self.score.compare(q, memory.keys), memory.mask)
        return a @ memory.h, a

    def symbols(self) -> Symbols:
        return {"score": self.score.part()}


@layer(key_value_attention)
class KeyValueAttention(Layer):
    """Key-value attention; it has no weights of its own."""

    def forward(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Each query takes a weighted mean of the values.

        q      (B, T, D)            the queries
        k      (B, S, D)            the keys
        v      (B, S, F)            the values
        mask   (B, S) or (B, T, S)  bool, True where a query may attend; None: everywhere
        ->  c  (B, T, F)            the contexts; zeros for a query that may attend nowhere
            a  (B, T, S)            the weights
        """
        mask = per_query(mask)
        a = attention_weights(q @ zero_masked_nans(k, mask).mT, mask)
        return a @ zero_masked_nans(v, mask), a


@layer(attention_pooling)
class AttentionPooling(Layer):
    """Attention pooling: one learned query for all sentences."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.q = nn.Parameter(torch.randn(width) * width**-0.5)

    def forward(self, h: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """A sentence in one row.

        h      (B, S, D)  the states
        mask   (B, S)     bool, True for words; None when there is no padding
        ->  c  (B, D)     the sentences; zeros for one without words
            a  (B, S)     the weights
        """
        h = zero_masked_nans(h, per_query(mask))
        a = attention_weights(h @ self.q, mask)
        return (a[:, None] @ h)[:, 0], a

    def symbols(self) -> Symbols:
        return {"q": self.q}


def attention_weights(e: Tensor, mask: Tensor | None) -> Tensor:
    """Scores to weights: each row sums to 1, or is zero where all is masked. e (..., S) -> (..., S)"""
    if mask is None:
        return torch.softmax(e, -1)
    a = torch.softmax(e.masked_fill(~mask, torch.finfo(e.dtype).min), -1)
    blind = ~mask.any(-1, keepdim=True)
    if mask.is_cpu and not blind.any():  # nearly always; on a GPU asking would mean waiting
        return a
    return a.masked_fill(blind, 0.0)
