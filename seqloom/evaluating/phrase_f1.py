"""F1 of phrases, as keywords are: which of them are right, whatever their order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from seqloom.evaluating.bootstrap import CountedMetric, f1_metric
from seqloom.evaluating.classification import f1_score

SEPARATOR = "; "


class PhraseMatches(NamedTuple):
    """Of one text."""

    right: int
    given: int
    there: int

    @property
    def f1(self) -> float:
        return f1_score(self.right, self.given, self.there)


def joined(phrases: Iterable[object]) -> str:
    """As one text, which a model learns to write."""
    return SEPARATOR.join(map(str, phrases))


def phrases_in(text: str) -> set[str]:
    return {" ".join(part.split()) for part in text.split(SEPARATOR.strip())} - {""}


def most_phrases(said: str, references: Sequence[str]) -> PhraseMatches:
    """Phrases of an answer that are right, against the reference that it is nearest to."""
    given = phrases_in(said)
    found = ((given & there, there) for there in map(phrases_in, references))
    return max((PhraseMatches(len(right), len(given), len(there)) for right, there in found), key=lambda one: one.f1)


def phrase_f1_metric(found: Iterable[PhraseMatches]) -> CountedMetric:
    """F1 of all phrases counted together."""
    return f1_metric((one.right, one.given, one.there) for one in found)
