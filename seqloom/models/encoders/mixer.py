"""The mixer: positions are mixed by a matrix that is the same for every sentence."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from torch import Tensor, nn

from seqloom.equations import Part, equations
from seqloom.layers.base import Symbols
from seqloom.layers.block_parts import BlockParts
from seqloom.layers.feed_forward import feed_forward
from seqloom.layers.masks import lengths_to_mask
from seqloom.layers.norms import LayerNorm, layer_norm
from seqloom.layers.transposed_linear import TransposedLinear, transposed_linear
from seqloom.models.encoders.base import Encoder
from seqloom.models.registry import architecture
from seqloom.models.settings import ModelConfig


@equations
def mixer_block(X, *, norm_1=layer_norm, mix=transposed_linear, norm_2=layer_norm, network=feed_forward):
    """Mixer block: a Transformer block whose attention weights are fixed.

    Paper: I. Tolstikhin et al., MLP-Mixer: an all-MLP architecture for vision, NeurIPS 2021.

    X  (T, D)  the sequence, one vector for each position
    """
    Y = X + mix(norm_1(X))  # positions are mixed with weights that are the same for every sentence
    Z = Y + network(norm_2(Y))  # the feed-forward network, applied at each position
    return Z


@equations
def mixer_encoder(X, *, blocks=(mixer_block, mixer_block), norm=layer_norm):
    """The mixer as an encoder.

    Paper: I. Tolstikhin et al., MLP-Mixer: an all-MLP architecture for vision, NeurIPS 2021.

    X  (T, D)  the embeddings, one for each position
    """
    for block in blocks:
        X = block(X)  # each block mixes positions, then features
    H = norm(X)  # the hidden states, normalised
    return H


class MixerBlock(BlockParts):
    """A Transformer block with the transposed linear layer in place of attention."""

    definition = mixer_block

    def __init__(self, width: int, length: int, hidden: int, dropout: float) -> None:
        super().__init__(dropout)
        self.norm_1 = LayerNorm(width)
        self.mix = TransposedLinear(length)
        self.network, self.norm_2 = self.make_network(width, hidden, dropout, "layer")

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        x = self.add(x, self.mix(self.norm_1(x), mask))
        return self.add(x, self.network(self.norm_2(x)))

    def part_for(self, length: int) -> Part:
        """What it computes for sequences of so many positions, with its weights."""
        mix = Part(transposed_linear, {"W": self.mix.W[:length, :length]})
        parts = {name: getattr(self, name).part() for name in ("norm_1", "norm_2", "network")}
        return Part(mixer_block, {"mix": mix, **parts})


class Mixer(Encoder):
    """Blocks that mix positions, and a norm at the end."""

    definition = mixer_encoder

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

    def symbols(self, length: int) -> Symbols:
        return {"blocks": [block.part_for(length) for block in self.blocks], "norm": self.norm.part()}  # type: ignore[operator]


@architecture(
    "mixer", "positions mixed by one matrix", kind="encoder", reads=["widths", "hidden"], networks_optional=True
)
def mixer(config: ModelConfig, width: int) -> Encoder:
    return Mixer(config, width)
