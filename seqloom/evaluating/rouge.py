"""ROUGE-1, ROUGE-2 and ROUGE-L (Lin, 2004): shared words, pairs of words, longest common subsequence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from rapidfuzz.distance import LCSseq

from seqloom.evaluating.classification import f1_score
from seqloom.evaluating.word_splitting import separate_cjk

WORD = re.compile(r"[^\W_]+")


class RougeScores(NamedTuple):
    """F1 of one answer, each against the right answer that it is nearest to."""

    rouge_1: float
    rouge_2: float
    rouge_l: float


def rouge(said: str, references: Sequence[str]) -> RougeScores:
    """Whatever the capitals, and without the signs between words.

    >>> rouge("the cat sat", ["The cat, it sat."])
    RougeScores(rouge_1=0.8571428571428571, rouge_2=0.4, rouge_l=0.8571428571428571)
    """
    words = words_of(said)
    each = [(words, words_of(text)) for text in references]
    return RougeScores(
        max(shared_ngrams(given, there, 1) for given, there in each),
        max(shared_ngrams(given, there, 2) for given, there in each),
        max(f1_score(LCSseq.similarity(given, there), len(given), len(there)) for given, there in each),
    )


def words_of(text: str) -> list[str]:
    """Runs of letters and digits in small letters; every sign of Chinese, Japanese and Korean is one."""
    return WORD.findall(separate_cjk(text.lower()))


def shared_ngrams(given: Sequence[str], there: Sequence[str], n: int) -> float:
    """F1 of runs of n words, each counted as often as it stands in both."""
    one, other = (Counter(zip(*(words[first:] for first in range(n)), strict=False)) for words in (given, there))
    return f1_score((one & other).total(), one.total(), other.total())
