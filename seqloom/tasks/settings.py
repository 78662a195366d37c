"""What every task is told: its data, its tokens, its model. Each task has its own defaults, and its own section."""

from __future__ import annotations

from seqloom.config import Config
from seqloom.data.settings import DataConfig
from seqloom.models.settings import ModelConfig
from seqloom.tokens.settings import TokenConfig


class TaskConfig(Config):
    """The part of a configuration that decides what is learned from, and by what."""

    task: str
    """What the model does."""
    data: DataConfig = DataConfig()
    """Where the data is and how it is read."""
    tokens: TokenConfig = TokenConfig()
    """How text is cut into tokens."""
    model: ModelConfig = ModelConfig()
    """Which architecture, and how large."""
