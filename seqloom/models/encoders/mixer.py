"""The mixer: positions are mixed by a matrix that is the same for every sentence."""

from __future__ import annotations

from torch import Tensor, nn

from seqloom.layers.dropout import Dropout
from seqloom.layers.feed_forward import FeedForward
from seqloom.layers.masks import lengths_to_mask
from seqloom.layers.norms import LayerNorm
from seqloom.layers.transposed_linear import TransposedLinear
from seqloom.models.encoders.base import Encoder, architecture, cannot_be_causal
from seqloom.models.settings import ModelConfig


class MixerBlock(nn.Module):
    """Mix the positions, then think at each: a Transformer block with the transposed linear layer for attention."""

    def __init__(self, width: int, length: int, hidden: int, dropout: float) -> None:
        super().__init__()
        self.norm_1, self.norm_2 = LayerNorm(width), LayerNorm(width)
        self.mix = TransposedLinear(length)
        self.network = FeedForward(width, hidden, dropout)
        self.dropout = Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        x = x + self.dropout(self.mix(self.norm_1(x), mask))
        return x + self.dropout(self.network(self.norm_2(x)))  # type: ignore[no-any-return]


class Mixer(Encoder):
    def __init__(self, config: ModelConfig, width: int) -> None:
        super().__init__()
        blocks = (MixerBlock(width, config.length, config.hidden, config.dropout) for _ in config.widths)
        self.blocks = nn.ModuleList(blocks)
        self.norm = LayerNorm(width)
        self.output_size = width

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        mask = lengths_to_mask(lengths, x.shape[1])
        for block in self.blocks:
            x = block(x, mask)
        y: Tensor = self.norm(x)
        return y.masked_fill(~mask[..., None], 0.0)


@architecture("mixer")
def mixer(config: ModelConfig, width: int, causal: bool) -> Encoder:
    if causal:
        raise cannot_be_causal("mixer")
    return Mixer(config, width)
