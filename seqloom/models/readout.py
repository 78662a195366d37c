"""From hidden states to logits, with weights of their own or those of the embedding."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import torch
from torch import Tensor, nn

from seqloom.equations import equations
from seqloom.layers.base import Layer, Symbols, layer
from seqloom.layers.embedding import Embedding
from seqloom.layers.linear import Linear
from seqloom.layers.packed_weights import product


@equations
def tied_readout(h, *, E, b_y):
    """Readout tied to the embedding: the logit of a token is the dot product with its own embedding.

    Paper: O. Press, L. Wolf, Using the output embedding to improve language models, EACL 2017.

    h    (D)     the hidden state
    E    (V, D)  the embedding: a vector for each token
    b_y  (V)     the bias of each token
    """
    y = h @ E.T + b_y  # the logits: the more alike, the higher
    return y


@equations
def projected_tied_readout(h, *, W, b, E, b_y):
    """Readout tied to the embedding, for hidden states of another width.

    Paper: O. Press, L. Wolf, Using the output embedding to improve language models, EACL 2017.

    h    (H)     the hidden state
    W    (H, D)  from the hidden state to the width of the embedding
    b    (D)     its bias
    E    (V, D)  the embedding: a vector for each token
    b_y  (V)     the bias of each token
    """
    y = (h @ W + b) @ E.T + b_y  # the logits: the more alike, the higher
    return y


@layer(tied_readout)
class TiedReadout(Layer):
    """A readout whose weights are the embedding; only the biases are its own."""

    def __init__(self, embedding: Embedding) -> None:
        super().__init__()
        self.embedding = embedding
        self.b_y = nn.Parameter(torch.zeros(len(embedding.E)))

    def forward(self, h: Tensor) -> Tensor:
        """h (..., D) -> logits (..., V)."""
        return product(h, self.embedding.E, self.b_y)

    def symbols(self) -> Symbols:
        return {"E": self.embedding.E, "b_y": self.b_y}


@layer(projected_tied_readout)
class ProjectedTiedReadout(TiedReadout):
    """The same, with a projection to the width of the embedding before it."""

    def __init__(self, embedding: Embedding, width: int) -> None:
        super().__init__(embedding)
        self.project = Linear(width, embedding.E.shape[1])

    def forward(self, h: Tensor) -> Tensor:
        """h (..., H) -> logits (..., V)."""
        return super().forward(self.project(h))

    def symbols(self) -> Symbols:
        return {**self.project.symbols(), **super().symbols()}


def tied_to(embedding: Embedding, width: int) -> TiedReadout:
    """The readout of hidden states so wide by an embedding."""
    return TiedReadout(embedding) if width == embedding.E.shape[1] else ProjectedTiedReadout(embedding, width)
