"""Bootstrap: confidence intervals of a metric, and significance tests of two systems on the same sentences.

A metric is given by counts for each sentence and a function of their sums, so that a thousand draws are one
product of matrices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from seqloom.errors import DataError
from seqloom.evaluating import bleu

Array = NDArray[np.float64]

AT_ONCE = 4_000_000
"""Draws (resamples times sentences) that are held in memory together."""


@dataclass(frozen=True)
class CountedMetric:
    """A metric of a corpus: counts of each sentence (B, C), and `compute` from their sums (..., C) to values (...)."""

    counts: Array
    compute: Callable[[Array], Array]

    def __post_init__(self) -> None:
        if not len(self.counts):
            raise DataError("no sentences to measure", remedy="give at least one")

    @property
    def value(self) -> float:
        """The metric of all sentences together."""
        return float(self.compute(self.counts.sum(0)))

    def only(self, rows: NDArray[np.bool_]) -> CountedMetric:
        return CountedMetric(self.counts[rows], self.compute)


def mean_metric(values: Sequence[float]) -> CountedMetric:
    """A metric that is a mean over sentences: right or wrong, a loss, a score."""
    return CountedMetric(np.column_stack([values, np.ones(len(values))]), ratio)


def f1_metric(found: Iterable[tuple[int, int, int]]) -> CountedMetric:
    """F1 of everything counted together, from (right, given, there) of each sentence."""
    counts = [[2 * right, given + there] for right, given, there in found]
    return CountedMetric(np.array(counts, np.float64), ratio)


def bleu_from_counts(
    hypotheses: Sequence[str], references: bleu.References, language: str = "", *, cased: bool = True
) -> CountedMetric:
    """BLEU from the counts of n-grams that sacrebleu makes of each sentence."""
    metric = bleu.metric_for(language, cased=cased)
    return CountedMetric(bleu.bleu_counts(hypotheses, references, metric), bleu.bleu_of_counts)


def ratio(sums: Array) -> Array:
    rate: Array = sums[..., 0] / np.maximum(sums[..., 1], 1)
    return rate


# --- one system ---------------------------------------------------------------------------------


class ConfidenceInterval(NamedTuple):
    """The value of a metric and its confidence interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.4g} ({self.low:.4g} to {self.high:.4g})"


def interval(
    counted: CountedMetric, resamples: int = 1000, seed: int = 0, confidence: float = 0.95
) -> ConfidenceInterval:
    """The value with its bootstrap interval (Efron, 1979): percentiles over sentences drawn with replacement."""
    values = counted.compute(np.concatenate([draw @ counted.counts for draw in draws(counted, resamples, seed)]))
    return between(counted.value, values, confidence)


def between(value: float, values: Array, confidence: float) -> ConfidenceInterval:
    low, high = np.quantile(values, [(1 - confidence) / 2, (1 + confidence) / 2])
    return ConfidenceInterval(value, float(low), float(high))


def draws(counted: CountedMetric, resamples: int, seed: int) -> Iterator[Array]:
    """How often each sentence is drawn in each resample: parts of (R, B), every row sums to B."""
    generator = np.random.default_rng(seed)
    count = len(counted.counts)
    for rows in parts(resamples, count):
        drawn = generator.integers(0, count, (rows, count)) + count * np.arange(rows)[:, None]
        yield np.bincount(drawn.ravel(), minlength=rows * count).reshape(rows, count).astype(np.float64)


def parts(resamples: int, count: int) -> Iterator[int]:
    """Resamples in parts that fit in memory."""
    most = max(1, AT_ONCE // count)
    for first in range(0, resamples, most):
        yield min(most, resamples - first)


# --- two systems --------------------------------------------------------------------------------


@dataclass(frozen=True)
class SystemComparison:
    """Two systems on the same sentences."""

    first: float
    second: float
    difference: ConfidenceInterval
    """Second minus first."""
    bootstrap_p: float
    """The share of draws in which the system that is ahead is not (Koehn, 2004); one-sided."""
    randomisation_p: float
    """How often systems with answers swapped at random differ as much (Riezler & Maxwell, 2005); two-sided."""

    def json(self) -> dict[str, Any]:
        return {
            "first": self.first,
            "second": self.second,
            "difference": self.difference._asdict(),
            "bootstrap_p": self.bootstrap_p,
            "randomisation_p": self.randomisation_p,
        }

    def rows(self) -> list[tuple[str, ...]]:
        """For a table: name, value."""
        return [
            ("first", f"{self.first:.4g}"),
            ("second", f"{self.second:.4g}"),
            ("difference", str(self.difference)),
            ("p, paired bootstrap", f"{self.bootstrap_p:.3g}"),
            ("p, approximate randomisation", f"{self.randomisation_p:.3g}"),
        ]


def compare(
    first: CountedMetric, second: CountedMetric, resamples: int = 1000, seed: int = 0, confidence: float = 0.95
) -> SystemComparison:
    """Whether two systems differ by more than chance: the same metric of both, sentence by sentence."""
    if first.counts.shape != second.counts.shape:
        raise DataError(
            f"{len(first.counts)} sentences against {len(second.counts)}",
            remedy="compare two systems on the same sentences and by the same metric",
        )
    drawn = [
        second.compute(draw @ second.counts) - first.compute(draw @ first.counts)
        for draw in draws(first, resamples, seed)
    ]
    differences = np.concatenate(drawn)
    apart = second.value - first.value
    not_ahead = int((differences * np.sign(apart) <= 0).sum())
    return SystemComparison(
        first.value,
        second.value,
        between(apart, differences, confidence),
        bootstrap_p=(not_ahead + 1) / (resamples + 1),
        randomisation_p=randomisation(first, second, resamples, seed),
    )


def randomisation(first: CountedMetric, second: CountedMetric, resamples: int, seed: int) -> float:
    """The share of random swaps after which the systems are at least as far apart as they are."""
    generator = np.random.default_rng(seed)
    moved = second.counts - first.counts
    apart = abs(second.value - first.value)
    as_far = 0
    for rows in parts(resamples, len(moved)):
        swapped = generator.integers(0, 2, (rows, len(moved))).astype(np.float64) @ moved
        one, other = first.counts.sum(0) + swapped, second.counts.sum(0) - swapped
        as_far += int((np.abs(second.compute(other) - first.compute(one)) >= apart - 1e-12).sum())
    return (as_far + 1) / (resamples + 1)
