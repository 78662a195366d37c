"""A decoder block that looks back with a recurrence instead of attention: the shape of fast CPU translators."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from seqloom.layers.decoder_block import DecoderBlockPreNorm
from seqloom.layers.ssru import SSRU, SSRUState


class LookBack(SSRU):
    """SSRU where a decoder block has self-attention: all words at once, or the next ones."""

    def forward(self, x: Tensor, *unused: Any, **options: Any) -> Any:
        y, _ = super().forward(x)
        return y

    def step(self, x: Tensor, state: SSRUState | None = None) -> tuple[Tensor, SSRUState]:
        """The next words x (B, T, D) after a state."""
        return super().forward(x, state)


class SSRUBlock(DecoderBlockPreNorm):
    """The decoder block with the norm first, with SSRU for what was written and attention for the source."""

    def look_back(self, width: int, heads: int, dropout: float) -> Any:
        return LookBack(width, width)
