"""What tasks learn from training data beside their tokenizers, as JSON: the schemas that they are held to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Self

from pydantic import AfterValidator, ConfigDict, Field, FiniteFloat, model_validator
from pydantic_core import PydanticCustomError

from seqloom.config import Config, problem


class AnyFacts(Config):
    """Facts of a task that says nothing of them."""

    model_config = ConfigDict(extra="allow")


class NoFacts(Config):
    """Of a task that learns nothing but its tokenizers."""


def all_different(names: Sequence[str]) -> Sequence[str]:
    if len(set(names)) < len(names):
        raise PydanticCustomError("twice", "a name occurs twice")
    return names


Names = Annotated[list[str], Field(min_length=1), AfterValidator(all_different)]
"""Labels, tags, categories: each once."""

Deviation = Annotated[FiniteFloat, Field(gt=0)]


class FrameFacts(Config):
    """The scale of each column of frames."""

    mean: list[FiniteFloat] = Field(min_length=1)
    deviation: list[Deviation] = Field(min_length=1)

    @model_validator(mode="after")
    def as_many_deviations_as_means(self) -> Self:
        if len(self.mean) != len(self.deviation):
            raise problem("deviation", f"{len(self.deviation)} for {len(self.mean)} means", remedy="train it again")
        return self
