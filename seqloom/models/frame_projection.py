"""From frames of sound or sensors to vectors: what stands where a model of text has its embedding."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import torch
from torch import Tensor, nn

from seqloom.equations import Part, equations
from seqloom.layers.dropout import Dropout


@equations
def frame_projection(f, *, W, b):
    """Linear projection of a frame of sound or sensors to the width of the model.

    Paper: A. Dosovitskiy et al., An image is worth 16x16 words, ICLR 2021, with frames where it has patches.

    f  (F)     the features of the frame, each with mean 0 and standard deviation 1
    W  (F, D)  from the features to the width of the model
    b  (D)     the bias
    """
    x = f @ W + b  # the frame as a vector
    return x


class FrameProjection(nn.Module):
    """A linear projection of each frame to the width that an embedding would have."""

    definition = frame_projection

    def __init__(self, features: int, width: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.width = width
        self.projection = nn.Linear(features, width)
        self.dropout = Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        """x (B, T, features of a frame) -> (B, T, D)."""
        return self.dropout(self.projection(x))  # type: ignore[no-any-return]

    def example(self, B: int, T: int) -> Tensor:
        """A batch of frames of these sizes: what `summary` runs."""
        return torch.zeros(B, T, self.projection.in_features)

    def part(self) -> Part:
        """What it computes, with its weights."""
        return Part(frame_projection, {"W": self.projection.weight.T, "b": self.projection.bias})
