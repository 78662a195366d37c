"""What the tasks share when a trained model is opened with one input: bounds, a sample, a sentence one token longer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from seqloom.errors import SeqloomError
from seqloom.models.stage import VocabularyAxis
from seqloom.tokens.settings import SPECIALS, UNK
from seqloom.tokens.tokenizer import Tokenizer

LONGEST = 30
"""Tokens of a text, read or written: more would not be looked at."""
MOST_FRAMES = 128
"""Of sound or sensors, which are read in finer steps than words."""


def bounded(tokens: Any, what: str = "tokens", most: int = LONGEST) -> list[Any]:
    """As many tokens as can be looked at."""
    if not len(tokens):
        raise SeqloomError("the text contains no words", remedy="give a few words like those of the training data")
    if len(tokens) > most:
        raise SeqloomError(f"{len(tokens)} {what} are too many to show", remedy=f"give at most {most}")
    return list(tokens)


def frequent_text(tokenizer: Tokenizer) -> str:
    """A text of the most frequent tokens, for who gives none."""
    order = sorted(range(len(SPECIALS), tokenizer.size), key=lambda token: -tokenizer.frequency[token])
    return tokenizer.decode(order[:4])


def read_words(tokenizer: Tokenizer, text: str, tokens: Sequence[int]) -> list[str]:
    """Tokens as a reader knows them: what is unknown to the model stands as it is in the text, not as <unk>."""
    shown = [tokenizer.vocabulary[token] for token in tokens]
    places = [place for place, token in enumerate(tokens) if token == UNK]
    unknown = [piece for piece in tokenizer.pieces(text) if piece.id == UNK] if places else []
    if len(unknown) == len(places):
        read = text if tokenizer.normalise is None else tokenizer.normalise(text)
        for place, piece in zip(places, unknown, strict=True):
            shown[place] = read[piece.start : piece.end]
    return shown


def of_another_length(x: Tensor, *, longer: bool) -> Tensor:
    """The same tokens (T, ...) and one more, or one less: what differs is as long as the sentence."""
    return torch.cat([x, x[-1:]]) if longer else x[: max(len(x) - 1, 1)]


def token_axis(tokenizer: Tokenizer, tokens: Sequence[int]) -> VocabularyAxis:
    """The embedding table of a vocabulary, shown for the tokens of a sentence."""
    return VocabularyAxis(tokenizer.vocabulary, sorted(set(tokens)))
