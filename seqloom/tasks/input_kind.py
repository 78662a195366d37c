"""What a kind of input is: read from a record or from a user, encoded, and the first layer that embeds it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from seqloom.data.padding import truncate
from seqloom.data.record import Place, Record
from seqloom.data.settings import DataConfig
from seqloom.errors import DataError, quoted
from seqloom.models.classifier import Features
from seqloom.models.settings import ModelConfig


class SequenceConfig(Protocol):
    """The settings of a task that reads one sequence."""

    @property
    def data(self) -> DataConfig: ...
    @property
    def model(self) -> ModelConfig: ...


class InputKind(ABC):
    """One kind of input, with what was learned of it from training data."""

    field: ClassVar[str]
    """The column of a record, and the field of a corpus."""

    def __init__(self, config: SequenceConfig) -> None:
        self.data, self.model = config.data, config.model

    @abstractmethod
    def make_embedding(self) -> Features:
        """The embedding of a model, with fresh weights."""

    @abstractmethod
    def whole(self, records: Sequence[Record]) -> list[Sequence[int] | NDArray[np.float32]]:
        """Inputs as token ids or frames, however long they are."""

    def encode(self, records: Sequence[Record]) -> list[Sequence[int] | NDArray[np.float32]]:
        """Inputs as token ids or frames, cut to the longest that the model reads."""
        return list(map(self.cut, self.whole(records)))

    def cut(self, whole: Any) -> Any:
        return truncate(whole, self.model.length, self.model.cut)

    def unseen(self, read: Any) -> float:
        """The fraction of what was read that was not in the training data."""
        return 0.0

    @abstractmethod
    def tensors(self, rows: Sequence[Any], device: torch.device) -> tuple[Tensor, Tensor]:
        """Inputs padded with zeros, (B, T) token ids or (B, T, D) frames, and their lengths (B)."""

    @abstractmethod
    def record(self, given: Any) -> Record:
        """What a user hands to a model."""

    def accept(self, given: Any) -> Any:
        """What a stranger sent as JSON, as `record` takes it; never the name of a file."""
        return given

    @abstractmethod
    def shown(self, record: Record) -> str:
        """An input in an answer."""

    def own_name(self) -> str:
        """What the column was called in the training data."""
        return str(self.data.columns.get(self.field, self.field))


def place_of(given: Any) -> Place:
    """What is not from a file is named by itself."""
    return Place(f"array {given.shape}" if isinstance(given, np.ndarray) else f"input {quoted(given)}")


def cannot_read(given: Any, wanted: str, remedy: str) -> DataError:
    kind = "array" if isinstance(given, np.ndarray) else type(given).__name__
    return DataError(
        f"{'an' if kind[0] in 'aeiou' else 'a'} {kind} where {wanted}", where=str(place_of(given)), remedy=remedy
    )
