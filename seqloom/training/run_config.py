"""A whole configuration: a task, and the sections that say how it is done."""

from __future__ import annotations

from typing import Literal

from seqloom.config import Config
from seqloom.data.settings import DataConfig
from seqloom.models.settings import ModelConfig
from seqloom.tokens.settings import TokenConfig
from seqloom.training.settings import TrainConfig


class RunConfig(Config):
    """Everything that decides a run."""

    task: Literal["classify"] = "classify"
    """What the model does."""
    data: DataConfig = DataConfig()
    """Where the data is and how it is read."""
    tokens: TokenConfig = TokenConfig(kind="word", size=20_000)
    """How text is cut into tokens."""
    model: ModelConfig = ModelConfig()
    """Which architecture, and how large."""
    train: TrainConfig = TrainConfig()
    """How it is trained."""
