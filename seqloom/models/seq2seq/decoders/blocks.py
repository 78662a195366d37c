"""Decoders of blocks: the Transformer's, and one with a recurrence for what was written (SSRU)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import Tensor, nn

from seqloom.config import problem
from seqloom.layers.base import Symbols
from seqloom.layers.decoder_block import DecoderBlock, DecoderBlockPreNorm
from seqloom.layers.norms import LayerNorm
from seqloom.layers.ssru_block import SSRUBlock
from seqloom.models.composed import Draft
from seqloom.models.registry import architecture
from seqloom.models.seq2seq.decoders.base import Decoder
from seqloom.models.seq2seq.definitions.blocks import hybrid_with, transformer_with
from seqloom.models.seq2seq.memory import Memory, Placed
from seqloom.models.seq2seq.settings import Seq2SeqConfig
from seqloom.models.seq2seq.sight import Sight
from seqloom.models.settings import even_embedding

BLOCKS = {
    ("transformer", "before"): DecoderBlockPreNorm,
    ("transformer", "after"): DecoderBlock,
    ("ssru", "before"): SSRUBlock,
}


class BlockDecoder(Decoder):
    """Words that know their places, blocks, a norm at the end where they have none there themselves."""

    def __init__(self, config: Seq2SeqConfig, memory_width: int) -> None:
        super().__init__()
        width = config.embedding
        self.sight = Sight(config.bridge, memory_width, width)
        self.places = Placed(width)
        block = BLOCKS[config.decoder, config.norm]
        self.blocks = nn.ModuleList(
            block(width, config.heads, config.hidden, config.dropout, config.inner_dropout)
            for _ in config.decoder_widths
        )
        self.norm = LayerNorm(width) if config.norm == "before" else None
        self.output_size, self.recurrent = width, config.decoder == "ssru"

    def forward(self, x: Tensor, memory: Memory) -> Tensor:
        rows, mask = self.sight(memory)
        x = self.places(x)
        for block in self.blocks:
            x = block(x, rows, mask[:, None, None])
        return self.last(x)

    def start(self, memory: Memory) -> Any:
        rows, mask = self.sight(memory)
        mask = mask[:, None, None]
        return 0, mask, [block.start(rows, mask) for block in self.blocks]  # type: ignore[operator]

    def step(self, x: Tensor, state: Any, *, weights: bool) -> tuple[Tensor, Any, Sequence[Tensor]]:
        written, mask, caches = state
        x = self.places(x[:, None], written)
        kept, attention = [], []
        for block, cache in zip(self.blocks, caches, strict=True):
            x, cache, a = block.step(x, cache, mask, weights=weights)  # type: ignore[operator]
            kept.append(cache)
            attention += [a[:, :, 0]] if weights else []
        return self.last(x)[:, 0], (written + 1, mask, kept), attention

    def last(self, x: Tensor) -> Tensor:
        """What comes after the blocks: x (B, T, D) -> (B, T, D)."""
        return x if self.norm is None else self.norm(x)

    def draft(self) -> Draft:
        if self.recurrent:
            return hybrid_with(len(self.blocks), self.sight.view)
        return transformer_with(len(self.blocks), self.sight.view, "before" if self.norm else "after")

    def symbols(self) -> Symbols:
        sight = self.sight.symbols()
        blocks = {f"block_{number}": block.symbols() for number, block in enumerate(self.blocks, start=1)}  # type: ignore[operator]
        norm = {"norm": self.norm.symbols()} if self.norm else {}
        return {**({"sight": sight} if sight else {}), **blocks, **norm, "D": self.output_size}

    def begin(self, memory: Memory) -> dict[str, Tensor]:
        rows = self.sight.rows(memory)
        if not self.recurrent:
            return {"X": rows.new_zeros(len(rows), 0, self.output_size), "H": rows}
        nothing = rows.new_zeros(len(rows), self.output_size)
        return {**{f"c_{number}": nothing for number in range(1, len(self.blocks) + 1)}, "H": rows}


def norm_before(config: Seq2SeqConfig) -> None:
    even_embedding(config)
    if config.norm == "after":
        raise problem("norm", "blocks with SSRU have their norms before each part", remedy="leave it out")


SIZES = ("decoder_widths", "heads", "hidden", "inner_dropout")
architecture(
    "transformer", "self-attention, no recurrence", kind="decoder", reads=[*SIZES, "norm"], check=even_embedding
)(BlockDecoder)
architecture("ssru", "self-attention replaced by a recurrence", kind="decoder", reads=SIZES, check=norm_before)(
    BlockDecoder
)
