"""What the answers of models that write have in common: text, tokens, scores, attention weights, alternatives."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Self, TypeVar

from seqloom.attention.attention_weights import AttentionMap
from seqloom.attention.export import save
from seqloom.attention.picture_attention import PictureAttention
from seqloom.decoding.hypotheses import DecodedSequence
from seqloom.errors import SeqloomError
from seqloom.tokens.tokenizer import Tokenizer

A = TypeVar("A", AttentionMap, PictureAttention)


@dataclass(frozen=True)
class WrittenAnswer(Generic[A]):
    """A text that a model wrote. Pieces are tokens as the model writes them; words are what they make together."""

    source: str
    """What it was written from, by name if that is no text."""
    text: str
    tokens: list[str]
    score: float
    token_scores: list[float]
    attention: A | None
    """By piece; `words` has it by word."""
    words: A | None
    alternatives: Sequence[Self]
    """Other answers, the next best first; sampled ones in the order in which they were sampled."""
    likeliest: Sequence[dict[str, float]] = field(default=(), kw_only=True)
    """For each of `token_scores` the most probable tokens, if these were asked for."""

    def __str__(self) -> str:
        return self.text

    @property
    def certainty(self) -> float:
        """The probability of this answer under the model, from 0 to 1."""
        return math.exp(sum(self.token_scores))

    @property
    def title(self) -> list[str]:
        """The texts that were read and written: what stands above its attention weights."""
        return [self.source, self.text]

    def scores_json(self) -> dict[str, Any]:
        """Scores and tokens, and the most probable tokens where they were asked for."""
        found = {"score": self.score, "certainty": self.certainty, "tokens": self.tokens}
        likeliest = {"likeliest": list(self.likeliest)} if self.likeliest else {}
        return {**found, "token_scores": self.token_scores, **likeliest}

    def alternatives_json(self) -> dict[str, Any]:
        others = [{"text": other.text, "score": other.score} for other in self.alternatives]
        return {"alternatives": others} if others else {}

    def plot(self, file: str | Path = "attention.png", *, pieces: bool | None = None) -> Path:
        """Draw the attention weights: .png, .html, .json or .txt."""
        return save(self.weights(pieces=pieces), file, [self.title])

    def weights(self, *, pieces: bool | None = None) -> A:
        """The attention weights, by piece or by word; None: by word, if the answer has several or is a single piece."""
        return self.chosen(pieces)

    def chosen(self, pieces: bool | None) -> A:
        if self.words is None or self.attention is None:
            raise SeqloomError(
                "there is no attention in this answer",
                remedy="use a model with attention, with attention=True, and an answer that is not empty",
            )
        if pieces is None:
            pieces = len(self.words.target) == 1  # 2026-11-16, or Chinese: no spaces between words
        return self.attention if pieces else self.words


def likeliest_tokens(written: DecodedSequence, tokenizer: Tokenizer) -> list[dict[str, float]]:
    """For each token that was written the most probable ones with their log-probabilities."""
    return [{tokenizer.vocabulary[token]: score for token, score in top} for top in written.likeliest if top]
