"""What the letters of a word say: its ending, its capitals, its look, even of a word never seen."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn

from seqloom.layers.bidirectional import Bidirectional
from seqloom.layers.convolution import Convolution
from seqloom.layers.embedding import Embedding
from seqloom.layers.lstm import LSTM
from seqloom.layers.masks import lengths_to_mask
from seqloom.models.forgetting import Forget

LetterKind = Literal["cnn", "lstm"]
LETTER = 32
"""Width of a letter."""
WINDOW = 5
"""Letters that the convolution sees at once: an English ending and the mark behind it."""


class Letters(nn.Module):
    """One row a word, from its letters; zeros where there are none."""

    def __init__(self, kind: LetterKind, vocab: int, width: int, forget: Forget | None = None) -> None:
        super().__init__()
        self.forget = forget or nn.Identity()
        self.table = Embedding(vocab, LETTER)
        self.reader: nn.Module = ByConvolution(width) if kind == "cnn" else FromBothEnds(width)
        self.width = width

    def forward(self, letters: Tensor) -> Tensor:
        """letters (words, letters of a word), 0 behind the end of a word -> (words, D)."""
        lengths = (letters != 0).sum(1)
        return self.reader(self.table(self.forget(letters)), lengths)  # type: ignore[no-any-return]


class ByConvolution(nn.Module):
    """Windows over the letters, of each kind of window the strongest."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.windows = Convolution(LETTER, width, WINDOW)

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        found: Tensor = self.windows(x, lengths_to_mask(lengths, x.shape[1]))
        return found.amax(1)  # nothing is below 0, and padding is 0


class FromBothEnds(nn.Module):
    """A bidirectional LSTM over the letters: where each of its readers ends, each half as wide."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.readers = Bidirectional.of(lambda: LSTM(LETTER, width // 2))

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        _, ends = self.readers(x, None, lengths)
        return torch.cat([ends.forward.h, ends.backward.h], dim=-1)
