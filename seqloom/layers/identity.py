"""Nothing done: what stands where a model leaves a part out."""

import torch
from torch import Tensor

from seqloom.equations import equations
from seqloom.layers.base import Layer, layer


@equations
def identity(x):
    """Identity: the input as it is.

    Paper: K. He et al., Deep residual learning for image recognition, CVPR 2016.

    x  (D)  one position
    """
    y = x  # unchanged
    return y


@equations
def nothing(x):
    """Nothing: zeros, which a residual connection adds in vain.

    Paper: K. He et al., Deep residual learning for image recognition, CVPR 2016.

    x  (D)  one position
    """
    y = 0 * x  # the layer is left out
    return y


@layer(identity)
class Identity(Layer):
    """The input as it is."""

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """x (B, T, D) -> (B, T, D); the mask of a norm, in whose place it may stand, is of no account."""
        return x


@layer(nothing)
class Nothing(Layer):
    """Zeros."""

    def forward(self, x: Tensor) -> Tensor:
        """x (B, T, D) -> (B, T, D)."""
        return torch.zeros_like(x)
