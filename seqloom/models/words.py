"""From numbers of words to their rows: what every model of text begins with."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from seqloom.layers.dropout import Dropout
from seqloom.layers.embedding import Embedding, OneHotEmbedding
from seqloom.models.part import Part
from seqloom.models.settings import ModelConfig


class Words(nn.Module):
    """From numbers of words to their rows."""

    def __init__(self, config: ModelConfig, vocab: int) -> None:
        super().__init__()
        self.width = vocab if config.one_hot else config.embedding
        self.table: Embedding = one_hot_rows(vocab) if config.one_hot else Embedding(vocab, self.width)
        self.dropout = Dropout(config.dropout)

    def forward(self, w: Tensor) -> Tensor:
        """w (B, T) -> (B, T, D)."""
        return self.dropout(self.table(w))  # type: ignore[no-any-return]

    def part(self, w: Tensor) -> Part:
        """What it computes as equations, for the words w (T) of one sentence."""
        return Part("words", self.table.definition, self.table.symbols(), [{"w": word} for word in w])


def one_hot_rows(vocab: int) -> Embedding:
    """An embedding that is the unit matrix and stays so."""
    table = OneHotEmbedding(vocab, vocab)
    with torch.no_grad():
        table.E.copy_(torch.eye(vocab))
    return table.requires_grad_(False)
