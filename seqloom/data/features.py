"""Feature columns beside the text: numbers as they are, 0 or 1, and categories one-hot.

What is learned, the categories and the scale of the numbers, is learned from training data and nothing else. A
category that is missing, or was never seen in training, is the all-zero vector.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from seqloom.data.record import Record, Value
from seqloom.errors import DataError, quoted, suggestion

LARGEST = float(np.finfo(np.float32).max)
YES_NO = {"1": 1.0, "true": 1.0, "yes": 1.0, "0": 0.0, "false": 0.0, "no": 0.0}


class Features:
    """Columns of a record as one feature vector, in the order numbers, binary, categories.

    >>> from seqloom.data.record import Place
    >>> features = Features(numbers=["age"], categories=["country"])
    >>> _ = features.fit([Record({"age": "35", "country": "CN"}, Place("people.csv", 2))])
    >>> features.names
    ['age', 'country=CN']
    >>> features(Record({"age": "41", "country": "FR"}, Place("people.csv", 3))).tolist()
    [41.0, 0.0]
    """

    def __init__(
        self,
        numbers: Sequence[str] = (),
        binary: Sequence[str] = (),
        categories: Sequence[str] = (),
        *,
        standardise: bool = False,
    ) -> None:
        self.numbers, self.binary, self.standardise = list(numbers), list(binary), standardise
        self.categories: dict[str, list[str]] = {column: [] for column in categories}
        self.scales: dict[str, tuple[float, float]] = dict.fromkeys(numbers, (0.0, 1.0))  # mean, deviation

    def fit(self, records: Iterable[Record]) -> Self:
        """Learn the categories, the most frequent first, and with `standardise` the scale of the numbers."""
        counts: dict[str, Counter[str]] = {column: Counter() for column in self.categories}
        sums = {column: Moments() for column in self.numbers}
        for record in records:
            for column, count in counts.items():
                category = category_of(record.columns.get(column))
                if category is not None:
                    count[category] += 1
            if self.standardise:
                for column, moments in sums.items():
                    moments.add(number_of(record, column))
        self.categories = {column: by_frequency(count) for column, count in counts.items()}
        if self.standardise:
            self.scales = {column: (moments.mean, moments.deviation) for column, moments in sums.items()}
        return self

    def check(self, where: str) -> None:
        """Refuse a column of categories without any: its name was mistyped, or it is empty."""
        for column, known in self.categories.items():
            if not known:
                what = f"no record has a value in column {column!r}"
                raise DataError(what, where=where, remedy="check the names of the feature columns")

    def __call__(self, record: Record) -> NDArray[np.float32]:
        """The feature vector, with an element for each of `names`."""
        vector = []
        for column in self.numbers:
            mean, deviation = self.scales[column]
            vector.append((number_of(record, column) - mean) / deviation)
        vector += [binary_of(record, column) for column in self.binary]
        for column, known in self.categories.items():
            category = category_of(record.columns.get(column))
            vector += [float(category == other) for other in known]
        return np.array(vector, dtype=np.float32)

    @property
    def names(self) -> list[str]:
        one_hot = [f"{column}={category}" for column, known in self.categories.items() for category in known]
        return [*self.numbers, *self.binary, *one_hot]

    def __len__(self) -> int:
        return len(self.names)

    def to_json(self) -> dict[str, Any]:
        """All of it as what JSON can write."""
        scales = {column: list(scale) for column, scale in self.scales.items()}
        return {
            "standardise": self.standardise,
            "numbers": scales,
            "binary": self.binary,
            "categories": self.categories,
        }

    @classmethod
    def from_json(cls, saved: Mapping[str, Any]) -> Self:
        features = cls(list(saved["numbers"]), saved["binary"], standardise=saved["standardise"])
        features.scales = {column: (mean, deviation) for column, (mean, deviation) in saved["numbers"].items()}
        features.categories = {column: list(known) for column, known in saved["categories"].items()}
        return features


class Moments:
    """Mean and standard deviation in one pass, without loss of digits (Welford, 1962)."""

    def __init__(self) -> None:
        self.count, self.mean, self.squares = 0, 0.0, 0.0

    def add(self, value: float) -> None:
        self.count += 1
        step = value - self.mean
        self.mean += step / self.count
        self.squares += step * (value - self.mean)

    @property
    def deviation(self) -> float:
        """1 for a column that never changes: it is centred, and there is nothing to scale."""
        return math.sqrt(self.squares / self.count) if self.squares > 0 else 1.0


def by_frequency(count: Counter[str]) -> list[str]:
    """The most frequent first; of equal ones by name, whatever order the data came in."""
    return sorted(count, key=lambda category: (-count[category], category))


def category_of(value: Value) -> str | None:
    """
    >>> category_of(" FR "), category_of(""), category_of(None), category_of(3)
    ('FR', None, None, '3')
    """
    return str(value).strip() or None if value is not None else None


def number_of(record: Record, column: str, remedy: str = "write a number, or make the column a category") -> float:
    value = record.columns.get(column)
    try:
        number = float(value) if isinstance(value, str | int | float) else math.nan
    except (ValueError, OverflowError):
        number = math.nan
    if not abs(number) <= LARGEST:
        raise not_usable(record, column, "no number", remedy)
    return number


def binary_of(record: Record, column: str) -> float:
    value = record.columns.get(column)
    found = YES_NO.get(str(int(value) if isinstance(value, bool) else value).strip().lower())
    if found is None and isinstance(value, float) and value in (0.0, 1.0):
        found = value
    if found is None:
        raise not_usable(record, column, "neither 0 nor 1", "write 0 or 1, or make the column a category")
    return found


def not_usable(record: Record, column: str, what: str, remedy: str) -> DataError:
    if column not in record.columns:
        what = f"no column is called {column!r}; there are: {', '.join(record.columns)}"
        remedy = f"{suggestion(column, record.columns)}check the names of the feature columns"
        return DataError(what, where=str(record.place), remedy=remedy)
    return DataError(
        f"column {column!r}: {quoted(record.columns[column])} is {what}", where=str(record.place), remedy=remedy
    )
