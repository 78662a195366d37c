"""Decoding options: temperature, top-k, top-p, beam size, length penalty and limits of length."""

from __future__ import annotations

from typing import Self

from pydantic import Field, NonNegativeInt, model_validator

from seqloom.config import Config, problem


class SamplingOptions(Config):
    """How the next token is chosen from the model's distribution."""

    temperature: float = Field(0.0, ge=0, le=100)
    """0 takes the most probable token; 1 samples from the model's distribution; above is more random, below less."""
    top_k: int = Field(0, ge=0, le=10_000_000)
    """Sample from the k most probable tokens only; 0 for all."""
    top_p: float = Field(1.0, gt=0, le=1)
    """Sample from the most probable tokens that together have this probability (nucleus sampling); 1 for all."""
    seed: NonNegativeInt = 0
    """Seed of sampling: the same seed, the same text."""
    likeliest: int = Field(0, ge=0, le=20)
    """For each token written, return so many of the most probable tokens with their log-probabilities."""


class DecodingOptions(SamplingOptions):
    """How an answer is decoded: by beam search, or, with a temperature, by sampling."""

    beam: int = Field(4, ge=1, le=100)
    """Beam size: hypotheses that are followed side by side; 1 is greedy search."""
    n_best: int = Field(1, ge=1, le=100)
    """Answers for each input: of beam search the best first, else as they are sampled."""
    early_stopping: bool = True
    """Beam search ends once `beam` answers have ended; false: once nothing that goes on can become better than them."""
    length_penalty: float = Field(1.0, ge=0, le=10)
    """0 prefers short answers; 1 divides by a length; above, longer ones."""
    max_length: int = Field(0, ge=0, le=100_000)
    """Tokens of an answer at most; 0: by the length of the source, see `max_ratio`."""
    max_ratio: float = Field(3.0, gt=0, le=100)
    """Tokens of an answer at most for each token of the source, and twenty more."""
    min_length: NonNegativeInt = 0
    """Tokens of an answer at least."""
    no_repeat: NonNegativeInt = 0
    """No n-gram of so many tokens comes twice in an answer; 0 for any."""
    prefix: str = Field("", max_length=1_000)
    """What every answer begins with."""

    @model_validator(mode="after")
    def beam_holds_the_answers(self) -> Self:
        if not self.temperature and self.n_best > self.beam:
            raise problem("n_best", f"{self.n_best} answers from a beam of {self.beam}", remedy="widen beam to n_best")
        return self

    @property
    def sequences(self) -> int:
        """Sequences that are decoded side by side for one input: the beam, or the samples."""
        return self.n_best if self.temperature else max(self.beam, self.n_best)

    def limit(self, source: int) -> int:
        """The maximum length of an answer to so many tokens."""
        return self.max_length or self.usual(source)

    def usual(self, source: int) -> int:
        """The length from which on an answer is taken to go on for ever."""
        return int(source * self.max_ratio) + 20
