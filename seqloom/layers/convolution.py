"""Convolution over positions: each token sees its neighbours."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.init import xavier_uniform_

from seqloom.equations import Part, equations, relu, stack, windows
from seqloom.layers.base import Layer, Symbols, layer


@equations
def convolution(X, *, W, b):
    """Convolution over positions.

    Paper: Y. Kim, Convolutional neural networks for sentence classification, EMNLP 2014.

    X  (window, D)     a token and its neighbours; zeros beyond the ends
    W  (window, D, H)  the filters: a matrix for each offset in the window
    b  (H)             the bias
    """
    y = relu(sum(x_k @ W_k for x_k, W_k in zip(X, W)) + b)  # each filter applied to the window around the token
    return y


@equations
def convolution_layer(X, *, W, b, before, behind):
    """Convolution over all positions of a sequence.

    Paper: Y. Kim, Convolutional neural networks for sentence classification, EMNLP 2014.

    X       (T, D)          the sequence, one vector for each position
    W       (window, D, H)  a matrix for each place in the window
    b       (H)             the bias
    before  int             positions before the one in question that the window holds
    behind  int             positions behind it
    """
    Y = stack(convolution(N_t, W=W, b=b) for N_t in windows(X, before, behind))  # each position in its window
    return Y


@equations
def residual_convolution(X, *, W, b, before, behind):
    """Convolution over all positions, with a residual connection.

    Paper: J. Gehring et al., Convolutional sequence to sequence learning, ICML 2017, without gates.

    X       (T, D)          the sequence, one vector for each position
    W       (window, D, D)  a matrix for each place in the window
    b       (D)             the bias
    before  int             positions before the one in question that the window holds
    behind  int             positions behind it
    """
    Y = stack(convolution(N_t, W=W, b=b) for N_t in windows(X, before, behind))  # each position in its window
    Z = X + Y  # residual connection
    return Z


@layer(convolution)
class Convolution(Layer):
    """Convolution over positions, each token in the middle of its window; if that is even, left of it."""

    def __init__(self, width: int, hidden: int, window: int) -> None:
        super().__init__()
        W = xavier_uniform_(torch.empty(window * width, hidden)).view(window, width, hidden)
        self.kernel = nn.Parameter(W.permute(2, 1, 0).contiguous())  # W in the order that torch reads fastest
        self.b = nn.Parameter(torch.zeros(hidden))
        self.before, self.behind = (window - 1) // 2, window // 2  # neighbours in the window

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """Every token with its neighbours.

        x     (B, T, D)  a vector for each token
        mask  (B, T)     bool, the padding mask: True for tokens; None when there is no padding
        ->    (B, T, H)  zeros for padding
        """
        if mask is not None:
            x = x.masked_fill(~mask[..., None], 0.0)
        x = F.pad(x.transpose(1, 2), (self.before, self.behind))
        y = F.relu(F.conv1d(x, self.kernel, self.b)).transpose(1, 2)
        return y if mask is None else y.masked_fill(~mask[..., None], 0.0)

    def symbols(self) -> Symbols:
        return {"W": self.kernel.permute(2, 1, 0), "b": self.b}

    def sequence_part(self, *, residual: bool) -> Part:
        """What it computes for a whole sequence, with its weights."""
        definition = residual_convolution if residual else convolution_layer
        return Part(definition, {**self.symbols(), "before": self.before, "behind": self.behind})


class CausalConvolution(Convolution):
    """Convolution over positions, each token at the end of its window: it sees none after it."""

    def __init__(self, width: int, hidden: int, window: int) -> None:
        super().__init__(width, hidden, window)
        self.before, self.behind = window - 1, 0
