"""A language model: words, an encoder that sees only those before, and a score for every word that may come next.

With an encoder that sees both sides it is a masked language model: it says what stood at the places that are hidden.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from seqloom.errors import ConfigError
from seqloom.layers.dropout import Dropout
from seqloom.layers.heads import Readout
from seqloom.models.encoders import make_encoder
from seqloom.models.settings import ModelConfig
from seqloom.models.words import Words

SPREAD = 0.02
"""Of the first weights of the readout: all words are about equally likely before anything is learned."""


class TiedReadout(nn.Module):
    """A readout by likeness to the embedding: its only weights are the biases."""

    def __init__(self, vocab: int) -> None:
        super().__init__()
        self.b_y = nn.Parameter(torch.zeros(vocab))

    def forward(self, h: Tensor, E: Tensor) -> Tensor:
        """h (..., D), E (V, D) -> y (..., V)"""
        return F.linear(h, E, self.b_y)


class LanguageModel(nn.Module):
    """Scores of the next word, for a whole text at once or word by word."""

    def __init__(self, config: ModelConfig, vocab: int, *, causal: bool = True) -> None:
        super().__init__()
        check(config)
        self.words = Words(config, vocab)
        self.encoder = make_encoder(config, self.words.width, causal=causal)
        self.dropout = Dropout(config.dropout)
        width = self.encoder.output_size
        if config.tied and width != self.words.width:
            what = f"the last layer is {width} wide, a word {self.words.width}"
            raise ConfigError("settings", [("model.tied", what, "make both the same, or set it to false")])
        self.readout: nn.Module = TiedReadout(vocab) if config.tied else Readout(width, vocab)
        start = self.words.table.E if config.tied else self.readout.W_hy
        nn.init.normal_(start, std=SPREAD)  # type: ignore[arg-type]  # a Module does not say what it holds
        self.limit = self.encoder.limit
        """The most words that it can read without forgetting the first; None for any number."""

    def forward(self, tokens: Tensor, lengths: Tensor, where: Tensor | None = None) -> Tensor:
        """tokens (B, T), lengths (B) -> scores (B, T, V); with `where` (B, T), bool, those of these places (N, V)."""
        rows = self.encoder(self.words(tokens), lengths)
        return self.scores(rows if where is None else rows[where])

    def scores(self, rows: Tensor) -> Tensor:
        """rows (..., H) -> (..., V)."""
        rows = self.dropout(rows)
        if isinstance(self.readout, TiedReadout):
            return self.readout(rows, self.words.table.E)  # type: ignore[no-any-return]
        return self.readout(rows)  # type: ignore[no-any-return]

    def read(self, tokens: Tensor, state: Any = None) -> tuple[Tensor, Any]:
        """The next words of every row, tokens (R, T) -> the scores after the last of them (R, V) and the new state."""
        rows, state = self.encoder.step(self.words(tokens), state)
        return self.scores(rows[:, -1]), state


def check(config: ModelConfig) -> None:
    if config.tied and config.one_hot:
        what = "one-hot words have no weights to share"
        raise ConfigError("settings", [("model.tied", what, "set it or model.one_hot to false")])
