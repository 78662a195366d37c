"""The position-wise feed-forward network of a Transformer block, and the residual connection around it."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.init import xavier_uniform_

from seqloom.equations import equations, relu
from seqloom.layers.base import Layer, Symbols, layer
from seqloom.layers.dropout import Dropout
from seqloom.layers.packed_weights import product


@equations
def feed_forward(x, *, W_1, b_1, W_2, b_2):
    """Position-wise feed-forward network.

    Paper: A. Vaswani et al., Attention is all you need, NeurIPS 2017.

    x    (D)     the vector of one position
    W_1  (D, F)  weights of the hidden layer
    b_1  (F)     its bias
    W_2  (F, D)  weights of the output
    b_2  (D)     its bias
    """
    u = relu(x @ W_1 + b_1)  # the hidden layer, wider than the model
    y = u @ W_2 + b_2  # projected back to the width of the model
    return y


@equations
def residual(x, f):
    """Residual connection: a layer adds to its input.

    Paper: K. He et al., Deep residual learning for image recognition, CVPR 2016.

    x  (D)  the input
    f  (D)  the output of a layer for it
    """
    y = x + f  # the input is kept, and gradients pass unchanged
    return y


@layer(feed_forward)
class FeedForward(Layer):
    """The feed-forward network of a Transformer block, with dropout on its hidden layer."""

    def __init__(self, width: int, hidden: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.W_1 = nn.Parameter(xavier_uniform_(torch.empty(width, hidden)))
        self.b_1 = nn.Parameter(torch.zeros(hidden))
        self.W_2 = nn.Parameter(xavier_uniform_(torch.empty(hidden, width)))
        self.b_2 = nn.Parameter(torch.zeros(width))
        self.dropout = Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        """Every position by itself: x (..., D) -> (..., D)."""
        u = self.dropout(F.relu(product(x, self.W_1.T, self.b_1)))
        return product(u, self.W_2.T, self.b_2)

    def symbols(self) -> Symbols:
        return {"W_1": self.W_1, "b_1": self.b_1, "W_2": self.W_2, "b_2": self.b_2}


@layer(residual)
class Residual(Layer):
    """A residual connection around a layer: its output is added to its first argument."""

    def __init__(self, layer: nn.Module) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, x: Tensor, *inputs: Any, **options: Any) -> Tensor:
        """x (..., D), and whatever else the layer takes -> (..., D)."""
        added: Tensor = self.layer(x, *inputs, **options)
        return x + added
