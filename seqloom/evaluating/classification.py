"""Classification metrics: accuracy, F1 and the confusion matrix."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seqloom.errors import DataError


@dataclass(frozen=True)
class ConfusionMatrix:
    """Counts of true label (row) against predicted label (column)."""

    labels: Sequence[str]
    confusion: NDArray[np.int64]

    @classmethod
    def of(cls, labels: Sequence[str], true: Sequence[int], predicted: Sequence[int]) -> ConfusionMatrix:
        """From pairs of label ids."""
        confusion = np.zeros((len(labels), len(labels)), np.int64)
        np.add.at(confusion, (np.asarray(true, np.int64), np.asarray(predicted, np.int64)), 1)
        return cls(labels, confusion)

    @property
    def accuracy(self) -> float:
        """The share that is right."""
        return float(np.trace(self.confusion) / max(self.confusion.sum(), 1))

    @property
    def f1(self) -> NDArray[np.float64]:
        """F1 of each label: 2 right / (2 right + wrongly given + missed); 0 for one that never occurs."""
        right = np.diag(self.confusion)
        given_or_there = self.confusion.sum(0) + self.confusion.sum(1)
        f1: NDArray[np.float64] = 2 * right / np.maximum(given_or_there, 1)
        return f1

    @property
    def macro_f1(self) -> float:
        """The mean of F1 over the labels that occur."""
        occur = self.confusion.sum(1) > 0
        return float(self.f1[occur].mean()) if occur.any() else 0.0

    def metrics(self) -> dict[str, float]:
        return {"accuracy": self.accuracy, "f1": self.macro_f1}


def check_same_length(predicted: Sized, true: Sized, what: str = "predictions") -> None:
    """Refuse lists that do not go together."""
    if len(predicted) != len(true):
        raise DataError(
            f"{len(predicted)} {what} for {len(true)} right answers", remedy="give one for each, in the same order"
        )
    if not len(true):
        raise DataError(f"no {what} to measure", remedy="give at least one")


def f1_score(right: int, given: int, there: int) -> float:
    """2 right / (given + there); 0 where there is nothing of either."""
    return 2 * right / max(given + there, 1)
