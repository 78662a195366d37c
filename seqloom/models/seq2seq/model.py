"""A whole model: token ids of a source in, logits of target tokens out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import torch
from torch import Tensor, nn

from seqloom.decoding.stepper import Step, select_rows
from seqloom.equations import Part
from seqloom.errors import ConfigError
from seqloom.layers.base import Layer
from seqloom.layers.dropout import Dropout
from seqloom.layers.embedding import Embedding
from seqloom.layers.output_layers import Readout
from seqloom.layers.packed_weights import packed_weights
from seqloom.models.frame_projection import FrameProjection
from seqloom.models.readout import tied_to
from seqloom.models.seq2seq.decoders import make_decoder
from seqloom.models.seq2seq.pointer_generator import CopyingReadout
from seqloom.models.seq2seq.settings import Seq2SeqConfig
from seqloom.models.seq2seq.source_encoder import SourceEncoder, SourceReader
from seqloom.models.stage import Stage


class Seq2Seq(nn.Module):
    """A source, a bridge and a decoder; and the way to write with it token by token (`decoding.stepper`).

    What it reads is the business of the source (`source_encoder.SourceReader`): texts, frames, in other tasks pictures.
    """

    def __init__(self, config: Seq2SeqConfig, source: SourceReader, embedding: Embedding) -> None:
        super().__init__()
        self.source, self.embedding = source, embedding
        self.dropout = Dropout(config.dropout)
        self.decoder = make_decoder(config, source.output_size)
        self.attends = config.bridge == "attention"  # to all hidden states of the source, not to one context
        size, vocab = self.decoder.output_size, len(embedding.E)
        self.readout: Layer = Readout(size, vocab) if config.tied == "none" else tied_to(embedding, size)
        self.copying = CopyingReadout(self.readout, size, source.output_size, vocab) if config.copying else None

    @classmethod
    def of_texts(cls, config: Seq2SeqConfig, source_vocab: int, target_vocab: int) -> Self:
        """A model that reads and writes texts, with vocabularies of these sizes."""
        target = Embedding(target_vocab, config.embedding)
        if config.tied == "all" and source_vocab != target_vocab:
            raise ConfigError("settings", [("model.tied", "all needs one vocabulary", "set tokens.joint=true")])
        if config.copying and source_vocab != target_vocab:
            raise ConfigError("settings", [("model.copying", "needs one vocabulary", "set tokens.joint=true")])
        source = target if config.tied == "all" else Embedding(source_vocab, config.embedding)
        return cls(config, SourceEncoder(config, source), target)

    @classmethod
    def of_frames(cls, config: Seq2SeqConfig, features: int, target_vocab: int) -> Self:
        """A model that reads frames of so many numbers and writes texts."""
        if config.tied == "all":
            what, remedy = "frames have no embeddings to tie", 'choose "target" or "none"'
            raise ConfigError("settings", [("model.tied", what, remedy)])
        if config.copying:
            what = "frames contain no tokens to copy"
            raise ConfigError("settings", [("model.copying", what, "leave it out")])
        frames = FrameProjection(features, config.embedding)
        return cls(config, SourceEncoder(config, frames), Embedding(target_vocab, config.embedding))

    def forward(self, source: Tensor, source_lengths: Tensor, written: Tensor, real: Tensor) -> Tensor:
        """Teacher forcing, all steps at once.

        source   (B, S)  token ids (or what else the source reads), with lengths (B)
        written  (B, T)  at each position the token before it, <bos> first
        real     (B, T)  bool, True where a token is to be predicted
        ->       (R, V)  the logits at each real position
        """
        memory = self.source(source, source_lengths)
        padding = {"real": real} if self.decoder.over_batch else {}
        y = self.decoder(self.dropout(self.embedding(written)), memory, **padding)
        if self.copying is not None:
            return self.copying.at(y, self.copying.prepare(memory, source), real)
        return self.readout(y[real])  # type: ignore[no-any-return]

    def start(self, source: Tensor, source_lengths: Tensor, *, weights: bool = False) -> Any:
        """The state before the first token; with `weights` every step hands out its attention, if there is any."""
        packed = packed_weights(self)
        with packed.used(source.shape[0] * source.shape[1]):
            memory = self.source(source, source_lengths)
            copied = None if self.copying is None else self.copying.prepare(memory, source)
            return packed, weights and self.attends, self.decoder.start(memory), copied

    def step(self, tokens: Tensor, state: Any) -> Step:
        packed, weights, inner, copied = state
        with packed.used(tokens.shape[0]):
            y, inner, attention = self.decoder.step(self.embedding(tokens), inner, weights=weights)
            logits = self.readout(y) if self.copying is None else self.copying(y, copied)
        return Step(logits, (packed, weights, inner, copied), attention)

    def select(self, state: Any, rows: Tensor, inputs: Tensor | None = None) -> Any:
        return select_rows(state, rows, inputs)

    def example_batch(self, B: int, T: int, S: int) -> tuple[Tensor, ...]:
        """The arguments of `forward` for a batch of these sizes: what `summary` runs."""
        source, target = self.source.example(B, S), torch.zeros(B, T, dtype=torch.int64)
        return source, torch.full((B,), S), target, torch.ones_like(target, dtype=torch.bool)

    # --- as equations -------------------------------------------------------------------------------

    def part(self, readout: Part | None = None) -> Part:
        """One step of the decoder with its weights: from the last token to the distribution over the next one.

        One that copies has a readout for each source, see `CopyingReadout.part`.
        """
        ends = {"embedding": self.embedding.part(), "readout": readout or self.readout.part()}
        return Part(self.decoder.definition, {**ends, **self.decoder.symbols()})

    def stages(self, source: Tensor, written: Sequence[int]) -> list[Stage]:
        """What is computed for one source (1, S) when these tokens are written one after the other, <bos> first."""
        memory = self.source(source, torch.tensor([source.shape[1]], device=source.device))
        readout = None if self.copying is None else self.copying.part(memory, source)
        given, part = self.decoder.given(memory), self.part(readout)
        start = {name: given.pop(name) for name in part.definition.body.states}
        taken = {symbol.name for symbol in part.definition.body.inputs}
        tokens = torch.tensor(written, device=source.device)
        places = {"y": tokens, "i": torch.arange(len(tokens), device=source.device)}
        read = {name: values for name, values in places.items() if name in taken}
        steps = [{name: values[n] for name, values in read.items()} for n in range(len(tokens))]
        decoder = Stage("decoder", part, steps, given, start)
        return [self.source.stage(source[0]), *self.decoder.bridge_stages(memory), decoder]
