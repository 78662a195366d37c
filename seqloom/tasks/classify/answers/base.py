"""What a kind of answer is: its labels learned from data, its targets, its loss, its metrics."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from seqloom.data.record import Record
from seqloom.errors import DamagedError, DataError, quoted, suggestion
from seqloom.tasks.classify.settings import ClassifyConfig
from seqloom.tasks.notebook import ShownInNotebook
from seqloom.tasks.task import Evaluation, Facts


@dataclass(frozen=True, kw_only=True)
class ReadText(ShownInNotebook):
    """What of an input a model has read: part of every answer."""

    cut: Literal["", "first", "last"] = ""
    """Which tokens were read of an input that is longer than the model reads; empty: all."""
    unseen: float = 0.0
    """The fraction of the tokens read that were not in the training data."""

    def read(self) -> dict[str, Any]:
        """What of this is worth telling, for `json`."""
        return {**({"unseen": self.unseen} if self.unseen else {}), **({"cut": True} if self.cut else {})}


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

    @classmethod
    def labels_in(cls, config: ClassifyConfig) -> Callable[[Record], Sequence[str]] | None:
        """How to find the labels of a record; None where there are none."""
        return None

    labels: Sequence[str] = ()
    """That there are, by id; empty for numbers."""
    outputs: int
    """Logits that a model gives for an input."""

    @abstractmethod
    def encode(self, record: Record) -> Sequence[int] | NDArray[np.float32]:
        """The right answer of a record, as it is kept on disk."""

    @abstractmethod
    def targets(self, rows: Sequence[NDArray[Any]], device: torch.device) -> Tensor:
        """Right answers from disk as a tensor (B) or (B, V)."""

    @abstractmethod
    def loss(self, logits: Tensor, targets: Tensor, smoothing: float = 0.0) -> Tensor:
        """The loss of logits (B, V), summed over the batch."""

    @abstractmethod
    def class_logits(self, logits: Tensor) -> Tensor | None:
        """Logits (B, V) as those of one classification each (R, classes); None for a regression."""

    @abstractmethod
    def answer(self, text: str, logits: Tensor) -> Any:
        """The answer that the logits (V) of one input give."""

    @abstractmethod
    def explained(self, logits: Tensor) -> tuple[list[str], Callable[[Tensor], Tensor]]:
        """What the logits (V) of one input say, and how it is scored: logits (B, V) -> (B, K), log-odds or numbers."""

    @abstractmethod
    def predicted(self, logits: Tensor) -> list[Any]:
        """The predictions of a batch from its logits (B, V), to be compared with `expected`."""

    def confidence(self, logits: Tensor) -> list[float]:
        """The probability of each prediction of a batch; none where there is no such number."""
        return []

    @abstractmethod
    def expected(self, targets: Tensor) -> list[Any]:
        """The right answers of a batch, in the form of `predicted`."""

    @abstractmethod
    def named(self, answer: Any) -> str:
        """One of `predicted` or `expected`, as it is read."""

    @abstractmethod
    def evaluation(self, expected: list[Any], predicted: list[Any], loss: float) -> Evaluation:
        """The metrics of predictions; `loss` is the mean."""


def learned(facts: Facts, name: str) -> Any:
    """What the kind of answer needs of what was learned."""
    if facts.get(name) is None:
        raise DamagedError(f"the model has no {name}, which its answers need", remedy="train it again")
    return facts[name]


def column_of(record: Record) -> str:
    """The column that holds the right answer."""
    return "labels" if "labels" in record.columns else "label"


def label_of(record: Record) -> str:
    """The one label of a record."""
    column = column_of(record)
    value = record.columns.get(column)
    if isinstance(value, str | float | int) and str(value).strip():
        return str(value)
    remedy = "give one, or set classify.answer=labels if a text may have several, or none"
    raise DataError(f"column {column!r}: {quoted(value)} is not one label", where=str(record.place), remedy=remedy)


def never_seen(label: str, known: Sequence[str], record: Record) -> DataError:
    return DataError(
        f"the label {quoted(label)} was never seen in training",
        where=str(record.place),
        remedy=f"{suggestion(label, known)}fix it, or train with examples of it; known: {', '.join(known[:10])}",
    )
