"""Which word belongs to which: links taken from attention, in Pharaoh's format, against links made by people."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from seqloom.errors import DataError

Links: TypeAlias = frozenset[tuple[int, int]]
"""(source, target), both counted from 0."""


def links_of_targets(weights: NDArray[np.float32], threshold: float = 0.0) -> Links:
    """Each target word with the source word it looks at most, if with `threshold` at least. weights (T, S)

    >>> to_pharaoh(links_of_targets(np.array([[0.9, 0.1], [0.8, 0.2]])))
    '0-0 0-1'
    """
    best = weights.argmax(1)
    return frozenset((int(s), t) for t, s in enumerate(best) if weights[t, s] >= threshold)


def links_of_sources(weights: NDArray[np.float32], threshold: float = 0.0) -> Links:
    """Each source word with the target word that looks at it most."""
    return frozenset((s, t) for t, s in links_of_targets(weights.T, threshold))


def links_of_both(weights: NDArray[np.float32], threshold: float = 0.0) -> Links:
    """Links that both directions agree on: fewer, and surer."""
    return links_of_targets(weights, threshold) & links_of_sources(weights, threshold)


def to_pharaoh(links: Iterable[tuple[int, int]]) -> str:
    """Links as text, `source-target`, in order.

    >>> to_pharaoh({(1, 2), (0, 0)})
    '0-0 1-2'
    """
    return " ".join(f"{s}-{t}" for s, t in sorted(links))


def parse_pharaoh(line: str) -> Links:
    """Links from text."""
    found = set()
    for place, link in enumerate(line.split(), 1):
        match = re.fullmatch(r"([0-9]+)-([0-9]+)", link)
        if match is None:
            raise DataError(f"{link!r} is no link", where=f"link {place}", remedy="write source-target, as 0-0 1-2")
        found.add((int(match[1]), int(match[2])))
    return frozenset(found)


def alignment_error_rate(
    found: Sequence[Links], sure: Sequence[Links], possible: Sequence[Links] | None = None
) -> float:
    """AER of sentences together (Och & Ney, 2003): 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|).

    sure      S, links that must be found
    possible  P, links that may be found besides
    """
    others = possible if possible is not None else sure
    if not len(found) == len(sure) == len(others):
        raise DataError(
            f"links of {len(found)} sentences against {len(sure)}", remedy="give one line for each sentence"
        )
    right = sum(len(a & s) + len(a & (p | s)) for a, s, p in zip(found, sure, others, strict=True))
    all_of_them = sum(len(a) + len(s) for a, s in zip(found, sure, strict=True))
    return 1 - right / all_of_them if all_of_them else 0.0
