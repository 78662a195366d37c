"""Nothing done: what stands where a model leaves a part out."""

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


@layer(identity)
class Identity(Layer):
    """The input as it is."""

    def forward(self, x: Tensor) -> Tensor:
        """x (B, T, D) -> (B, T, D)."""
        return x
