"""What an exported folder says of itself: `engine.json`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, PositiveInt

from seqloom.config import Config, check
from seqloom.errors import ConfigError, DamagedError
from seqloom.storage import ModelFiles

FILE = "engine.json"
EngineName = Literal["ctranslate2", "onnx"]
ENGINES: tuple[EngineName, ...] = ("ctranslate2", "onnx")


class EngineFacts(Config):
    """The engine that runs a folder, and what it must know beside its files."""

    engine: EngineName
    """The engine that runs it."""
    int8: bool = False
    """Whether its weights are integers of 8 bits."""
    task: str
    """The task that it was trained for."""
    files: list[str] = Field(min_length=1)
    """The files that are the engine's own."""
    length: PositiveInt = 256
    """Tokens that it reads at most, <eos> among them."""
    limit: PositiveInt = 1_000_000
    """Tokens that it can write at most."""
    made_from: str = ""
    """The folder of the trained model that it was exported from, which can be explained and trained on."""


def engine_of(files: ModelFiles) -> EngineFacts | None:
    """What an exported folder says of itself; None for one that is run by torch."""
    if FILE not in files:
        return None
    where = str(files.place / FILE)
    try:
        return check(EngineFacts, files.json(FILE), where=where)
    except ConfigError as error:
        raise DamagedError(
            "is not what this version of seqloom writes", where=where, remedy="export it again"
        ) from error
