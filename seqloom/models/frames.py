"""From frames of sound or sensors to rows: what stands where a model of text has its words."""

from __future__ import annotations

from torch import Tensor, nn

from seqloom.layers.dropout import Dropout
from seqloom.models.settings import ModelConfig


class Frames(nn.Module):
    """A linear projection of each frame to the width that a word would have."""

    def __init__(self, config: ModelConfig, numbers: int) -> None:
        super().__init__()
        self.width = config.embedding
        self.projection = nn.Linear(numbers, self.width)
        self.dropout = Dropout(config.dropout)

    def forward(self, x: Tensor) -> Tensor:
        """x (B, T, numbers of a frame) -> (B, T, D)."""
        return self.dropout(self.projection(x))  # type: ignore[no-any-return]
