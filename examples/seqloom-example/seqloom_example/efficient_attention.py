"""An encoder: a definition, and a module that computes the same in another order, so that it is faster."""

from __future__ import annotations

import torch
from torch import Tensor

from seqloom.equations import equations, softmax
from seqloom.layers.base import Symbols
from seqloom.layers.linear import Linear
from seqloom.layers.masks import lengths_to_mask
from seqloom.models.encoders.base import Encoder


@equations
def efficient_attention(X, *, W_Q, W_K, W_V, b_Q, b_K, b_V):
    """Efficient attention: two softmaxes, one over features and one over positions.

    Paper: Z. Shen et al., Efficient attention: attention with linear complexities, WACV 2021.

    X    (T, D)  the embeddings, one for each position
    W_Q  (D, F)  from the embeddings to the queries
    W_K  (D, F)  from the embeddings to the keys
    W_V  (D, F)  from the embeddings to the values
    b_Q  (F)     the bias of the queries
    b_K  (F)     the bias of the keys
    b_V  (F)     the bias of the values
    """
    Q = softmax(X @ W_Q + b_Q)  # the queries: which features each position asks for
    K = softmax((X @ W_K + b_K).T)  # the keys: for each feature, where in the text it is
    A = Q @ K  # the attention weights; each row sums to 1
    H = A @ (X @ W_V + b_V)  # the hidden states: weighted means of the values
    return H


class EfficientAttention(Encoder):
    """Attention whose cost grows with the length of a text, not with its square: (Q K) V is Q (K V)."""

    definition = efficient_attention

    def __init__(self, width: int, hidden: int) -> None:  # `hidden` is model.hidden; others by the same names
        super().__init__()
        self.queries, self.keys, self.values = (Linear(width, hidden) for _ in range(3))
        self.output_size = hidden

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        """x (B, T, D), lengths (B) -> (B, T, F), zeros at padding."""
        real = lengths_to_mask(lengths, x.shape[1])[..., None]
        keys = self.keys(x).masked_fill(~real, -torch.inf).softmax(1)
        summary = keys.transpose(1, 2) @ self.values(x)  # (B, F, F), however long the text is
        mixed: Tensor = self.queries(x).softmax(-1) @ summary
        return mixed.masked_fill(~real, 0.0)

    def symbols(self, length: int) -> Symbols:
        layers = {"Q": self.queries, "K": self.keys, "V": self.values}
        return {f"{kind}_{name}": getattr(layer, kind) for name, layer in layers.items() for kind in "Wb"}
