"""What a kind of answer is: learned from data, kept as numbers, scored by a model, said to a person."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from seqloom.data.record import Record
from seqloom.errors import DataError
from seqloom.tasks.asking import Answer
from seqloom.tasks.classify.settings import ClassifyConfig
from seqloom.tasks.task import Facts, Findings


class Learner(Protocol):
    """Looks at every record of training data once."""

    def __init__(self, config: ClassifyConfig) -> None: ...

    def add(self, record: Record) -> None: ...

    def facts(self, where: str) -> dict[str, Any]:
        """What was learned, as plain JSON; `where` names the data if nothing can be learned from it."""
        ...


class Answers(ABC):
    """One kind of answer, with what was learned of it from training data."""

    Learner: ClassVar[type[Learner]]

    def __init__(self, config: ClassifyConfig, facts: Facts) -> None:
        self.config = config

    scores: int
    """Numbers that a model gives for an input."""

    @abstractmethod
    def encode(self, record: Record) -> Sequence[int] | NDArray[np.float32]:
        """The right answer of a record, as it is kept on disk."""

    @abstractmethod
    def targets(self, rows: Sequence[NDArray[Any]], device: torch.device) -> Tensor:
        """Right answers from disk, side by side: one row or one number for each."""

    @abstractmethod
    def loss(self, scores: Tensor, targets: Tensor, smoothing: float = 0.0) -> Tensor:
        """Summed over a batch: scores (B, V)."""

    @abstractmethod
    def choices(self, scores: Tensor) -> Tensor | None:
        """The scores (B, V) of a batch, one row for each choice that is made; None where none is."""

    @abstractmethod
    def say(self, text: str, scores: Tensor) -> Answer:
        """The answer that the scores (V) of one input give."""

    @abstractmethod
    def decided(self, scores: Tensor) -> list[Any]:
        """Of each row (B, V), what will be held against `right`."""

    @abstractmethod
    def right(self, targets: Tensor) -> list[Any]: ...

    @abstractmethod
    def findings(self, right: list[Any], decided: list[Any], loss: float) -> Findings:
        """How good the answers are; `loss` is the mean."""


def column_of(record: Record) -> str:
    """The column that holds the right answer."""
    return "labels" if "labels" in record.columns else "label"


def label_of(record: Record) -> str:
    """The one label of a record."""
    column = column_of(record)
    value = record.columns.get(column)
    if isinstance(value, str | float | int) and str(value).strip():
        return str(value)
    remedy = "give one, or say classify.answer=labels if a text may have several, or none"
    raise DataError(f"column {column!r}: {value!r:.30} is not one label", where=str(record.place), remedy=remedy)


def never_seen(label: str, known: Sequence[str], record: Record) -> DataError:
    return DataError(
        f"the label {label!r} was never seen in training",
        where=str(record.place),
        remedy=f"mend it, or train with examples of it; known: {', '.join(known[:10])}",
    )
