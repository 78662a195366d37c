"""What an exported folder says of itself: `engine.json`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, NonNegativeInt, PositiveInt

from seqloom.config import Config, check
from seqloom.errors import ConfigError, DamagedError
from seqloom.storage import ModelFiles

FILE = "engine.json"
LOGITS, WRITER = "model.onnx", "writer.onnx"
"""Files of ONNX graphs: logits of a whole input, and what writes."""
CRF = "crf.safetensors"
"""The transitions of a tagger that chooses all tags of a sentence together: its graph gives logits alone."""
EngineName = Literal["ctranslate2", "onnx"]
ENGINES: tuple[EngineName, ...] = ("ctranslate2", "onnx")


class EngineMetadata(Config):
    """The engine that runs a folder, and what it must know beside its files."""

    engine: EngineName
    """The engine that runs it."""
    int8: bool = False
    """Whether its weights are integers of 8 bits."""
    shortlist: NonNegativeInt = 0
    """Candidates that each source token has for the target; 0: any token may be written."""
    task: str
    """The task that it was trained for."""
    files: list[str] = Field(min_length=1)
    """The files that are the engine's own."""
    length: int = Field(256, ge=1, le=1_000_000)
    """Tokens that it reads at most, <eos> among them."""
    limit: int = Field(1_000_000, ge=1, le=1_000_000)
    """Tokens that it can write at most."""
    window: NonNegativeInt = 0
    """Of a language model, the tokens that it sees at most; 0: any number."""
    regions: NonNegativeInt = 0
    """Of a model that reads pictures, the regions that it sees each as."""
    picture: list[PositiveInt] = Field(default_factory=list, max_length=6)
    """Rows, columns and colours that pictures are brought to, rows and columns of regions, and the longest caption."""
    reads: Literal["text", "frames", "picture"] = "text"
    """What it reads."""
    made_from: str = ""
    """The folder of the trained model that it was exported from, which can be explained and trained on."""
    mark: str = ""
    """Of the user who exported it, on that folder: a stranger's is not opened."""


def engine_of(files: ModelFiles) -> EngineMetadata | None:
    """What an exported folder says of itself; None for one that is run by torch."""
    if FILE not in files:
        return None
    where = str(files.place / FILE)
    try:
        return check(EngineMetadata, files.json(FILE), where=where)
    except ConfigError as error:
        raise DamagedError(
            "is not what this version of seqloom writes", where=where, remedy="export it again"
        ) from error


def damaged(files: ModelFiles, what: str) -> DamagedError:
    """An exported folder whose parts make no model."""
    return DamagedError(f"{files.place} cannot be used: {' '.join(what.split())[:300]}", remedy="export it again")
