"""Regression metrics: mean absolute and squared error, R², correlation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqloom.errors import DataError
from seqloom.evaluating.classification import check_same_length


@dataclass(frozen=True)
class RegressionMetrics:
    """Metrics that are not defined, as the correlation with a constant, are NaN."""

    mae: float
    """The mean distance."""
    rmse: float
    """The root of the mean squared distance: large errors weigh more."""
    r2: float
    """1 - squared distance / squared distance of the mean: 1 is perfect, 0 no better than the mean."""
    pearson: float
    spearman: float
    """Pearson's correlation of the ranks."""
    count: int

    @classmethod
    def of(cls, true: Sequence[float], predicted: Sequence[float]) -> RegressionMetrics:
        """From pairs of numbers."""
        check_same_length(predicted, true)
        y, guess = np.asarray(true, np.float64), np.asarray(predicted, np.float64)
        for name, numbers in (("true number", y), ("prediction", guess)):
            if not np.isfinite(numbers).all():
                place = int(np.flatnonzero(~np.isfinite(numbers))[0])
                raise DataError(f"{name} {place + 1} is {numbers[place]}", remedy="give finite numbers")
        off = guess - y
        spread = float(((y - y.mean()) ** 2).sum()) if np.ptp(y) else 0.0
        return cls(
            mae=float(np.abs(off).mean()),
            rmse=float(np.sqrt((off**2).mean())),
            r2=1 - float((off**2).sum()) / spread if spread else math.nan,
            pearson=pearson(y, guess),
            spearman=pearson(ranks(y), ranks(guess)),
            count=len(y),
        )

    def metrics(self) -> dict[str, float]:
        """Those that are defined."""
        values = {
            "mae": self.mae,
            "rmse": self.rmse,
            "r2": self.r2,
            "pearson": self.pearson,
            "spearman": self.spearman,
        }
        return {name: value for name, value in values.items() if not math.isnan(value)}

    def json(self) -> dict[str, Any]:
        return {**self.metrics(), "count": self.count}

    def rows(self) -> list[tuple[str, ...]]:
        """For a table: name, value."""
        return [(name, f"{value:.4f}") for name, value in self.metrics().items()]


def pearson(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """The correlation of two rows of numbers; NaN if one of them is constant."""
    if not np.ptp(x) or not np.ptp(y):
        return math.nan
    x, y = x - x.mean(), y - y.mean()
    together = float(x @ y) / math.sqrt(float(x @ x) * float(y @ y))
    return min(1.0, max(-1.0, together))


def ranks(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """The place of each number in their order, from 1; equal numbers share the mean of their places.

    >>> ranks(np.array([5.0, 3.0, 5.0, 9.0])).tolist()
    [2.5, 1.0, 2.5, 4.0]
    """
    _, which, counts = np.unique(numbers, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    shared: NDArray[np.float64] = (last - (counts - 1) / 2)[which]
    return shared
