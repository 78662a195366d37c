"""A linear layer: one matrix and a bias."""

import torch
from torch import Tensor, nn
from torch.nn.init import xavier_uniform_

from seqloom.equations import equations
from seqloom.layers.base import Layer, Symbols, layer
from seqloom.layers.packed_weights import product


@equations
def linear(x, *, W, b):
    """Linear layer.

    Paper: F. Rosenblatt, The perceptron, Psychological Review 65, 1958.

    x  (D)     one position
    W  (D, H)  the weights
    b  (H)     the bias
    """
    y = x @ W + b  # in the new width
    return y


@layer(linear)
class Linear(Layer):
    """Linear layer: every entry of the output is a weighted sum of the input."""

    def __init__(self, width: int, size: int) -> None:
        super().__init__()
        self.W = nn.Parameter(xavier_uniform_(torch.empty(width, size)))
        self.b = nn.Parameter(torch.zeros(size))

    def forward(self, x: Tensor) -> Tensor:
        """x (..., D) -> y (..., H)"""
        return product(x, self.W.T, self.b)

    def symbols(self) -> Symbols:
        return {"W": self.W, "b": self.b}
