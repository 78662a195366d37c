"""An encoder of blocks that a user defined: each is an `@equations` function from X (T, D) to X (T, D)."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from seqloom.equations import Equations
from seqloom.layers.derived_block import block_from
from seqloom.layers.masks import lengths_to_mask
from seqloom.layers.positions import LearnedPositions, Sinusoidal
from seqloom.models.encoders.base import Encoder
from seqloom.models.settings import ModelConfig


class BlockEncoder(Encoder):
    """Positions, then as many blocks as there are widths; F is `hidden`, N is `heads`, K the width of a head."""

    def __init__(self, definition: Equations[..., Any], config: ModelConfig, width: int, causal: bool) -> None:
        super().__init__()
        waves = config.positions == "sinusoidal"
        self.positions = Sinusoidal(width) if waves else LearnedPositions(config.length, width)
        self.scale = width**0.5 if waves else 1.0
        sizes = {"F": config.hidden, "N": config.heads, "K": max(width // config.heads, 1)}
        self.blocks = nn.ModuleList(block_from(definition, width, sizes) for _ in config.widths)
        self.causal, self.output_size, self.limit = causal, width, config.length

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        mask = lengths_to_mask(lengths, x.shape[1])
        x = (x * self.scale + self.positions(x.shape[1])).masked_fill(~mask[..., None], 0.0)
        allowed = causal_mask(mask) if self.causal else mask
        for block in self.blocks:
            x = block(x, allowed).masked_fill(~mask[..., None], 0.0)
        return x


def causal_mask(mask: Tensor) -> Tensor:
    """Which positions each may attend to: real ones up to itself; padding attends to itself. (B, T) -> (B, T, T)."""
    square = mask.new_ones(mask.shape[1], mask.shape[1])
    allowed: Tensor = (mask[:, None] & square.tril()) | torch.eye(mask.shape[1], dtype=torch.bool, device=mask.device)
    return allowed
