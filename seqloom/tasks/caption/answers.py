"""A caption: its text, its probability, and where in the picture the model looked for each word."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from seqloom.attention.export import save
from seqloom.attention.picture_attention import PictureAttention, region_names
from seqloom.data.pictures.decoding import Pixels
from seqloom.decoding.hypotheses import DecodedSequence
from seqloom.errors import SeqloomError
from seqloom.tasks.pieces import Pieces
from seqloom.tokens.tokenizer import Tokenizer


@dataclass(frozen=True)
class PictureCaption:
    """An answer. Pieces are tokens as the model writes them; words are what they make together."""

    source: str
    """What the picture is called."""
    text: str
    tokens: list[str]
    score: float
    token_scores: list[float]
    attention: PictureAttention | None
    """By piece; `words` has it by word."""
    words: PictureAttention | None
    alternatives: list[PictureCaption]
    """Other answers, the next best first; drawn ones as they were drawn."""
    likeliest: Sequence[dict[str, float]] = ()
    """For each of `token_scores` what could have stood there, if that was asked for."""

    def __str__(self) -> str:
        return self.text

    @property
    def certainty(self) -> float:
        """The probability of this answer under the model, from 0 to 1."""
        return math.exp(sum(self.token_scores))

    def json(self) -> dict[str, Any]:
        found: dict[str, Any] = {"text": self.text, "picture": self.source, "score": self.score}
        found |= {"certainty": self.certainty, "tokens": self.tokens, "token_scores": self.token_scores}
        if self.likeliest:
            found["likeliest"] = list(self.likeliest)
        if self.alternatives:
            found["alternatives"] = [{"text": other.text, "score": other.score} for other in self.alternatives]
        return found

    def plot(self, file: str | Path = "attention.png", *, pieces: bool | None = None) -> Path:
        """Lay the attention weights over the picture, for each word: .png, .html, .json or .txt."""
        return save(self.weights(pieces=pieces), file)

    def weights(self, *, pieces: bool | None = None) -> PictureAttention:
        """The attention weights, by piece or by word; None: by word."""
        if self.words is None or self.attention is None:
            raise SeqloomError(
                "there is no attention in this answer",
                remedy="use a model with attention, with attention=True, and a caption that is not empty",
            )
        return self.attention if pieces else self.words


def caption_of(
    name: str, picture: Pixels, grid: tuple[int, int], found: Sequence[DecodedSequence], tokenizer: Tokenizer
) -> PictureCaption:
    """From what was written for a picture, the best answer first."""

    def one(written: DecodedSequence, others: list[PictureCaption]) -> PictureCaption:
        tokens = [tokenizer.vocabulary[token] for token in written.tokens]
        attention, words = None, None
        if written.attention is not None and written.tokens:
            weights = np.asarray(written.attention, np.float32)
            layers = tuple(f"layer {number + 1}" for number in range(len(weights)))
            by_token = PictureAttention(region_names(*grid), tuple(tokens), weights, layers, picture, *grid)
            wrote = Pieces.of(tokenizer, written.tokens)
            attention = by_token.by_target_word(wrote.indices, wrote.texts)
            words = by_token.by_target_word(wrote.word_indices, wrote.words())
        text = tokenizer.decode(written.tokens)
        likeliest = [{tokenizer.vocabulary[token]: score for token, score in top} for top in written.likeliest if top]
        return PictureCaption(
            name, text, tokens, written.score, written.token_scores, attention, words, others, likeliest
        )

    return one(found[0], [one(written, []) for written in found[1:]])
