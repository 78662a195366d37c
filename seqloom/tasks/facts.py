"""What tasks learn from training data beside their tokenizers, as JSON: the schemas that they are held to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import AfterValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from seqloom.config import Config


class AnyFacts(Config):
    """Facts of a task that says nothing of them."""

    model_config = ConfigDict(extra="allow")


class NoFacts(Config):
    """Of a task that learns nothing but its tokenizers."""


def all_different(names: Sequence[str]) -> Sequence[str]:
    if len(set(names)) < len(names):
        raise PydanticCustomError("twice", "a name stands there twice")
    return names


Names = Annotated[list[str], Field(min_length=1), AfterValidator(all_different)]
"""Labels, tags, categories: each once."""
