"""A record: named values, and the place they came from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Frames: TypeAlias = NDArray[np.float32]
Value: TypeAlias = str | float | list[str] | Frames | bytes | NDArray[np.uint8] | None
"""A text, a number, tokens or tags, frames (T, D), a picture as a file or as pixels; None where a table has a hole."""


class Place(NamedTuple):
    """Where something stands: a file, as the user named it, and a line from 1; no line means the whole file.

    >>> str(Place("train.en.gz", 3)), str(Place("train.en.gz"))
    ('train.en.gz:3', 'train.en.gz')
    """

    file: str
    line: int | None = None

    def __str__(self) -> str:
        return self.file if self.line is None else f"{self.file}:{self.line}"


class Record(NamedTuple):  # tuples: ten million of them are made, and a frozen dataclass takes four times as long
    """One example as it was found."""

    columns: Mapping[str, Value]
    place: Place
