"""Which words a column has, how often, and how many of the held-out ones the training data does not know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

MOST = 1_000_000
"""Different words that are held while counting; beyond, the rarest are forgotten, so that memory stays bounded."""
SHOWN = 12
"""Words listed of each kind."""
SIZES = (10_000,)
"""Sizes of vocabularies, beside that of all words, for which unknown words are counted."""


class WordCount:
    """Counts words as they come."""

    def __init__(self, most: int = MOST) -> None:
        self.most = most
        self.counts: Counter[str] = Counter()
        self.forgot = False

    def add(self, words: Iterable[str]) -> None:
        self.counts.update(words)
        if len(self.counts) > self.most:
            self.counts = Counter(dict(self.counts.most_common(self.most // 2)))
            self.forgot = True


@dataclass(frozen=True)
class VocabularyReport:
    """The words of a column."""

    total: int
    different: int
    once: int
    """Words met a single time."""
    frequent: list[tuple[str, int]]
    """With a letter or a figure in them: a list of full stops and commas tells nothing."""
    rare: list[tuple[str, int]]
    """Of those with the least count some from all over the alphabet."""
    unknown: dict[str, dict[str, float]]
    """For each held-out split, and each vocabulary of the training data ("all", or so many words): the share of words
    that are not in it."""
    forgot: bool
    """Whether there were too many different words to count them all: then the counts are estimates."""

    def to_json(self) -> dict[str, Any]:
        names = ("total", "different", "once", "frequent", "rare", "unknown", "forgot")
        return {name: getattr(self, name) for name in names}


def vocabulary_report(counted: Mapping[str, WordCount], train: str, shown: int = SHOWN) -> VocabularyReport:
    """The words of all splits together, and of each but `train` how many are unknown to it."""
    together: Counter[str] = Counter()
    for count in counted.values():
        together.update(count.counts)
    ranked = sorted(together.items(), key=lambda item: (-item[1], item[0]))
    real = [(word, times) for word, times in ranked if any(map(str.isalnum, word))]
    known = counted[train].counts if train in counted else Counter[str]()
    vocabularies = {"all": set(known)}
    vocabularies |= {str(size): {word for word, _ in known.most_common(size)} for size in SIZES if size < len(known)}
    unknown = {
        split: {name: share_unknown(count.counts, words) for name, words in vocabularies.items()}
        for split, count in counted.items()
        if split != train
    }
    once = sum(times == 1 for times in together.values())
    forgot = any(count.forgot for count in counted.values())
    rare = spread([item for item in real[shown:] if item[1] == real[-1][1]], shown)
    return VocabularyReport(together.total(), len(together), once, real[:shown], rare, unknown, forgot)


def spread(items: list[tuple[str, int]], count: int) -> list[tuple[str, int]]:
    """At most so many, at equal distances."""
    return [items[place * len(items) // count] for place in range(count)] if len(items) > count else items


def share_unknown(counts: Counter[str], known: set[str]) -> float:
    missing = sum(times for word, times in counts.items() if word not in known)
    return missing / max(counts.total(), 1)
