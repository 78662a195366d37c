"""How sure a figure is: the same measure on sentences drawn again, and two systems on the same draws.

A measure is given by counts for each sentence and a function of their sums, so that a thousand draws are one
product of matrices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
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
class Counted:
    """A measure on sentences: counts (B, C), and what figure sums of them (..., C) give (...)."""

    counts: Array
    figure: Callable[[Array], Array]

    def __post_init__(self) -> None:
        if not len(self.counts):
            raise DataError("no sentences to measure", remedy="give one at least")

    @property
    def value(self) -> float:
        """The figure of all sentences together."""
        return float(self.figure(self.counts.sum(0)))

    def only(self, rows: NDArray[np.bool_]) -> Counted:
        return Counted(self.counts[rows], self.figure)


def counted_mean(values: Sequence[float]) -> Counted:
    """A figure that is a mean over sentences: right or wrong, a loss, a score."""
    return Counted(np.column_stack([values, np.ones(len(values))]), ratio)


def counted_bleu(
    hypotheses: Sequence[str], references: bleu.References, language: str = "", *, cased: bool = True
) -> Counted:
    """BLEU from the counts of n-grams that sacrebleu makes of each sentence."""
    metric = bleu.metric_for(language, cased=cased)
    return Counted(bleu.bleu_counts(hypotheses, references, metric), bleu.bleu_of_counts)


def ratio(sums: Array) -> Array:
    rate: Array = sums[..., 0] / np.maximum(sums[..., 1], 1)
    return rate


# --- one system ---------------------------------------------------------------------------------


class Interval(NamedTuple):
    """A figure, and the range that holds it in so many draws of a hundred."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.4g} ({self.low:.4g} to {self.high:.4g})"


def interval(counted: Counted, resamples: int = 1000, seed: int = 0, confidence: float = 0.95) -> Interval:
    """The figure with its bootstrap interval (Efron, 1979): percentiles over sentences drawn with replacement."""
    figures = counted.figure(np.concatenate([draw @ counted.counts for draw in draws(counted, resamples, seed)]))
    return between(counted.value, figures, confidence)


def between(value: float, figures: Array, confidence: float) -> Interval:
    low, high = np.quantile(figures, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(value, float(low), float(high))


def draws(counted: Counted, resamples: int, seed: int) -> Iterator[Array]:
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
class Compared:
    """Two systems on the same sentences."""

    first: float
    second: float
    difference: Interval
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
        """For a table: figure, number."""
        return [
            ("first", f"{self.first:.4g}"),
            ("second", f"{self.second:.4g}"),
            ("difference", str(self.difference)),
            ("p, paired bootstrap", f"{self.bootstrap_p:.3g}"),
            ("p, approximate randomisation", f"{self.randomisation_p:.3g}"),
        ]


def compare(
    first: Counted, second: Counted, resamples: int = 1000, seed: int = 0, confidence: float = 0.95
) -> Compared:
    """Whether two systems differ by more than chance: the same measure of both, sentence by sentence."""
    if first.counts.shape != second.counts.shape:
        raise DataError(
            f"{len(first.counts)} sentences against {len(second.counts)}",
            remedy="compare two systems on the same sentences and by the same measure",
        )
    drawn = [
        second.figure(draw @ second.counts) - first.figure(draw @ first.counts)
        for draw in draws(first, resamples, seed)
    ]
    differences = np.concatenate(drawn)
    apart = second.value - first.value
    not_ahead = int((differences * np.sign(apart) <= 0).sum())
    return Compared(
        first.value,
        second.value,
        between(apart, differences, confidence),
        bootstrap_p=(not_ahead + 1) / (resamples + 1),
        randomisation_p=randomisation(first, second, resamples, seed),
    )


def randomisation(first: Counted, second: Counted, resamples: int, seed: int) -> float:
    """The share of random swaps after which the systems are at least as far apart as they are."""
    generator = np.random.default_rng(seed)
    moved = second.counts - first.counts
    apart = abs(second.value - first.value)
    as_far = 0
    for rows in parts(resamples, len(moved)):
        swapped = generator.integers(0, 2, (rows, len(moved))).astype(np.float64) @ moved
        one, other = first.counts.sum(0) + swapped, second.counts.sum(0) - swapped
        as_far += int((np.abs(second.figure(other) - first.figure(one)) >= apart - 1e-12).sum())
    return (as_far + 1) / (resamples + 1)
