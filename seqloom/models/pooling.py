"""How the rows of a sentence become one."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from seqloom.layers.attention import AttentionPooling
from seqloom.layers.masks import lengths_to_mask
from seqloom.models.settings import Pooling


class Pool(nn.Module):
    """One row a sentence; a sentence without words gives zeros."""

    def __init__(self, kind: Pooling, width: int) -> None:
        super().__init__()
        self.kind = kind
        self.attention = AttentionPooling(width) if kind == "attention" else None

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        """x (B, T, H), lengths (B) -> (B, H)."""
        mask = lengths_to_mask(lengths, x.shape[1])
        if self.attention is not None:
            pooled, _ = self.attention(x, mask)
            return pooled  # type: ignore[no-any-return]
        if self.kind == "mean":
            return x.masked_fill(~mask[..., None], 0.0).sum(1) / lengths.clamp_min(1)[:, None]
        if self.kind == "max":
            highest = x.masked_fill(~mask[..., None], -torch.inf).amax(1)
            return highest.masked_fill(lengths[:, None] == 0, 0.0)
        ends = (lengths - 1).clamp_min(0)
        return x[torch.arange(len(x), device=x.device), ends]
