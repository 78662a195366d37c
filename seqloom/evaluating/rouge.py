"""ROUGE (Lin, 2004): what an answer and a right one share, in words, in pairs of words, in words of the same order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from seqloom.evaluating.pairs import f1_of
from seqloom.evaluating.words import signs_apart

WORD = re.compile(r"[^\W_]+")


class Rouge(NamedTuple):
    """F1 of one answer, each against the right answer that it is nearest to."""

    rouge_1: float
    rouge_2: float
    rouge_l: float


def rouge(said: str, references: Sequence[str]) -> Rouge:
    """Whatever the capitals, and without the signs between words.

    >>> rouge("the cat sat", ["The cat, it sat."])
    Rouge(rouge_1=0.8571428571428571, rouge_2=0.4, rouge_l=0.8571428571428571)
    """
    words = words_of(said)
    each = [(words, words_of(text)) for text in references]
    return Rouge(
        max(shared_ngrams(given, there, 1) for given, there in each),
        max(shared_ngrams(given, there, 2) for given, there in each),
        max(f1_of(common_subsequence(given, there), len(given), len(there)) for given, there in each),
    )


def words_of(text: str) -> list[str]:
    """Runs of letters and digits in small letters; every sign of Chinese, Japanese and Korean is one."""
    return WORD.findall(signs_apart(text.lower()))


def shared_ngrams(given: Sequence[str], there: Sequence[str], n: int) -> float:
    """F1 of runs of n words, each counted as often as it stands in both."""
    one, other = (Counter(zip(*(words[first:] for first in range(n)), strict=False)) for words in (given, there))
    return f1_of((one & other).total(), one.total(), other.total())


def common_subsequence(given: Sequence[str], there: Sequence[str]) -> int:
    """The most words that stand in both in the same order, whatever is between them.

    >>> common_subsequence("abcbdab", "bdcaba")
    4
    """
    row = [0] * (len(there) + 1)
    for word in given:
        diagonal = 0
        for place, other in enumerate(there, 1):
            diagonal, row[place] = row[place], diagonal + 1 if word == other else max(row[place], row[place - 1])
    return row[-1]
