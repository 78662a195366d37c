"""The Transformer as a reader of one sequence: an encoder, or, causal, the decoder of a language model."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any

from torch import Tensor, nn

from seqloom.equations import Part, equations, full_mask, past_mask
from seqloom.layers.base import Symbols
from seqloom.layers.encoder_block import (
    EncoderBlock,
    EncoderBlockNoResidual,
    EncoderBlockPreNorm,
    EncoderBlockPreNormNoResidual,
    EncoderParts,
    encoder_block_pre_norm,
)
from seqloom.layers.fast_decoding import Rows, decode_step, fast_decoding_blocks, read_all
from seqloom.layers.identity import Identity
from seqloom.layers.masks import lengths_to_mask, none_if_all_true
from seqloom.layers.norms import layer_norm, norm_called
from seqloom.layers.positions import positioned, positions_called
from seqloom.models.encoders.base import Encoder
from seqloom.models.registry import architecture
from seqloom.models.settings import ModelConfig, even_embedding

BLOCKS: dict[tuple[str, bool], type[EncoderParts]] = {
    ("before", True): EncoderBlockPreNorm,
    ("after", True): EncoderBlock,
    ("before", False): EncoderBlockPreNormNoResidual,
    ("after", False): EncoderBlockNoResidual,
}
"""By the place of the norms, and whether there are residual connections."""


@equations
def attend_everywhere(X):
    """The mask of an encoder: every position may attend to every other.

    Paper: A. Vaswani et al., Attention is all you need, NeurIPS 2017.

    X  (T, D)  the sequence
    """
    M = full_mask(X, X)  # True everywhere
    return M


@equations
def attend_back(X):
    """The mask of a language model: a position may attend to itself and to those before it.

    Paper: A. Vaswani et al., Attention is all you need, NeurIPS 2017.

    X  (T, D)  the sequence
    """
    M = past_mask(X)  # True on and below the diagonal
    return M


@equations
def transformer_encoder(
    X,
    *,
    positions=positioned,
    mask=attend_everywhere,
    blocks=(encoder_block_pre_norm, encoder_block_pre_norm),
    norm=layer_norm,
):
    """The Transformer's encoder; with a causal mask, the Transformer as a language model.

    Paper: A. Vaswani et al., Attention is all you need, NeurIPS 2017.

    X  (T, D)  the embeddings, one for each position
    """
    R = positions(X)  # each embedding with its position added
    M = mask(R)  # where a position may attend
    for block in blocks:
        R = block(R, M)  # each block refines every position
    H = norm(R)  # the hidden states, normalised
    return H


class Transformer(Encoder):
    """Positions, blocks, a norm at the end where they have none there themselves."""

    definition = transformer_encoder

    def __init__(self, config: ModelConfig, width: int, causal: bool) -> None:
        super().__init__()
        self.positions = positions_called(config.positions, config.length, width)
        block, rates = BLOCKS[config.norm, config.residual], (config.dropout, config.inner_dropout)
        self.blocks = nn.ModuleList(
            block(width, config.heads, config.hidden, *rates, norm=config.norm_kind, scaled=config.scaled)
            for _ in config.widths
        )
        self.norm = norm_called(config.norm_kind, width) if config.norm == "before" else Identity()
        self.causal, self.output_size, self.limit = causal, width, config.length

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        mask = none_if_all_true(lengths_to_mask(lengths, x.shape[1]))
        per_head = None if mask is None else mask[:, None, None]
        x = self.positions(x)
        if not self.causal and (fast := fast_decoding_blocks(self.blocks)) is not None:
            x = read_all(fast, x, mask)
        else:
            for block in self.blocks:
                x = block(x, per_head, causal=self.causal, real=mask)
        y: Tensor = self.norm(x, mask)
        return y if mask is None else y.masked_fill(~mask[..., None], 0.0)

    def step(self, x: Tensor, state: Any) -> tuple[Tensor, Any]:
        """State: how many tokens were read, and the keys and values of each block."""
        read, caches = state or (0, [None] * len(self.blocks))
        x = self.positions(x, read)
        if x.shape[1] == 1 and (fast := fast_decoding_blocks(self.blocks)) is not None:
            y, kept, _ = decode_step(fast, x[:, 0], [None] * len(fast), caches, Rows(None, False, x.dtype))
            return self.norm(y[:, None]), (read + 1, kept)
        kept = []
        for block, cache in zip(self.blocks, caches, strict=True):
            x, cache = block.step(x, cache)  # type: ignore[operator]
            kept.append(cache)
        return self.norm(x), (read + x.shape[1], kept)

    def symbols(self, length: int) -> Symbols:
        mask = Part(attend_back if self.causal else attend_everywhere)
        parts = {"positions": self.positions.sequence_part(), "mask": mask, "norm": self.norm.part()}
        return {**parts, "blocks": [block.part() for block in self.blocks]}  # type: ignore[operator]


BLOCK_READS = ("heads", "hidden", "inner_dropout", "norm", "norm_kind", "residual", "scaled", "positions")
"""What the blocks of a Transformer read."""


def even_if_sinusoidal(config: Any) -> None:
    if config.positions == "sinusoidal":
        even_embedding(config)


@architecture(
    "transformer", "self-attention, no recurrence", kind="encoder", check=even_if_sinusoidal, networks_optional=True,
    reads=["widths", *BLOCK_READS],
)  # fmt: skip
def transformer(config: ModelConfig, width: int, causal: bool) -> Encoder:
    return Transformer(config, width, causal)
