"""What a classifier learned before its first step, as `config.json` keeps it: the schema that it is held to."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, FiniteFloat, model_validator

from seqloom.config import Config, problem
from seqloom.tasks.facts import Names

Deviation = Annotated[FiniteFloat, Field(gt=0)]


class NumberFacts(Config):
    """The scale of the number that is predicted."""

    mean: FiniteFloat
    deviation: Deviation


class FrameFacts(Config):
    """The scale of each column of frames."""

    mean: list[FiniteFloat] = Field(min_length=1)
    deviation: list[Deviation] = Field(min_length=1)

    @model_validator(mode="after")
    def as_many_deviations_as_means(self) -> Self:
        if len(self.mean) != len(self.deviation):
            raise problem("deviation", f"{len(self.deviation)} for {len(self.mean)} means", remedy="train it again")
        return self


class FeatureFacts(Config):
    """Columns beside the input: the mean and deviation of numbers, and the categories that are known."""

    standardise: bool
    numbers: dict[str, tuple[FiniteFloat, Deviation]]
    binary: list[str]
    categories: dict[str, Names]


class ClassifyFacts(Config):
    """Labels or a scale, and what the inputs need."""

    labels: Names | None = None
    number: NumberFacts | None = None
    frames: FrameFacts | None = None
    features: FeatureFacts | None = None
