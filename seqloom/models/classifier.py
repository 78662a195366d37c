"""From a sentence to scores for labels, or to one number: embedding, encoder, pooling, readout."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from seqloom.layers.dropout import Dropout
from seqloom.layers.embedding import Embedding, OneHotEmbedding
from seqloom.layers.heads import MLP, Readout
from seqloom.layers.masks import lengths_to_mask
from seqloom.models.encoders import make_encoder
from seqloom.models.pooling import Pool
from seqloom.models.settings import ModelConfig

FLAT = ("logistic", "mlp")
"""Architectures that put the words of a sentence end to end instead of reading them."""


class Words(nn.Module):
    """From numbers of words to their rows."""

    def __init__(self, config: ModelConfig, vocab: int) -> None:
        super().__init__()
        self.width = vocab if config.one_hot else config.embedding
        self.table: nn.Module = one_hot_rows(vocab) if config.one_hot else Embedding(vocab, self.width)
        self.dropout = Dropout(config.dropout)

    def forward(self, w: Tensor) -> Tensor:
        """w (B, T) -> (B, T, D)."""
        return self.dropout(self.table(w))  # type: ignore[no-any-return]


def one_hot_rows(vocab: int) -> nn.Module:
    """An embedding that is the unit matrix and stays so."""
    table = OneHotEmbedding(vocab, vocab)
    with torch.no_grad():
        table.E.copy_(torch.eye(vocab))
    return table.requires_grad_(False)


class Classifier(nn.Module):
    """Reads a sentence, with feature columns beside it if there are any."""

    def __init__(self, config: ModelConfig, vocab: int, labels: int, features: int = 0) -> None:
        super().__init__()
        self.words = Words(config, vocab)
        self.encoder = make_encoder(config, self.words.width)
        self.pool = Pool(config.pooling, self.encoder.output_size)
        self.dropout = Dropout(config.dropout)
        self.readout = Readout(self.encoder.output_size + features, labels)

    def vectors(self, w: Tensor, lengths: Tensor) -> Tensor:
        """One row a sentence: w (B, T), lengths (B) -> (B, H)."""
        return self.pool(self.encoder(self.words(w), lengths), lengths)  # type: ignore[no-any-return]

    def forward(self, w: Tensor, lengths: Tensor, features: Tensor | None = None) -> Tensor:
        """w (B, T), lengths (B), features (B, columns) -> scores (B, V)."""
        rows = self.dropout(self.vectors(w, lengths))
        if features is not None:
            rows = torch.cat([rows, features], dim=-1)
        return self.readout(rows)  # type: ignore[no-any-return]


class FlatClassifier(nn.Module):
    """Logistic regression or an MLP on the words of a sentence, put end to end."""

    def __init__(self, config: ModelConfig, vocab: int, labels: int, features: int = 0) -> None:
        super().__init__()
        self.words = Words(config, vocab)
        self.length = config.length
        if config.name == "mlp":
            self.head: nn.Module = MLP(config.length, self.words.width, config.hidden, labels)
        else:
            self.head = Readout(config.length * self.words.width, labels)
        self.beside = Readout(features, labels) if features else None

    def forward(self, w: Tensor, lengths: Tensor, features: Tensor | None = None) -> Tensor:
        """w (B, T), lengths (B), features (B, columns) -> scores (B, V)."""
        mask = lengths_to_mask(lengths, w.shape[1])
        x = self.words(w)
        if isinstance(self.head, MLP):
            scores: Tensor = self.head(x, mask)
        else:
            flat = x.masked_fill(~mask[..., None], 0.0).flatten(1)
            missing = self.length * self.words.width - flat.shape[1]
            scores = self.head(nn.functional.pad(flat, (0, missing)))
        return scores if features is None or self.beside is None else scores + self.beside(features)


def make_classifier(config: ModelConfig, vocab: int, labels: int, features: int = 0) -> Classifier | FlatClassifier:
    kind = FlatClassifier if config.name in FLAT else Classifier
    return kind(config, vocab, labels, features)
