"""Decoding options: temperature, top-k, top-p, beam size, length penalty and limits of length."""

from __future__ import annotations

from typing import Self

from pydantic import Field, NonNegativeInt, model_validator

from seqloom.config import Config, problem


class SamplingOptions(Config):
    """How the next token is chosen from the model's distribution."""

    temperature: float = Field(0.0, ge=0, le=100)
    """Sampling temperature: 0 takes the most probable token, 1 samples from the distribution, higher is more random."""
    top_k: int = Field(0, ge=0, le=10_000_000)
    """Sample only from the k most probable tokens; 0: from all."""
    top_p: float = Field(1.0, gt=0, le=1)
    """Nucleus sampling: sample from the most probable tokens with this total probability; 1: from all."""
    seed: NonNegativeInt = 0
    """Random seed of the sampling."""
    likeliest: int = Field(0, ge=0, le=20)
    """Return this many of the most probable tokens at each position, with log-probabilities."""


class DecodingOptions(SamplingOptions):
    """How an answer is decoded: by beam search, or, with a temperature, by sampling."""

    beam: int = Field(4, ge=1, le=100)
    """Beam size; 1 is greedy search."""
    n_best: int = Field(1, ge=1, le=100)
    """Number of answers per input: the best of the beam, or independent samples."""
    early_stopping: bool = True
    """End beam search as soon as `beam` hypotheses are finished; false: once no unfinished one can score better."""
    length_penalty: float = Field(1.0, ge=0, le=10)
    """Exponent of the length normalisation: 0 prefers short answers, higher values longer ones."""
    max_length: int = Field(0, ge=0, le=100_000)
    """Maximum length of an answer in tokens; 0: from the length of the source, see `max_ratio`."""
    max_ratio: float = Field(3.0, gt=0, le=100)
    """Maximum length of an answer: this many tokens per source token, plus 20."""
    min_length: NonNegativeInt = 0
    """Minimum length of an answer in tokens."""
    no_repeat: NonNegativeInt = 0
    """No n-gram of this size occurs twice in an answer; 0: no restriction."""
    prefix: str = Field("", max_length=1_000)
    """Text that every answer starts with."""

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
