"""Typo correction: goood is read as good, and a rare spelling as the frequent word one edit away (prinse as prince).

An edit is one letter missing, too many, wrong, or changed with its neighbour (Damerau, 1964). Two words are one edit
apart only if leaving out at most one letter of each can make them equal, which is what the index is keyed by
(SymSpell). It is a guess, and a wrong one where a rare word is near a frequent one (tame, time): off unless asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import product

from rapidfuzz.distance import OSA

from seqloom.tokens.word_counts import LONGEST, by_frequency

SHORTEST = 4
"""Letters of the shortest word that is corrected: shorter ones are near too many others."""

MOST_RUNS = 5
"""A word with more runs of equal letters than this is no word."""

runs = re.compile(r"([^\W\d_])\1{2,}")


class TypoCorrector:
    """Reads words by the frequent ones among its counts."""

    def __init__(self, ratio: int) -> None:
        self.ratio = ratio
        self.counts: dict[str, int] = {}
        self.near: dict[str, list[str]] = {}

    @classmethod
    def knowing(cls, counts: Mapping[str, int], ratio: int) -> TypoCorrector:
        """A corrector that trusts every one of these words."""
        corrector = cls(ratio)
        for word, count in counts.items():
            corrector.trust(word, count)
        return corrector

    def trust(self, word: str, count: int) -> None:
        self.counts[word] = count
        if count >= self.ratio and SHORTEST <= len(word) <= LONGEST and word.isalpha():
            for key in {word, *shorter(word)}:
                self.near.setdefault(key, []).append(word)

    def correct(self, word: str, count: int = 0) -> str | None:
        """The word that was meant by one seen `count` times, or None if that is how it is written."""
        if not (SHORTEST <= len(word) <= LONGEST and word.isalpha()):
            return None
        return self.shortened(word, count) or self.one_edit_away(word, count)

    def shortened(self, word: str, count: int) -> str | None:
        """Runs of three and more equal letters as two or one, where that is a word and a more frequent one."""
        if not runs.search(word):
            return None
        parts = runs.split(word)  # in turn: what stands between the runs, and the letter of a run
        choices = [(part,) if place % 2 == 0 else (part * 2, part) for place, part in enumerate(parts)]
        if len(choices) > 2 * MOST_RUNS + 1:
            return None
        spellings = map("".join, product(*choices))
        return self.best(spelling for spelling in spellings if self.counts.get(spelling, 0) > count)

    def one_edit_away(self, word: str, count: int) -> str | None:
        keys = {word, *shorter(word)}
        found = {other for key in keys for other in self.near.get(key, ())}
        enough = self.ratio * max(count, 1)
        return self.best(other for other in found if self.counts[other] >= enough and is_one_edit(word, other))

    def best(self, words: Iterator[str]) -> str | None:
        """The most frequent, of equals the first in the alphabet."""
        return min(words, key=lambda word: (-self.counts[word], word), default=None)


def shorter(word: str) -> Iterator[str]:
    """The word without one of its letters."""
    return (word[:place] + word[place + 1 :] for place in range(len(word)))


def is_one_edit(word: str, other: str) -> bool:
    """Whether two different words differ by one letter missing, too many, wrong, or swapped with the next.

    >>> [is_one_edit("prince", other) for other in ("prinse", "prnice", "princes", "price", "pricen")]
    [True, True, True, True, False]
    """
    return OSA.distance(word, other, score_cutoff=1) == 1


def correct_counts(counts: Mapping[str, int], ratio: int) -> tuple[dict[str, int], dict[str, str]]:
    """Counts, the most frequent first, with those of typos added to the words that were meant; and the typos."""
    corrector, typos = TypoCorrector(ratio), {}
    for word, count in counts.items():  # so that a word is trusted before its typos come
        meant = corrector.correct(word, count)
        if meant is None:
            corrector.trust(word, count)
        else:
            typos[word] = meant
    corrected = dict(corrector.counts)
    for word, meant in typos.items():
        corrected[meant] += counts[word]
    return by_frequency(corrected), typos
