"""The settings of a classifier."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, PositiveInt, model_validator

from seqloom.config import Config, problem
from seqloom.models.settings import ModelConfig
from seqloom.tasks.settings import TaskConfig
from seqloom.tokens.settings import Kind, TokenConfig

TAKEN = ("text", "frames", "label", "labels")
"""Columns that play a part already."""


class AnswerConfig(Config):
    """The section [classify]: what is said of a text, and what is known beside it."""

    answer: Literal["label", "labels", "number"] = "label"
    """What is said: one label, several labels or none (column `labels`), or a number."""
    separator: str = Field(",", min_length=1)
    """What stands between several labels in one cell; a list in JSON needs none."""
    threshold: float = Field(0.5, gt=0, lt=1)
    """Of several labels, those are given whose probability is this at least."""
    numbers: list[str] = Field(default_factory=list)
    """Columns beside the text that hold numbers."""
    binary: list[str] = Field(default_factory=list)
    """Columns beside the text that hold 0 or 1, yes or no, true or false."""
    categories: list[str] = Field(default_factory=list)
    """Columns beside the text that hold one of a few words; missing or unknown ones are all zeros."""
    standardise: bool = True
    """Numbers beside the text get mean 0 and deviation 1, as in training data; false: they are read as they are."""

    @property
    def columns(self) -> list[str]:
        return [*self.numbers, *self.binary, *self.categories]

    @model_validator(mode="after")
    def every_column_has_one_part(self) -> Self:
        for place, column in enumerate(self.columns):
            kind = next(kind for kind in ("numbers", "binary", "categories") if column in getattr(self, kind))
            if column in TAKEN:
                raise problem(kind, f"{column} is no column beside the text", remedy="name another column")
            if column in self.columns[:place]:
                raise problem(kind, f"{column} is named twice", remedy="name each column once")
        return self


class ClassifyTokens(TokenConfig):
    """How text is cut: the section [tokens] with the defaults of a classifier."""

    kind: Kind = "word"
    """What a token is: a word, words and their pairs (ngram), what stands between spaces, a character, a subword."""
    size: PositiveInt = 20_000
    """Size of the vocabulary at most, with the four special ones and, for parts of words, the 256 bytes."""


class ClassifyConfig(TaskConfig):
    """A text and what it is."""

    task: Literal["classify"] = "classify"
    tokens: ClassifyTokens = ClassifyTokens()
    """How text is cut into tokens."""
    model: ModelConfig = ModelConfig()
    """Which architecture, and how large."""
    classify: AnswerConfig = AnswerConfig()
    """What is said of a text, and what is known beside it."""

    @model_validator(mode="after")
    def feature_columns_are_read(self) -> Self:
        """Whoever names columns reads no others: those beside the text are named with them."""
        if self.data.columns:
            columns = {**{column: column for column in self.classify.columns}, **self.data.columns}
            object.__setattr__(self, "data", self.data.model_copy(update={"columns": columns}))
        return self
