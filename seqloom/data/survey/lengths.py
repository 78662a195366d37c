"""How long things are: every length with how often it was met, in little memory, whatever the number of records."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from heapq import heappush, heappushpop
from itertools import accumulate
from typing import Any

import numpy as np

from seqloom.data.record import Place

KEPT = 3
"""Places of the longest that are remembered."""
FAR = 10
"""Times as long as nearly all others is overlong."""
USUAL = 0.95
"""The share of records that "nearly all" means."""


class LengthCount:
    """Counts lengths as they come."""

    def __init__(self) -> None:
        self.counts: Counter[int] = Counter()
        self.longest: list[tuple[int, int, Place]] = []
        self.total = 0

    def add(self, length: int, place: Place) -> None:
        self.counts[length] += 1
        self.total += 1
        entry = (length, -self.total, place)  # of equals the first is kept
        if len(self.longest) < KEPT:
            heappush(self.longest, entry)
        elif length > self.longest[0][0]:
            heappushpop(self.longest, entry)

    def result(self) -> Lengths:
        return Lengths(dict(sorted(self.counts.items())))

    def overlong(self) -> tuple[int, list[Place]]:
        """How many are far longer than nearly all others, and where the longest stand."""
        limit = FAR * max(self.result().quantile(USUAL), 1)
        count = sum(times for length, times in self.counts.items() if length > limit)
        return count, [place for length, _, place in sorted(self.longest, reverse=True) if length > limit]


@dataclass(frozen=True)
class Lengths:
    """Every length, the shortest first, and how often it was met."""

    counts: dict[int, int]

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def mean(self) -> float:
        return sum(length * times for length, times in self.counts.items()) / max(self.total, 1)

    def quantile(self, share: float) -> int:
        """The least length that this share of all does not exceed.

        >>> Lengths({1: 5, 2: 4, 90: 1}).quantile(0.5), Lengths({1: 5, 2: 4, 90: 1}).quantile(0.95)
        (1, 90)
        """
        wanted = share * self.total
        upto = accumulate(self.counts.values())
        return next((length for length, count in zip(self.counts, upto) if count >= wanted), 0)

    def histogram(self, bins: int, share: float = 0.99) -> tuple[list[int], int, int]:
        """Counts in at most so many bins of equal width, for all lengths but the longest.

        ->      the counts; the first length; how many lengths a bin holds
        """
        first, last = min(self.counts, default=0), self.quantile(share)
        width = -(-(last - first + 1) // bins)
        heights = np.zeros(-(-(last - first + 1) // width), np.int64)
        for length, times in self.counts.items():
            if length <= last:
                heights[(length - first) // width] += times
        return heights.tolist(), first, width

    def to_json(self) -> dict[str, Any]:
        heights, first, width = self.histogram(20)
        quantiles = {name: self.quantile(share) for name, share in (("median", 0.5), ("95%", 0.95), ("99%", 0.99))}
        ends = {"least": min(self.counts, default=0), "most": max(self.counts, default=0)}
        bins = {"from": first, "width": width, "counts": heights}
        return {**ends, "mean": round(self.mean, 2), **quantiles, "histogram": bins}
