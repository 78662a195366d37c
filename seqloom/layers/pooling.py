"""Pooling: from the hidden states of a sentence to one vector."""

import torch
from torch import Tensor

from seqloom.equations import equations, highest, last
from seqloom.layers.attention import AttentionPooling
from seqloom.layers.base import Layer, Symbols, layer
from seqloom.layers.masks import lengths_to_mask


@equations
def mean_pooling(H):
    """Mean pooling: the mean over all positions.

    Paper: M. Iyyer et al., Deep unordered composition rivals syntactic methods for text classification, ACL 2015.

    H  (S, H)  the hidden states, one for each position
    """
    h = sum(h_j for h_j in H) / len(H)  # the sentence as one vector: the mean of its hidden states
    return h


@equations
def max_pooling(H):
    """Max pooling: of each entry the largest over all positions.

    Paper: Y. Kim, Convolutional neural networks for sentence classification, EMNLP 2014.

    H  (S, H)  the hidden states, one for each position
    """
    h = highest(H)  # the sentence as one vector: each entry where it is largest
    return h


@equations
def last_pooling(H):
    """The hidden state at the last position.

    Paper: J. Elman, Finding structure in time, Cognitive Science 14, 1990.

    H  (S, H)  the hidden states, one for each position
    """
    h = last(H)  # the sentence as one vector: the hidden state after its last token
    return h


class Pooling(Layer):
    """One vector for each sentence; a sentence without tokens gives zeros."""

    def forward(self, h: Tensor, lengths: Tensor) -> Tensor:
        """h (B, T, H), lengths (B) -> (B, H)."""
        raise NotImplementedError


@layer(mean_pooling)
class MeanPooling(Pooling):
    """The mean over the tokens of each sentence."""

    def forward(self, h: Tensor, lengths: Tensor) -> Tensor:
        mask = lengths_to_mask(lengths, h.shape[1])
        return h.masked_fill(~mask[..., None], 0.0).sum(1) / lengths.clamp_min(1)[:, None]


@layer(max_pooling)
class MaxPooling(Pooling):
    """The maximum over the tokens of each sentence."""

    def forward(self, h: Tensor, lengths: Tensor) -> Tensor:
        mask = lengths_to_mask(lengths, h.shape[1])
        return h.masked_fill(~mask[..., None], -torch.inf).amax(1).masked_fill(lengths[:, None] == 0, 0.0)


@layer(last_pooling)
class LastPooling(Pooling):
    """The hidden state at the last token of each sentence."""

    def forward(self, h: Tensor, lengths: Tensor) -> Tensor:
        ends = (lengths - 1).clamp_min(0)
        return h[torch.arange(h.shape[0], device=h.device), ends].masked_fill(lengths[:, None] == 0, 0.0)


class LearnedPooling(Pooling):
    """`AttentionPooling` for sentences of different lengths."""

    definition = AttentionPooling.definition

    def __init__(self, width: int) -> None:
        super().__init__()
        self.attention = AttentionPooling(width)

    def forward(self, h: Tensor, lengths: Tensor) -> Tensor:
        pooled: Tensor = self.attention(h, lengths_to_mask(lengths, h.shape[1]))[0]
        return pooled

    def symbols(self) -> Symbols:
        return self.attention.symbols()


POOLINGS = {"last": LastPooling, "mean": MeanPooling, "max": MaxPooling, "attention": LearnedPooling}


def pooling_called(kind: str, width: int) -> Pooling:
    """A pooling by name, of hidden states so wide."""
    return LearnedPooling(width) if kind == "attention" else POOLINGS[kind]()
