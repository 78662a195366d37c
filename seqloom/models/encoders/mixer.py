"""The mixer: positions are mixed by a matrix that is the same for every sentence."""

from __future__ import annotations

from torch import Tensor, nn

from seqloom.layers.base import Symbols
from seqloom.layers.dropout import Dropout
from seqloom.layers.feed_forward import FeedForward
from seqloom.layers.masks import lengths_to_mask
from seqloom.layers.norms import LayerNorm
from seqloom.layers.transposed_linear import TransposedLinear
from seqloom.models.encoders.base import Encoder
from seqloom.models.encoders.definitions import mixer_with
from seqloom.models.part import Part
from seqloom.models.registry import architecture
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

    def symbols(self, length: int) -> Symbols:
        """Under the letters of `mixer_block`, for a sentence of so many words."""
        mix = {"W": self.mix.W[:length, :length]}
        parts = {"norm_1": self.norm_1, "norm_2": self.norm_2, "network": self.network}
        return {"mix": mix, **{name: part.symbols() for name, part in parts.items()}}


class Mixer(Encoder):
    def __init__(self, config: ModelConfig, width: int) -> None:
        super().__init__()
        blocks = (MixerBlock(width, config.length, config.hidden, config.dropout) for _ in config.widths)
        self.blocks = nn.ModuleList(blocks)
        self.norm = LayerNorm(width)
        self.output_size, self.limit = width, config.length

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        mask = lengths_to_mask(lengths, x.shape[1])
        for block in self.blocks:
            x = block(x, mask)
        y: Tensor = self.norm(x)
        return y.masked_fill(~mask[..., None], 0.0)

    def parts(self, x: Tensor) -> list[Part]:
        words = x.shape[1]
        symbols = {f"block_{number}": block.symbols(words) for number, block in enumerate(self.blocks, start=1)}  # type: ignore[operator]
        definition = mixer_with(len(self.blocks))
        return [Part("mixer", definition, {**symbols, "norm": self.norm.symbols()}, [{"X": x[0]}])]


@architecture("mixer", "positions mixed by one matrix", kind="encoder", reads=["widths", "hidden"])
def mixer(config: ModelConfig, width: int) -> Encoder:
    return Mixer(config, width)
