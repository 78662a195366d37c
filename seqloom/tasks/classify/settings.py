"""The settings of a classifier."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, FiniteFloat, PositiveInt, model_validator

from seqloom.config import Config, problem
from seqloom.models.settings import ModelConfig
from seqloom.tasks.facts import Deviation, FrameFacts, Names
from seqloom.tasks.settings import TaskConfig
from seqloom.tokens.settings import Kind, TokenConfig

TAKEN = ("text", "frames", "label", "labels")
"""Columns that play a part already."""


class AnswerConfig(Config):
    """What is predicted for a text, and the feature columns next to it: the section [classify]."""

    answer: Literal["label", "labels", "number"] = "label"
    """What is predicted: one label, any number of labels (column `labels`), or a number (regression)."""
    separator: str = Field(",", min_length=1)
    """Separator between several labels in one cell; not needed for lists in JSON."""
    threshold: float = Field(0.5, gt=0, lt=1)
    """Minimum probability of a predicted label when there may be several."""
    numbers: list[str] = Field(default_factory=list)
    """Numeric feature columns in addition to the text."""
    binary: list[str] = Field(default_factory=list)
    """Binary feature columns: 0 or 1, yes or no, true or false."""
    categories: list[str] = Field(default_factory=list)
    """Categorical feature columns (one-hot); missing or unknown values are all zeros."""
    standardise: bool = True
    """Standardise numeric feature columns to mean 0 and standard deviation 1."""

    @property
    def columns(self) -> list[str]:
        return [*self.numbers, *self.binary, *self.categories]

    @model_validator(mode="after")
    def every_column_has_one_part(self) -> Self:
        for place, column in enumerate(self.columns):
            kind = next(kind for kind in ("numbers", "binary", "categories") if column in getattr(self, kind))
            if column in TAKEN:
                raise problem(kind, f"{column} is not a feature column", remedy="name another column")
            if column in self.columns[:place]:
                raise problem(kind, f"{column} is listed twice", remedy="list each column once")
        return self


class ClassifyTokens(TokenConfig):
    """How text is tokenised: the section [tokens] with the defaults of a classifier."""

    kind: Kind = "word"
    """What a token is: word, ngram (words and pairs of words), space (split at spaces), character, bpe or unigram."""
    size: PositiveInt = 20_000


class ClassifyConfig(TaskConfig):
    """The settings of text classification and regression."""

    task: Literal["classify"] = "classify"
    tokens: ClassifyTokens = ClassifyTokens()
    """How text is tokenised."""
    model: ModelConfig = ModelConfig()
    """Which architecture, and how large."""
    classify: AnswerConfig = AnswerConfig()
    """What is predicted, and the feature columns next to the text."""

    @model_validator(mode="after")
    def feature_columns_are_read(self) -> Self:
        """Whoever names columns reads no others: those beside the text are named with them."""
        if self.data.columns:
            columns = {**{column: column for column in self.classify.columns}, **self.data.columns}
            object.__setattr__(self, "data", self.data.model_copy(update={"columns": columns}))
        return self


class NumberFacts(Config):
    """The scale of the number that is predicted."""

    mean: FiniteFloat
    deviation: Deviation


class FeatureFacts(Config):
    """Columns beside the input: the mean and deviation of numbers, and the categories that are known."""

    standardise: bool
    numbers: dict[str, tuple[FiniteFloat, Deviation]]
    binary: list[str]
    categories: dict[str, Names]


class ClassifyFacts(Config):
    """What a classifier learned before its first step: labels or a scale, and what its inputs need."""

    labels: Names | None = None
    number: NumberFacts | None = None
    frames: FrameFacts | None = None
    features: FeatureFacts | None = None
