"""Accuracy, F1 and confusion of labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Classified:
    """Counts of true label (row) against predicted label (column)."""

    labels: Sequence[str]
    confusion: NDArray[np.int64]

    @classmethod
    def of(cls, labels: Sequence[str], true: Sequence[int], predicted: Sequence[int]) -> Classified:
        """From pairs of label numbers."""
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

    def figures(self) -> dict[str, float]:
        return {"accuracy": self.accuracy, "f1": self.macro_f1}
