"""Insertions, deletions and substitutions between what was said and what is right."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass


def edit_distance(said: Sequence[Hashable], right: Sequence[Hashable]) -> int:
    """The fewest insertions, deletions and substitutions that turn one into the other (Levenshtein, 1966).

    >>> edit_distance("kitten", "sitting")
    3
    """
    row = list(range(len(right) + 1))
    for i, token in enumerate(said, 1):
        diagonal, row[0] = row[0], i
        for j, other in enumerate(right, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (token != other))
    return row[-1]


@dataclass(frozen=True)
class Edits:
    """Edits of one answer, against the right answer that takes the fewest."""

    count: int
    length: int
    """Tokens of that right answer."""


def fewest_edits(said: Sequence[str], right: Sequence[Sequence[str]]) -> Edits:
    """Tokens against several right answers; of two as near, the one that stands first."""
    each = (Edits(edit_distance(said, answer), len(answer)) for answer in right)
    return min(each, key=lambda edits: edits.count)
