"""A whole model: source words in, scores of target words out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from seqloom.decoding.stepper import Step, select_rows
from seqloom.equations import Equations
from seqloom.errors import ConfigError
from seqloom.layers.base import Symbols
from seqloom.layers.dropout import Dropout
from seqloom.layers.embedding import Embedding
from seqloom.layers.heads import Readout
from seqloom.models.part import Part
from seqloom.models.seq2seq.decoders import DECODERS
from seqloom.models.seq2seq.definitions.step import whole
from seqloom.models.seq2seq.memory import Reader
from seqloom.models.seq2seq.settings import Seq2SeqConfig


class Tied(nn.Module):
    """Scores by likeness to the words themselves: the rows of the embedding are the columns of the readout."""

    def __init__(self, words: Embedding, width: int) -> None:
        super().__init__()
        vocab, size = words.E.shape
        self.words = words
        self.project = Readout(width, size) if width != size else None
        self.b = nn.Parameter(torch.zeros(vocab))

    def forward(self, y: Tensor) -> Tensor:
        """y (..., H) -> (..., V)."""
        return F.linear(y if self.project is None else self.project(y), self.words.E, self.b)

    def symbols(self) -> Symbols:
        return {**({"project": self.project.symbols()} if self.project else {}), "b_y": self.b}


class Seq2Seq(nn.Module):
    """An encoder, a bridge and a decoder; and the way to write with it word by word (`decoding.stepper`)."""

    def __init__(self, config: Seq2SeqConfig, source_vocab: int, target_vocab: int) -> None:
        super().__init__()
        target = Embedding(target_vocab, config.embedding)
        if config.tied == "all" and source_vocab != target_vocab:
            raise ConfigError("settings", [("model.tied", "all needs one dictionary", "set tokens.joint=true")])
        source = target if config.tied == "all" else Embedding(source_vocab, config.embedding)
        self.reader = Reader(config, source)
        self.words = target
        self.dropout = Dropout(config.dropout)
        self.decoder = DECODERS[config.decoder](config, self.reader.encoder.output_size)
        self.looks = config.bridge == "attention"  # at all rows of the source; else there is one, and no share of it
        size = self.decoder.output_size
        self.readout: nn.Module = Readout(size, target_vocab) if config.tied == "none" else Tied(target, size)

    def forward(self, source: Tensor, source_lengths: Tensor, written: Tensor, real: Tensor) -> Tensor:
        """Teacher forcing, all steps at once.

        source   (B, S)  numbers of words, with lengths (B)
        written  (B, T)  for each place the word before it, <bos> first
        real     (B, T)  bool, True where a word is to be predicted
        ->       (R, V)  scores for each real place, row after row
        """
        memory = self.reader(source, source_lengths)
        y = self.decoder(self.dropout(self.words(written)), memory)
        return self.readout(y[real])  # type: ignore[no-any-return]

    def start(self, source: Tensor, source_lengths: Tensor, *, weights: bool = False) -> Any:
        """The state before the first word; with `weights` every step hands out its attention, if there is any."""
        return weights and self.looks, self.decoder.start(self.reader(source, source_lengths))

    def step(self, tokens: Tensor, state: Any) -> Step:
        weights, inner = state
        y, inner, attention = self.decoder.step(self.words(tokens), inner, weights=weights)
        return Step(self.readout(y), (weights, inner), attention)

    def select(self, state: Any, rows: Tensor) -> Any:
        return select_rows(state, rows)

    # --- as equations -------------------------------------------------------------------------------

    @property
    def definition(self) -> Equations[..., Any]:
        """What `step` computes for one row: from the number of the last word to the shares of the next."""
        if not isinstance(self.readout, Tied):
            return whole(self.decoder.draft(), __name__)
        return whole(self.decoder.draft(), __name__, "tied" if self.readout.project is None else "tied and projected")

    def symbols(self) -> Symbols:
        """The trained weights under the letters of the definition."""
        read: Symbols = self.readout.symbols()  # type: ignore[operator]
        output = read if isinstance(self.readout, Tied) else {"output": read}
        return {"E": self.words.E, **self.decoder.symbols(), **output}

    def parts(self, source: Tensor, written: Sequence[int]) -> list[Part]:
        """What is computed for one source (1, S) when these words are written one after the other, <bos> first."""
        memory = self.reader(source, torch.tensor([source.shape[1]], device=source.device))
        begin = {name: value[0] for name, value in self.decoder.begin(memory).items()}
        definition = self.definition
        start = {name: begin.pop(name) for name in definition.body.states}
        taken = {symbol.name for symbol in definition.body.inputs}
        steps = []
        for place, word in enumerate(written):
            look = torch.ones(place + 1, source.shape[1], dtype=torch.bool, device=source.device)
            told = {
                "y": torch.tensor(word, device=source.device),
                "i": torch.tensor(place, device=source.device),
                "causal": look.new_ones(place + 1, place + 1).tril(),
                "mask": look[:, : len(begin.get("H", memory.rows[0]))],
            }
            steps.append({**begin, **{name: value for name, value in told.items() if name in taken}})
        decoder = Part("decoder", definition, self.symbols(), steps, start)
        bridge = self.decoder.bridge_part(memory)
        read = [replace(part, name=f"encoder, {part.name}") for part in self.reader.parts(source)]
        return [*read, *([bridge] if bridge else []), decoder]
