"""The section [model] of a configuration."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, PositiveInt, model_validator

from seqloom.config import Config, problem

Pooling = Literal["last", "mean", "max", "attention"]
Norm = Literal["before", "after"]


class ModelConfig(Config):
    """Which architecture, and how large. What an architecture does not have is left unread."""

    name: str = "lstm"
    """The architecture; `seqloom summary` lists them."""
    embedding: PositiveInt = 128
    """Width of a word."""
    one_hot: bool = False
    """Words as one-hot rows instead of embeddings: width is the size of the dictionary, nothing is learned."""
    widths: list[PositiveInt] = Field(default_factory=lambda: [128], min_length=1)
    """Width of each layer, lowest first; a Transformer has as many blocks as there are numbers, all of `embedding`."""
    bidirectional: bool = False
    """Recurrent layers read from both ends; each half has the width stated."""
    heads: PositiveInt = 4
    """Attention heads of a Transformer; they divide `embedding`."""
    hidden: PositiveInt = 512
    """Width of the middle of feed-forward networks and of the MLP."""
    window: PositiveInt = 3
    """Words that a convolution sees at once; odd."""
    pooling: Pooling = "mean"
    """How a sentence becomes one row: its last state, the mean, the maximum, or attention with a learned query."""
    dropout: float = Field(0.1, ge=0, lt=1)
    """Share of entries set to zero while training, on words and between layers."""
    inner_dropout: float = Field(0.0, ge=0, lt=1)
    """The same inside the parts of a Transformer: on the weights of attention, in the middle of its networks."""
    norm: Norm = "before"
    """Where a Transformer's blocks have their norms: before each part and at the end, or after each part (2017)."""
    positions: Literal["learned", "sinusoidal"] = "learned"
    """How a Transformer knows where a word stands: a row for each place up to `length`, or waves."""
    length: PositiveInt = 256
    """Longest sentence, in tokens; longer ones are cut, see `cut`."""
    cut: Literal["first", "last"] = "first"
    """Which tokens of a longer sentence are kept."""
    tied: bool = False
    """A language model scores a word by its own embedding instead of weights apart; needs equal widths."""

    @model_validator(mode="after")
    def heads_divide_the_width(self) -> Self:
        if self.name == "transformer" and not self.one_hot and self.embedding % self.heads:
            raise problem(
                "heads",
                f"{self.heads} heads do not divide a width of {self.embedding}",
                remedy=f"choose a divisor of {self.embedding}, or another model.embedding",
            )
        return self
