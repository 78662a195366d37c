"""The Transformer as a reader of one sequence: an encoder, or, causal, the decoder of a language model."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from seqloom.layers.encoder_block import EncoderBlock, EncoderBlockPreNorm
from seqloom.layers.masks import lengths_to_mask
from seqloom.layers.norms import LayerNorm
from seqloom.layers.positions import LearnedPositions, Sinusoidal
from seqloom.models.encoders.base import Encoder
from seqloom.models.encoders.definitions import transformer_encoder_with
from seqloom.models.part import Part
from seqloom.models.registry import architecture
from seqloom.models.settings import ModelConfig, even_embedding

BLOCKS = {"before": EncoderBlockPreNorm, "after": EncoderBlock}


class Transformer(Encoder):
    """Positions, blocks, a norm at the end where they have none there themselves."""

    def __init__(self, config: ModelConfig, width: int, causal: bool) -> None:
        super().__init__()
        waves = config.positions == "sinusoidal"
        self.positions = Sinusoidal(width) if waves else LearnedPositions(config.length, width)
        self.scale = width**0.5 if waves else 1.0  # waves are about that much longer than words
        self.blocks = nn.ModuleList(
            BLOCKS[config.norm](width, config.heads, config.hidden, config.dropout, config.inner_dropout)
            for _ in config.widths
        )
        self.norm = LayerNorm(width) if config.norm == "before" else None
        self.causal, self.output_size, self.limit = causal, width, config.length

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        mask = lengths_to_mask(lengths, x.shape[1])
        x = x * self.scale + self.positions(x.shape[1])
        for block in self.blocks:
            x = block(x, mask[:, None, None], causal=self.causal)
        return self.last(x).masked_fill(~mask[..., None], 0.0)

    def step(self, x: Tensor, state: Any) -> tuple[Tensor, Any]:
        """State: how many words were read, and the keys and values of each block."""
        read, caches = state or (0, [None] * len(self.blocks))
        x = x * self.scale + self.positions(x.shape[1], read)
        kept = []
        for block, cache in zip(self.blocks, caches, strict=True):
            x, cache = block.step(x, cache)  # type: ignore[operator]
            kept.append(cache)
        return self.last(x), (read + x.shape[1], kept)

    def last(self, x: Tensor) -> Tensor:
        """What comes after the blocks: x (B, T, D) -> (B, T, D)."""
        return x if self.norm is None else self.norm(x)

    def parts(self, x: Tensor) -> list[Part]:
        waves = isinstance(self.positions, Sinusoidal)
        symbols: dict[str, Any] = {
            f"block_{number}": block.symbols()  # type: ignore[operator]
            for number, block in enumerate(self.blocks, start=1)
        }
        symbols |= {**({"norm": self.norm.symbols()} if self.norm else {}), **self.positions.symbols()}
        seen = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool, device=x.device)
        steps = [{"X": x[0], "mask": seen.tril() if self.causal else seen}]
        made = transformer_encoder_with(len(self.blocks), waves=waves, norm="before" if self.norm else "after")
        return [Part("blocks", made, symbols, steps)]


def even_if_sinusoidal(config: Any) -> None:
    if getattr(config, "positions", "sinusoidal") == "sinusoidal":
        even_embedding(config)


@architecture(
    "transformer", "self-attention, no recurrence", kind="encoder", check=even_if_sinusoidal,
    reads=["widths", "heads", "hidden", "inner_dropout", "norm", "positions"],
)  # fmt: skip
def transformer(config: ModelConfig, width: int, causal: bool) -> Encoder:
    return Transformer(config, width, causal)
