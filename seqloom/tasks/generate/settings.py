"""The settings of a language model."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, NonNegativeInt, PositiveInt, model_validator

from seqloom.config import Config
from seqloom.data.settings import CutFrom, DataConfig
from seqloom.decoding.settings import SamplingOptions
from seqloom.models.settings import ModelConfig
from seqloom.tasks.settings import TaskConfig
from seqloom.tokens.settings import Kind, TokenConfig, written_one_by_one


class GenerateSettings(Config):
    """What is learned from a text: the section [generate]."""

    objective: Literal["next", "masked"] = "next"
    """next: each token from those before it. masked: masked tokens, from those on both sides (BERT)."""
    stride: NonNegativeInt = 0
    """Tokens between the starts of two segments of `model.length`; 0: side by side, shifted anew in every epoch."""


class TextData(DataConfig):
    """Data that is one long text."""

    cut_from: CutFrom = "end"


class TextTokens(TokenConfig):
    """Tokens to write with."""

    kind: Kind = "character"

    @model_validator(mode="after")
    def tokens_can_be_written(self) -> Self:
        return written_one_by_one(self)


class WriterModel(ModelConfig):
    """A model that writes; `length` is that of the segments it learns from."""

    widths: list[PositiveInt] = Field(default_factory=lambda: [256, 256], min_length=1)
    length: PositiveInt = 128


class GenerateConfig(TaskConfig):
    """A text, and what comes next in it."""

    task: Literal["generate"] = "generate"
    data: TextData = TextData()
    """Where the text is and how it is read."""
    tokens: TextTokens = TextTokens()
    """How text is cut into tokens."""
    model: WriterModel = WriterModel()
    """Which architecture, and how large."""
    generate: GenerateSettings = GenerateSettings()
    """What is learned from the text."""


class GenerateOptions(SamplingOptions):
    """How a text is written on, or its blanks are filled."""

    temperature: float = Field(0.8, ge=0, le=100)
    """0 takes the best token; 1 samples from the model's probabilities; above, more daring, below, more careful."""
    length: PositiveInt = 200
    """Tokens to write at most."""
    lines: NonNegativeInt = 0
    """Stop at the end of so many lines; 0: write `length` tokens."""
    candidates: PositiveInt = 5
    """Tokens listed for each blank that a masked model fills."""
