"""From a sentence, or a row of frames, to scores for labels or to one number: words, encoder, pooling, readout."""

from __future__ import annotations

from typing import TypeAlias

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from seqloom.layers.dropout import Dropout
from seqloom.layers.heads import MLP, LogisticRegression, Readout, end_to_end
from seqloom.layers.masks import lengths_to_mask
from seqloom.models.answering import Says, answer_end_to_end, answer_for_all, projected_frame
from seqloom.models.encoders import make_encoder
from seqloom.models.frames import Frames
from seqloom.models.part import Letters, Part
from seqloom.models.pooling import Pool
from seqloom.models.registry import architecture, find
from seqloom.models.settings import ModelConfig
from seqloom.models.words import Words

Rows: TypeAlias = Words | Frames
"""What a model begins with: word numbers (B, T) or frames (B, T, numbers) become rows (B, T, D)."""


class Classifier(nn.Module):
    """Reads a sentence, with feature columns beside it if there are any."""

    def __init__(self, config: ModelConfig, words: Rows, scores: int, features: int = 0) -> None:
        super().__init__()
        self.words = words
        self.encoder = make_encoder(config, self.words.width)
        self.pool = Pool(config.pooling, self.encoder.output_size)
        self.dropout = Dropout(config.dropout)
        self.readout = Readout(self.encoder.output_size + features, scores)

    def vectors(self, w: Tensor, lengths: Tensor) -> Tensor:
        """One row a sentence, as pooled from the encoder: w (B, T), lengths (B) -> (B, H)."""
        return self.pool(self.encoder(self.words(w), lengths), lengths)  # type: ignore[no-any-return]

    def forward(self, w: Tensor, lengths: Tensor, features: Tensor | None = None) -> Tensor:
        """w (B, T), lengths (B), features (B, columns) -> scores (B, V)."""
        rows = self.dropout(self.vectors(w, lengths))
        if features is not None:
            rows = torch.cat([rows, features], dim=-1)
        return self.readout(rows)  # type: ignore[no-any-return]

    def parts(self, x: Tensor, says: Says, given: Letters) -> list[Part]:
        """What it computes as equations when the rows of one sentence are x (1, T, D); the answer last.

        `given` are the columns beside the text `f` (columns), if there are any; for a number also its scale.
        """
        rows = self.encoder(x, torch.tensor([x.shape[1]], device=x.device))[0]
        return [*self.encoder.parts(x), answer_for_all(rows, self.pool, self.readout, says, given)]


@architecture("mlp", "one hidden layer, words end to end", kind="model", tasks=("classify",), reads=["hidden"])
@architecture("logistic", "logistic regression, words end to end", kind="model", tasks=("classify",), binary_logit=True)
class FlatClassifier(nn.Module):
    """Logistic regression or an MLP on the words of a sentence, put end to end."""

    def __init__(self, config: ModelConfig, words: Rows, scores: int, features: int = 0) -> None:
        super().__init__()
        self.words = words
        self.length = config.length
        if config.name == "mlp":
            self.head: nn.Module = MLP(config.length, self.words.width, config.hidden, scores)
        elif scores == 1:
            self.head = LogisticRegression(config.length, self.words.width)
        else:
            self.head = Readout(config.length * self.words.width, scores)
        self.beside = Readout(features, scores) if features else None

    def vectors(self, w: Tensor, lengths: Tensor) -> Tensor:
        """One row a sentence: the hidden layer of an MLP (B, F), else the words end to end (B, T*D)."""
        x = end_to_end(self.words(w), lengths_to_mask(lengths, w.shape[1]), limit=self.length * self.words.width)
        if isinstance(self.head, MLP):
            return F.relu(x @ self.head.W_1[: x.shape[1]] + self.head.b_1)
        return F.pad(x, (0, self.length * self.words.width - x.shape[1]))

    def forward(self, w: Tensor, lengths: Tensor, features: Tensor | None = None) -> Tensor:
        """w (B, T), lengths (B), features (B, columns) -> scores (B, V)."""
        if isinstance(self.head, Readout):
            scores: Tensor = self.head(self.vectors(w, lengths))
        else:
            scores = self.head(self.words(w), lengths_to_mask(lengths, w.shape[1]))
        scores = scores[:, None] if scores.ndim == 1 else scores
        return scores if features is None or self.beside is None else scores + self.beside(features)

    def parts(self, x: Tensor, says: Says, given: Letters) -> list[Part]:
        """As those of `Classifier`: the answer alone."""
        return [answer_end_to_end(x[0], self.head, self.beside, says, given)]


def first_part(words: Rows, w: Tensor) -> Part:
    """What makes rows of words w (T) or of frames w (T, numbers), as equations."""
    if isinstance(words, Words):
        return words.part(w)
    symbols = {"W": words.projection.weight.T, "b": words.projection.bias}
    return Part("frames", projected_frame, symbols, [{"f": frame} for frame in w])


def make_classifier(config: ModelConfig, words: Rows, scores: int, features: int = 0) -> Classifier | FlatClassifier:
    """The classifier that the settings name, with so many scores and feature columns."""
    found = find(config.name, "classify")
    make = Classifier if found.kind != "model" else found.make
    assert make is not None
    model: Classifier | FlatClassifier = make(config, words, scores, features)
    return model
