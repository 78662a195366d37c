"""Counting the words of a stream of texts in bounded memory: what a vocabulary is chosen from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from itertools import islice

from seqloom.errors import DataError, SeqloomError

MOST = 1_000_000
"""Different words that are held while counting; beyond, the rarest are forgotten, so that memory stays bounded."""

LONGEST = 100
"""Letters of the longest token: a line without a space in it is no word."""


class WordCounter:
    """Words of a stream of texts with their counts."""

    def __init__(self, split: Callable[[str], Iterable[str]], normalise: Callable[[str], str] | None, most: int = MOST):
        self.split, self.normalise, self.most = split, normalise, most
        self.words: Counter[str] = Counter()
        self.texts = 0

    def add(self, text: str) -> None:
        if not isinstance(text, str):
            raise SeqloomError(f"text {self.texts + 1} is not a text but {type(text).__name__}", remedy="give strings")
        self.texts += 1
        self.words.update(self.split(text if self.normalise is None else self.normalise(text)))
        if len(self.words) > self.most:
            self.forget_rare()

    def forget_rare(self) -> None:
        """Make room: half of the words stay, the frequent ones."""
        self.words = Counter(dict(islice(by_frequency(self.words).items(), self.most // 2)))

    def sorted(self) -> dict[str, int]:
        """The counts, or an error if nothing was counted."""
        if not self.words:
            raise SeqloomError("there is no text to learn a vocabulary from", remedy="give texts with words in them")
        return by_frequency(self.words)


def by_frequency(counts: Mapping[str, int]) -> dict[str, int]:
    """The most frequent first, equals by the alphabet: then the order of the texts does not matter."""
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def count_words(
    texts: Iterable[str], split: Callable[[str], Iterable[str]], normalise: Callable[[str], str] | None
) -> WordCounter:
    """Count a whole stream."""
    if isinstance(texts, str):
        raise SeqloomError("got one text instead of a list", remedy="put it into a list")
    counted = WordCounter(split, normalise)
    for text in texts:
        counted.add(text)
    return counted


def check_spelling(words: Iterable[str]) -> None:
    """Half a character (a lone surrogate, from text that was read with `surrogateescape`) cannot be written down."""
    for word in words:
        try:
            word.encode()
        except UnicodeEncodeError:
            raise half_a_character(word) from None


def half_a_character(word: str) -> DataError:
    return DataError(f"{word!r} holds half a character", remedy="read the file as UTF-8")
