"""From the characters of a word to a vector: its ending, its capitals, its look, even of a word never seen."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any, Literal

import torch
from torch import Tensor, nn

from seqloom.equations import concat, equations, first, highest, last, scan, scan_back
from seqloom.layers.base import Layer, Symbols
from seqloom.layers.bidirectional import Bidirectional
from seqloom.layers.convolution import Convolution, convolution_layer
from seqloom.layers.embedding import Embedding, embedding
from seqloom.layers.lstm import LSTM, lstm
from seqloom.layers.masks import lengths_to_mask
from seqloom.models.word_dropout import WordDropout

CharacterKind = Literal["cnn", "lstm"]
CHARACTER = 32
"""Width of a character embedding."""
WINDOW = 5
"""Characters that the convolution sees at once: an English ending and the mark behind it."""


@equations
def character_cnn(c, *, embedding=embedding, convolution=convolution_layer):
    """A word by its characters: convolution and max pooling.

    Paper: X. Ma, E. Hovy, End-to-end sequence labeling via bi-directional LSTM-CNNs-CRF, ACL 2016.

    c  (characters)  index, the character ids of the word
    """
    X = embedding(c)  # the embedding of each character
    Y = convolution(X)  # each character among its neighbours
    v = highest(Y)  # of each filter the strongest response
    return v


@equations
def character_lstm(c, *, embedding=embedding, fwd=lstm, bwd=lstm):
    """A word by its characters: where a bidirectional LSTM ends.

    Paper: G. Lample et al., Neural architectures for named entity recognition, NAACL 2016.

    c  (characters)  index, the character ids of the word
    """
    X = embedding(c)  # the embedding of each character
    H_fwd = scan(fwd, X)  # read from the left
    H_bwd = scan_back(bwd, X)  # read from the right
    v = concat(last(H_fwd), first(H_bwd))  # what each reader knows at its end
    return v


class CharacterEncoder(Layer):
    """One vector for each word, from its characters; zeros where there are none."""

    def __init__(self, vocab: int, width: int, word_dropout: WordDropout | None = None) -> None:
        super().__init__()
        self.word_dropout = word_dropout or nn.Identity()
        self.table = Embedding(vocab, CHARACTER)
        self.width = width

    def forward(self, characters: Tensor) -> Tensor:
        """characters (words, characters of a word), 0 behind the end of a word -> (words, D)."""
        return self.read(self.table(self.word_dropout(characters)), (characters != 0).sum(1))

    def read(self, x: Tensor, lengths: Tensor) -> Tensor:
        """x (words, characters, K), lengths (words) -> (words, D)."""
        raise NotImplementedError


class CharacterCNN(CharacterEncoder):
    """Convolution over the characters, of each filter the strongest response."""

    definition = character_cnn

    def __init__(self, vocab: int, width: int, word_dropout: WordDropout | None = None) -> None:
        super().__init__(vocab, width, word_dropout)
        self.convolution = Convolution(CHARACTER, width, WINDOW)

    def read(self, x: Tensor, lengths: Tensor) -> Tensor:
        found: Tensor = self.convolution(x, lengths_to_mask(lengths, x.shape[1]))
        return found.amax(1)  # nothing is below 0, and padding is 0

    def symbols(self) -> Symbols:
        return {"embedding": self.table.part(), "convolution": self.convolution.sequence_part(residual=False)}


class CharacterLSTM(CharacterEncoder):
    """A bidirectional LSTM over the characters: where each of its readers ends, each half as wide."""

    definition = character_lstm

    def __init__(self, vocab: int, width: int, word_dropout: WordDropout | None = None) -> None:
        super().__init__(vocab, width, word_dropout)
        self.readers = Bidirectional.of(lambda: LSTM(CHARACTER, width // 2))

    def read(self, x: Tensor, lengths: Tensor) -> Tensor:
        _, ends = self.readers(x, None, lengths)
        return torch.cat([ends.forward.h, ends.backward.h], dim=-1)

    def symbols(self) -> Symbols:
        return {"embedding": self.table.part(), **self.readers.symbols()}


CHARACTER_ENCODERS: dict[CharacterKind, Any] = {"cnn": CharacterCNN, "lstm": CharacterLSTM}


def character_encoder(
    kind: CharacterKind, vocab: int, width: int, word_dropout: WordDropout | None = None
) -> CharacterEncoder:
    """The encoder of characters that a setting names."""
    made: CharacterEncoder = CHARACTER_ENCODERS[kind](vocab, width, word_dropout)
    return made
