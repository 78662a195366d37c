"""Attention with one query: score the keys, make a distribution of the scores, take the mean."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from seqloom.equations import Equations, equations, softmax, stack
from seqloom.layers.base import Layer, Symbols, layer
from seqloom.layers.masks import per_query, quiet
from seqloom.layers.scores import Score, additive, dot


@cache
def soft_attention_with(score: Equations[..., Any]) -> Equations[..., Any]:
    """Soft attention with any of the seven scores: the same definition, another call inside."""

    @equations
    def soft_attention(q, H, *, weights):
        """Soft attention.

        Paper: D. Bahdanau, K. Cho, Y. Bengio, Neural machine translation by jointly learning to align and
        translate, ICLR 2015.

        q  (H)     the query: the state of the decoder
        H  (S, D)  the states of the encoder, one a row
        """
        e = stack(score(q, h_j, **weights) for h_j in H)  # how well each state fits the query
        alpha = softmax(e)  # a share for each, together 1
        c = sum(alpha_j * h_j for alpha_j, h_j in zip(alpha, H))  # the context: their weighted mean
        return c

    return soft_attention


soft_attention = soft_attention_with(additive)


@equations
def key_value_attention(q, K, V):
    """Key-value attention: keys are scored, values are summed.

    Paper: M. Daniluk et al., Frustratingly short attention spans in neural language modeling, ICLR 2017,
    with the dot product as its score.

    q  (D)     the query: who asks
    K  (S, D)  the keys, one a row: what is compared
    V  (S, F)  the values, one a row: what is handed out
    """
    e = stack(dot(q, k_j) for k_j in K)  # how well each key fits the query
    alpha = softmax(e)  # a share for each, together 1
    c = sum(alpha_j * v_j for alpha_j, v_j in zip(alpha, V))  # the weighted mean of the values
    return c


@equations
def attention_pooling(H, *, q):
    """Attention pooling: the query is a parameter, the result one row for the whole sentence.

    Paper: Z. Yang et al., Hierarchical attention networks for document classification, NAACL 2016,
    without the layer before the score.

    H  (S, D)  the states, one a row
    q  (D)     the learned query: what is worth looking at
    """
    e = stack(dot(q, h_j) for h_j in H)  # how much each state is worth
    alpha = softmax(e)  # a share for each, together 1
    c = sum(alpha_j * h_j for alpha_j, h_j in zip(alpha, H))  # the sentence in one row
    return c


class Memory(NamedTuple):
    """What a decoder looks at again and again, prepared once."""

    h: Tensor  # (B, S, D)
    keys: Tensor  # (B, S, ...) what the score makes of h
    mask: Tensor | None  # (B, 1 or T, S)


@layer(soft_attention)
class SoftAttention(Layer):
    """Soft attention with any score; `definition` is the one with the score it was given."""

    def __init__(self, score: Score) -> None:
        super().__init__()
        self.score = score

    def forward(self, q: Tensor, h: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Each query takes a weighted mean of the states.

        q      (B, T, H)            the queries
        h      (B, S, D)            the states
        mask   (B, S) or (B, T, S)  bool, True where a query may look; None lets it look everywhere
        ->  c  (B, T, D)            the contexts; zeros for a query that may look nowhere
            a  (B, T, S)            the weights
        """
        return self.look(q, self.prepare(h, mask))

    def prepare(self, h: Tensor, mask: Tensor | None = None) -> Memory:
        """What needs the states alone: h (B, S, D) and a mask as for `forward` -> what `look` takes."""
        mask = per_query(mask)
        h = quiet(h, mask)
        return Memory(h, self.score.prepare(h), mask)

    def look(self, q: Tensor, memory: Memory) -> tuple[Tensor, Tensor]:
        """What needs the queries: q (B, T, H) and a memory -> what `forward` gives."""
        a = shares(self.score.compare(q, memory.keys), memory.mask)
        return a @ memory.h, a

    def symbols(self) -> Symbols:
        return {"weights": self.score.symbols()}


class WithItsScore:
    """`definition`: of the class the one of the paper, of a layer the one with the score it was given."""

    def __get__(self, layer: SoftAttention | None, cls: type[SoftAttention]) -> Equations[..., Any]:
        definition = soft_attention if layer is None else soft_attention_with(layer.score.definition)
        definition.layer = cls
        return definition


SoftAttention.definition = WithItsScore()  # type: ignore[assignment]


@layer(key_value_attention)
class KeyValueAttention(Layer):
    """Key-value attention; it has no weights of its own."""

    def forward(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Each query takes a weighted mean of the values.

        q      (B, T, D)            the queries
        k      (B, S, D)            the keys
        v      (B, S, F)            the values
        mask   (B, S) or (B, T, S)  bool, True where a query may look; None lets it look everywhere
        ->  c  (B, T, F)            the contexts; zeros for a query that may look nowhere
            a  (B, T, S)            the weights
        """
        mask = per_query(mask)
        a = shares(q @ quiet(k, mask).mT, mask)
        return a @ quiet(v, mask), a


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
        h = quiet(h, per_query(mask))
        a = shares(h @ self.q, mask)
        return (a[:, None] @ h)[:, 0], a

    def symbols(self) -> Symbols:
        return {"q": self.q}


def shares(e: Tensor, mask: Tensor | None) -> Tensor:
    """Scores to weights: each row sums to 1, or is zero where all is masked. e (..., S) -> (..., S)"""
    if mask is None:
        return torch.softmax(e, -1)
    a = torch.softmax(e.masked_fill(~mask, torch.finfo(e.dtype).min), -1)
    blind = ~mask.any(-1, keepdim=True)
    if mask.is_cpu and not blind.any():  # nearly always; on a GPU asking would mean waiting
        return a
    return a.masked_fill(blind, 0.0)
