"""The settings of a classifier."""

from __future__ import annotations

from typing import Literal

from seqloom.tasks.settings import TaskConfig
from seqloom.tokens.settings import TokenConfig


class ClassifyConfig(TaskConfig):
    """A text and what it is."""

    task: Literal["classify"] = "classify"
    tokens: TokenConfig = TokenConfig(kind="word", size=20_000)
