"""The transposed linear layer: it mixes positions instead of features."""

import torch
from torch import Tensor, nn
from torch.nn.init import xavier_uniform_

from seqloom.equations import equations
from seqloom.errors import ShapeError
from seqloom.layers.base import Layer, Symbols, layer


@equations
def transposed_linear(X, *, W):
    """Transposed linear layer: fixed mixing weights, where attention computes its own.

    Paper: I. Tolstikhin et al., MLP-Mixer: an all-MLP architecture for vision, NeurIPS 2021.

    X  (T, D)  the sequence, a vector for each position
    W  (T, T)  how much each position takes of each other: the same for every sequence
    """
    Y = W @ X  # from the left: positions are mixed, features are not
    return Y


@layer(transposed_linear)
class TransposedLinear(Layer):
    """The transposed linear layer; sequences up to its length, shorter ones by the leading part of W."""

    def __init__(self, length: int) -> None:
        super().__init__()
        self.W = nn.Parameter(xavier_uniform_(torch.empty(length, length)))

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """Positions mixed.

        x     (B, T, D)  a vector for each token
        mask  (B, T)     bool, the padding mask: True for tokens; None when there is no padding
        ->    (B, T, D)  zeros for padding
        """
        T = x.shape[1]
        if len(self.W) < T:
            raise ShapeError(
                f"{T} tokens, and the layer mixes {len(self.W)}",
                remedy=f"shorten the texts to {len(self.W)}, or make the layer {T} long",
            )
        W = self.W[:T, :T]
        if mask is None:
            return W @ x
        return (W @ x.masked_fill(~mask[..., None], 0.0)).masked_fill(~mask[..., None], 0.0)

    def symbols(self) -> Symbols:
        return {"W": self.W}
