"""A metric by the length of the source: does quality fall where sentences are long?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.bar import Bar
from rich.table import Table
from rich.text import Text

from seqloom.errors import DataError
from seqloom.evaluating.bootstrap import ConfidenceInterval, CountedMetric, interval
from seqloom.evaluating.classification import check_same_length

STEPS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500)
MOST = 8
"""Buckets, unless others are asked for."""


@dataclass(frozen=True)
class LengthBucket:
    """Sentences whose source has from `low` to `high` words; None: any number from `low`."""

    low: int
    high: int | None
    count: int
    interval: ConfidenceInterval

    @property
    def label(self) -> str:
        if self.high is None:
            return f"{self.low}+"
        return str(self.low) if self.low == self.high else f"{self.low}–{self.high}"

    def json(self) -> dict[str, Any]:
        return {"low": self.low, "high": self.high, "count": self.count, "interval": self.interval._asdict()}


Curves = Mapping[str, Sequence[LengthBucket]]
"""Buckets by the name of a model."""


def by_length(
    counted: CountedMetric, lengths: Sequence[int], starts: Sequence[int] | None = None
) -> list[LengthBucket]:
    """The metric and its confidence interval in each bucket that holds a sentence.

    lengths  words of each source
    starts   the first length of each bucket; what is shorter than all goes to the first, the last has no end
    """
    check_same_length(lengths, counted.counts, "lengths")
    firsts = np.array(usual_starts(lengths) if starts is None else starts)
    if not len(firsts) or (np.diff(firsts) < 1).any():
        raise DataError(f"buckets cannot start at {list(firsts)}", remedy="give lengths that rise, as 1, 6, 11")
    which = np.clip(np.searchsorted(firsts, np.asarray(lengths), "right") - 1, 0, None)
    buckets = []
    for place, low in enumerate(firsts.tolist()):
        inside = which == place
        if inside.any():
            high = int(firsts[place + 1]) - 1 if place + 1 < len(firsts) else None
            found = interval(counted.only(inside))
            buckets.append(LengthBucket(low, high, int(inside.sum()), found))
    return buckets


def usual_starts(lengths: Sequence[int]) -> list[int]:
    """Even steps up to where the longest two in a hundred begin; the shortest one in a hundred are in the first.

    >>> usual_starts([3, 9, 14, 22, 31])
    [1, 6, 11, 16, 21, 26]
    """
    shortest, longest = (int(np.quantile(np.asarray(lengths), q)) for q in (0.01, 0.98))
    step = next((step for step in STEPS if longest <= step * MOST), -(-max(longest, 1) // MOST))
    return [1, *(first for first in range(1 + step, longest + 1, step) if first > shortest)]


# --- pictures -----------------------------------------------------------------------------------


def bars(curves: Curves) -> Table:
    """For a terminal: a bar for each model in each bucket, as long as there is room."""
    most = max((bucket.interval.value for buckets in curves.values() for bucket in buckets), default=0) or 1
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("words", justify="right", no_wrap=True)
    table.add_column("sentences", justify="right", no_wrap=True)
    table.add_column("", max_width=24, no_wrap=True)
    table.add_column("", min_width=8, max_width=40)
    table.add_column("", style="dim", no_wrap=True)
    for low in starts_of(curves):
        for number, (name, bucket) in enumerate(models_at(curves, low)):
            label, count = ("", "") if number else (bucket.label, f"{bucket.count:,}")
            bar = Bar(most, 0, bucket.interval.value, color="cyan")
            table.add_row(label, count, Text(name), bar, str(bucket.interval))
    return table


def starts_of(curves: Curves) -> list[int]:
    return sorted({bucket.low for buckets in curves.values() for bucket in buckets})


def models_at(curves: Curves, low: int) -> list[tuple[str, LengthBucket]]:
    return [(name, bucket) for name, buckets in curves.items() for bucket in buckets if bucket.low == low]
