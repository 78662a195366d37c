"""Multi-label metrics: micro and macro F1, exact match, counts by label."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqloom.evaluating.classification import check_same_length, f1_score


@dataclass(frozen=True)
class MultilabelMetrics:
    """Counts over texts that each have a set of labels, which may be empty."""

    labels: Sequence[str]
    right: NDArray[np.int64]
    """Of each label, how often it was given where it is there."""
    given: NDArray[np.int64]
    there: NDArray[np.int64]
    exact: int
    """Texts whose whole set is right."""
    texts: int

    @classmethod
    def of(
        cls, labels: Sequence[str], true: Sequence[Collection[int]], predicted: Sequence[Collection[int]]
    ) -> MultilabelMetrics:
        """From sets of label ids; one that stands twice in a set counts once."""
        check_same_length(predicted, true)
        right, given, there = np.zeros((3, len(labels)), np.int64)
        exact = 0
        for truth, guess in zip(map(set, true), map(set, predicted), strict=True):
            for counts, numbers in ((right, truth & guess), (given, guess), (there, truth)):
                counts[list(numbers)] += 1
            exact += truth == guess
        return cls(labels, right, given, there, exact, len(true))

    @property
    def f1(self) -> NDArray[np.float64]:
        """F1 of each label; 0 for one that never occurs."""
        f1: NDArray[np.float64] = 2 * self.right / np.maximum(self.given + self.there, 1)
        return f1

    @property
    def micro_f1(self) -> float:
        """F1 of all labels counted together: frequent ones weigh more."""
        return f1_score(int(self.right.sum()), int(self.given.sum()), int(self.there.sum()))

    @property
    def macro_f1(self) -> float:
        """The mean of F1 over the labels that occur: rare ones weigh the same."""
        occur = self.there > 0
        return float(self.f1[occur].mean()) if occur.any() else 0.0

    @property
    def exact_match(self) -> float:
        """The share of texts whose whole set is right."""
        return self.exact / self.texts

    def metrics(self) -> dict[str, float]:
        return {"f1": self.micro_f1, "macro_f1": self.macro_f1, "exact": self.exact_match}

    def json(self) -> dict[str, Any]:
        columns = zip(self.labels, self.right.tolist(), self.given.tolist(), self.there.tolist(), strict=True)
        by_label = {label: {"right": r, "given": g, "there": t} for label, r, g, t in columns}
        return {**self.metrics(), "texts": self.texts, "labels": by_label}

    def rows(self) -> list[tuple[str, ...]]:
        """For a table: label, F1, right, given, there."""
        return [
            (label, f"{f1:.3f}", str(right), str(given), str(there))
            for label, f1, right, given, there in zip(
                self.labels, self.f1, self.right, self.given, self.there, strict=True
            )
        ]
