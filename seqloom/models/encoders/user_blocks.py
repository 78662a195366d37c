"""An encoder of blocks that a user defined: each is an `@equations` function from X (T, D) to X (T, D)."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from seqloom.equations import Equations, Part, equations
from seqloom.layers.base import Symbols
from seqloom.layers.derived_block import block_from
from seqloom.layers.feed_forward import feed_forward
from seqloom.layers.identity import identity
from seqloom.layers.masks import lengths_to_mask
from seqloom.layers.positions import positioned, positions_called
from seqloom.models.encoders.base import Encoder
from seqloom.models.encoders.transformer import attend_back, attend_everywhere, transformer_encoder
from seqloom.models.settings import ModelConfig


@equations
def block_encoder(X, *, positions=positioned, blocks=(feed_forward, feed_forward)):
    """An encoder of blocks that need no mask.

    Paper: A. Vaswani et al., Attention is all you need, NeurIPS 2017.

    X  (T, D)  the embeddings, one for each position
    """
    R = positions(X)  # each embedding with its position added
    for block in blocks:
        R = block(R)  # each block refines every position
    H = R  # the hidden states
    return H


class BlockEncoder(Encoder):
    """Positions, then as many blocks as there are widths; F is `hidden`, N is `heads`, K the width of a head."""

    definition: Equations[..., Any] = block_encoder

    def __init__(self, definition: Equations[..., Any], config: ModelConfig, width: int, causal: bool) -> None:
        super().__init__()
        self.positions = positions_called(config.positions, config.length, width)
        sizes = {"F": config.hidden, "N": config.heads, "K": max(width // config.heads, 1)}
        self.blocks = nn.ModuleList(block_from(definition, width, sizes) for _ in config.widths)
        self.causal, self.output_size, self.limit = causal, width, config.length
        self.masked = len(definition.body.inputs) > 1
        if self.masked:
            self.definition = transformer_encoder

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        mask = lengths_to_mask(lengths, x.shape[1])
        x = self.positions(x).masked_fill(~mask[..., None], 0.0)
        allowed = causal_mask(mask) if self.causal else mask
        for block in self.blocks:
            x = block(x, allowed).masked_fill(~mask[..., None], 0.0)
        return x

    def symbols(self, length: int) -> Symbols:
        blocks: Any = self.blocks
        parts: dict[str, Any] = {"blocks": [block.part() for block in blocks]}
        parts["positions"] = self.positions.sequence_part()
        mask = {"mask": Part(attend_back if self.causal else attend_everywhere), "norm": Part(identity)}
        return {**parts, **(mask if self.masked else {})}


def causal_mask(mask: Tensor) -> Tensor:
    """Which positions each may attend to: real ones up to itself; padding attends to itself. (B, T) -> (B, T, T)."""
    square = mask.new_ones(mask.shape[1], mask.shape[1])
    allowed: Tensor = (mask[:, None] & square.tril()) | torch.eye(mask.shape[1], dtype=torch.bool, device=mask.device)
    return allowed
