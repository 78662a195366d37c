"""The settings that every task has, [data] and [tokens]. Each adds a [model] of its kind, and its own section."""

from __future__ import annotations

from typing import Self

from pydantic import model_validator

from seqloom.config import Config
from seqloom.data.settings import DataConfig
from seqloom.models.registry import names
from seqloom.models.settings import blamed
from seqloom.tokens.settings import TokenConfig


class TaskConfig(Config):
    """The part of a configuration that decides what is learned from, and by what."""

    task: str
    """The task."""
    data: DataConfig = DataConfig()
    """Where the data is, and how it is read and split."""
    tokens: TokenConfig = TokenConfig()
    """How text is tokenised."""

    @model_validator(mode="after")
    def architecture_serves_the_task(self) -> Self:
        name = getattr(getattr(self, "model", None), "name", None)  # each task has settings of its kind
        if name is not None and (":" not in self.task or names(self.task)):  # often none for one of another package
            blamed("model.name", name, self.task)
        return self
