"""Edit distance of an answer to its nearest reference, from which error rates are made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein


@dataclass(frozen=True)
class Edits:
    """Insertions, deletions and substitutions of one answer, against the reference that takes the fewest."""

    count: int
    length: int
    """Tokens of that reference."""


def fewest_edits(said: Sequence[str], references: Sequence[Sequence[str]]) -> Edits:
    """Tokens against several references; of two as near, the first.

    >>> fewest_edits("kitten", ["sitting"])
    Edits(count=3, length=7)
    """
    each = (Edits(Levenshtein.distance(said, right), len(right)) for right in references)
    return min(each, key=lambda edits: edits.count)
