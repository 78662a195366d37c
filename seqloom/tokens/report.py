"""What a dictionary holds, and what it lacks: the words most often seen, the rare ones, the unknown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from seqloom.tokens.counting import by_frequency
from seqloom.tokens.settings import SPECIALS, UNK
from seqloom.tokens.tokenizer import Tokenizer


def most_frequent(tokenizer: Tokenizer, count: int = 20) -> list[tuple[str, int]]:
    """The entries seen most often in training, and how often; equals in the order of the dictionary."""
    numbers = range(len(SPECIALS), tokenizer.size)
    best = sorted(numbers, key=lambda number: (-tokenizer.frequency[number], number))[:count]
    return [(tokenizer.entries[number], tokenizer.frequency[number]) for number in best]


def rarest(tokenizer: Tokenizer, count: int = 20) -> list[tuple[str, int]]:
    """The entries seen least often, but seen, and how often; the rarest first."""
    seen = [number for number in range(len(SPECIALS), tokenizer.size) if tokenizer.frequency[number] > 0]
    last = sorted(seen, key=lambda number: (tokenizer.frequency[number], -number))[:count]
    return [(tokenizer.entries[number], tokenizer.frequency[number]) for number in last]


@dataclass(frozen=True)
class Coverage:
    """How well a dictionary knows some texts."""

    texts: int
    tokens: int
    unknown: int
    """Tokens that are not in the dictionary."""
    words: list[tuple[str, int]]
    """The most frequent of them, and how often each was met."""

    @property
    def rate(self) -> float:
        """Out-of-vocabulary rate: the share of unknown tokens, 0 to 1."""
        return self.unknown / self.tokens if self.tokens else 0.0


def coverage(tokenizer: Tokenizer, texts: Iterable[str], count: int = 20) -> Coverage:
    """Read texts, which need not be those of training, and count what is unknown.

    >>> from seqloom.tokens import TokenConfig
    >>> tokenizer = Tokenizer.train(["the cat sat", "the dog sat"], TokenConfig(kind="word"))
    >>> found = coverage(tokenizer, ["the cow sat", "a cow"])
    >>> found.rate, found.words
    (0.6, [('cow', 2), ('a', 1)])
    """
    read_texts = tokens = 0
    missing: Counter[str] = Counter()
    for text in texts:
        ids = tokenizer.encode(text)
        read_texts, tokens = read_texts + 1, tokens + len(ids)
        if UNK in ids:
            read = text if tokenizer.read is None else tokenizer.read(text)
            missing.update(read[piece.start : piece.end] for piece in tokenizer.pieces(text) if piece.id == UNK)
    words = islice(by_frequency(missing).items(), count)
    return Coverage(read_texts, tokens, missing.total(), list(words))
