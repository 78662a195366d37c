"""Decoders of blocks: the Transformer's, and one with a recurrence for what was written (SSRU)."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import Tensor, nn

from seqloom.config import problem
from seqloom.decoding.stepper import PerInput
from seqloom.equations import Equations, append, equations, full_mask, last, past_mask, softmax
from seqloom.layers.base import Symbols
from seqloom.layers.decoder_block import (
    DecoderBlock,
    DecoderBlockNoResidual,
    DecoderBlockPreNorm,
    DecoderBlockPreNormNoResidual,
    DecoderCache,
    DecoderParts,
    decoder_block_pre_norm,
)
from seqloom.layers.embedding import embedding
from seqloom.layers.fast_decoding import Rows, decode_step, fast_decoding_blocks
from seqloom.layers.identity import Identity, identity
from seqloom.layers.masks import none_if_all_true
from seqloom.layers.multi_head import KeyValue
from seqloom.layers.norms import layer_norm, norm_called
from seqloom.layers.output_layers import readout
from seqloom.layers.positions import add_sinusoidal, positions_called
from seqloom.layers.ssru_block import SSRUBlock, SSRUBlockNoResidual, ssru_block
from seqloom.models.encoders.transformer import BLOCK_READS, even_if_sinusoidal
from seqloom.models.registry import architecture
from seqloom.models.seq2seq.decoders.base import Decoder
from seqloom.models.seq2seq.settings import Seq2SeqConfig
from seqloom.models.seq2seq.source_encoder import Memory, SourceView

BLOCKS: dict[tuple[str, str, bool], type[DecoderParts]] = {
    ("transformer", "before", True): DecoderBlockPreNorm,
    ("transformer", "after", True): DecoderBlock,
    ("transformer", "before", False): DecoderBlockPreNormNoResidual,
    ("transformer", "after", False): DecoderBlockNoResidual,
    ("ssru", "before", True): SSRUBlock,
    ("ssru", "before", False): SSRUBlockNoResidual,
}
"""By the decoder, the place of the norms, and whether there are residual connections."""


@equations
def transformer_decoder(
    y,
    i,
    X,
    H,
    *,
    embedding=embedding,
    position=add_sinusoidal,
    source=identity,
    blocks=(decoder_block_pre_norm, decoder_block_pre_norm),
    norm=layer_norm,
    readout=readout,
):
    """The Transformer: one step of the decoder.

    Paper: A. Vaswani et al., Attention is all you need, NeurIPS 2017.

    y  ()           index, the last token; <bos> at first
    i  ()           index, its position, counted from 0
    X  (steps, D)   the embeddings of the target so far
    H  (S, memory)  the hidden states of the encoder
    """
    X = append(X, position(embedding(y), i))  # the target so far, the last token with its position below it
    M = source(H)  # the source in the width of the decoder
    Y = X  # what the lowest block reads
    for block in blocks:
        Y = block(Y, M, past_mask(Y), full_mask(Y, M))  # each block refines every position
    o = last(norm(Y))  # the output vector: that of the last position, normalised
    z = readout(o)  # the logits of the next token
    p = softmax(z)  # the distribution over the next token
    return X, p


@equations
def hybrid(
    y,
    i,
    c,
    H,
    *,
    embedding=embedding,
    position=add_sinusoidal,
    source=identity,
    blocks=(ssru_block, ssru_block),
    norm=layer_norm,
    readout=readout,
):
    """A decoder of blocks with a recurrence in place of self-attention: one step.

    Paper: Y. Kim et al., From research to production and back: ludicrously fast neural machine translation,
    WNGT 2019.

    y  ()           index, the last token; <bos> at first
    i  ()           index, its position, counted from 0
    c  state        the cell state of each block
    H  (S, memory)  the hidden states of the encoder
    """
    r = position(embedding(y), i)  # the embedding of the last token, with its position
    M = source(H)  # the source in the width of the decoder
    for l, block in enumerate(blocks):
        r, c[l] = block(r, c[l], M)  # each block has a cell state of its own
    o = norm(r)  # the output vector, normalised
    z = readout(o)  # the logits of the next token
    p = softmax(z)  # the distribution over the next token
    return c, p


class BlockDecoder(Decoder):
    """Positions, blocks, a norm at the end where they have none there themselves."""

    definition: Equations[..., Any] = transformer_decoder

    def __init__(self, config: Seq2SeqConfig, memory_width: int) -> None:
        super().__init__()
        width = config.embedding
        self.source = SourceView(config.bridge, memory_width, width)
        self.positions = positions_called(config.positions, config.places, width)
        block = BLOCKS[config.decoder, config.norm, config.residual]
        rates = config.dropout, config.inner_dropout
        self.blocks = nn.ModuleList(
            block(width, config.heads, config.hidden, *rates, norm=config.norm_kind, scaled=config.scaled)
            for _ in config.decoder_widths
        )
        self.norm = norm_called(config.norm_kind, width) if config.norm == "before" else Identity()
        self.output_size, self.limit = width, self.positions.limit
        self.over_batch = config.norm_kind == "batch"

    def forward(self, x: Tensor, memory: Memory, real: Tensor | None = None) -> Tensor:
        hidden, mask = self.source(memory)
        x = self.positions(x)
        for block in self.blocks:
            x = block(x, hidden, mask[:, None, None], real=real)
        return self.norm(x, real)  # type: ignore[no-any-return]

    def start(self, memory: Memory) -> Any:
        hidden, mask = self.source(memory)
        mask = none_if_all_true(mask[:, None, None])
        starts = [block.start(hidden, mask) for block in self.blocks]  # type: ignore[operator]
        answers = [start.source for start in starts]
        if fast_decoding_blocks(self.blocks) is not None:  # read in every step: head after head, as products want them
            answers = [KeyValue(k.contiguous(), v.contiguous()) for k, v in answers]
        source = PerInput((mask, answers))
        return 0, source, [start.written for start in starts]

    def step(self, x: Tensor, state: Any, *, weights: bool) -> tuple[Tensor, Any, Sequence[Tensor]]:
        written, source, caches = state
        mask, answers = source.state
        x = self.positions(x[:, None], written)
        if (fast := fast_decoding_blocks(self.blocks)) is not None:
            y, kept, attention = decode_step(fast, x[:, 0], answers, caches, Rows(mask, weights, x.dtype))
            return self.norm(y), (written + 1, source, kept), attention
        kept, attention = [], []
        for block, answer, cache in zip(self.blocks, answers, caches, strict=True):
            x, cache, a = block.step(x, DecoderCache(answer, cache), mask, weights=weights)  # type: ignore[operator]
            kept.append(cache.written)
            attention += [a[:, :, 0]] if weights else []
        return self.norm(x)[:, 0], (written + 1, source, kept), attention

    def symbols(self) -> Symbols:
        parts = {"position": self.positions.part(), "source": self.source.part(), "norm": self.norm.part()}
        return {**parts, "blocks": [block.part() for block in self.blocks]}  # type: ignore[operator]

    def given(self, memory: Memory) -> dict[str, Any]:
        hidden = self.source.hidden(memory)[0]
        return {"X": hidden.new_zeros(0, self.output_size), "H": hidden}


class SSRUDecoder(BlockDecoder):
    """The same with a recurrence in every block."""

    definition: Equations[..., Any] = hybrid

    def given(self, memory: Memory) -> dict[str, Any]:
        hidden = self.source.hidden(memory)[0]
        return {"c": [hidden.new_zeros(self.output_size) for _ in self.blocks], "H": hidden}


def norm_before(config: Seq2SeqConfig) -> None:
    even_if_sinusoidal(config)
    if config.norm == "after":
        raise problem("norm", "blocks with SSRU have their norms before each part", remedy="leave it out")


READS = {"decoder_widths", *BLOCK_READS}
architecture(
    "transformer", "self-attention, no recurrence", kind="decoder", reads=READS, check=even_if_sinusoidal,
    networks_optional=True,
)(BlockDecoder)  # fmt: skip
architecture(
    "ssru", "self-attention replaced by a recurrence", kind="decoder", reads=READS - {"norm"}, check=norm_before,
    networks_optional=True,
)(SSRUDecoder)  # fmt: skip
