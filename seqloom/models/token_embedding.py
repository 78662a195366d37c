"""From token ids to vectors: what every model of text begins with."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from seqloom.equations import Part
from seqloom.layers.dropout import Dropout
from seqloom.layers.embedding import Embedding, OneHotEmbedding
from seqloom.models.settings import ModelConfig


class TokenEmbedding(nn.Module):
    """The embeddings of tokens, learned or one-hot, with dropout."""

    def __init__(self, config: ModelConfig, vocab: int) -> None:
        super().__init__()
        self.width = vocab if config.one_hot else config.embedding
        self.table: Embedding = one_hot_table(vocab) if config.one_hot else Embedding(vocab, self.width)
        self.dropout = Dropout(config.dropout)

    def forward(self, w: Tensor) -> Tensor:
        """w (B, T) -> (B, T, D)."""
        return self.dropout(self.table(w))  # type: ignore[no-any-return]

    def part(self) -> Part:
        """What it computes, with its weights."""
        return self.table.part()


def one_hot_table(vocab: int) -> Embedding:
    """An embedding that is the unit matrix and stays so."""
    table = OneHotEmbedding(vocab, vocab)
    with torch.no_grad():
        table.E.copy_(torch.eye(vocab))
    return table.requires_grad_(False)
