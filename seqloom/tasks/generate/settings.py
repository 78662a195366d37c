"""The settings of a language model."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, NonNegativeInt, PositiveInt, model_validator

from seqloom.config import Config
from seqloom.data.settings import CutFrom, DataConfig
from seqloom.models.settings import ModelConfig
from seqloom.tasks.settings import TaskConfig
from seqloom.tokens.settings import Kind, TokenConfig, written_one_by_one


class GenerateSettings(Config):
    """The training objective of a language model: the section [generate]."""

    objective: Literal["next", "masked"] = "next"
    """next: predict the next token; masked: predict masked tokens from both sides (BERT)."""
    mask_rate: float = Field(0.15, gt=0, lt=1)
    """Fraction of tokens that a masked model predicts; small models profit from more than the 0.15 of BERT."""
    stride: NonNegativeInt = 0
    """Tokens between the starts of consecutive segments of `model.length`; 0: no overlap, shifted in every epoch."""


class TextData(DataConfig):
    """Data that is one long text."""

    cut_from: CutFrom = "end"


class TextTokens(TokenConfig):
    """How text is tokenised: the section [tokens] with the defaults of a language model."""

    kind: Kind = "character"

    @model_validator(mode="after")
    def tokens_can_be_written(self) -> Self:
        return written_one_by_one(self)


class WriterModel(ModelConfig):
    """A language model; `length` is that of the segments it is trained on."""

    widths: list[PositiveInt] = Field(default_factory=lambda: [256, 256], min_length=1)
    length: PositiveInt = 128


class GenerateConfig(TaskConfig):
    """The settings of language modelling."""

    task: Literal["generate"] = "generate"
    data: TextData = TextData()
    """Where the text is and how it is read."""
    tokens: TextTokens = TextTokens()
    """How text is tokenised."""
    model: WriterModel = WriterModel()
    """Which architecture, and how large."""
    generate: GenerateSettings = GenerateSettings()
    """The training objective."""
