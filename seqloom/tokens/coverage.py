"""What a vocabulary covers: its most frequent and rarest tokens, and the out-of-vocabulary rate of texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from seqloom.tokens.settings import SPECIALS, UNK
from seqloom.tokens.tokenizer import Tokenizer
from seqloom.tokens.word_counts import by_frequency


def most_frequent(tokenizer: Tokenizer, count: int = 20) -> list[tuple[str, int]]:
    """The tokens seen most often in training, and how often; equals in the order of the vocabulary."""
    ids = range(len(SPECIALS), tokenizer.size)
    best = sorted(ids, key=lambda id: (-tokenizer.frequency[id], id))[:count]
    return [(tokenizer.vocabulary[id], tokenizer.frequency[id]) for id in best]


def rarest(tokenizer: Tokenizer, count: int = 20) -> list[tuple[str, int]]:
    """The tokens seen least often, but seen, and how often; the rarest first."""
    seen = [id for id in range(len(SPECIALS), tokenizer.size) if tokenizer.frequency[id] > 0]
    last = sorted(seen, key=lambda id: (tokenizer.frequency[id], -id))[:count]
    return [(tokenizer.vocabulary[id], tokenizer.frequency[id]) for id in last]


@dataclass(frozen=True)
class Coverage:
    """How well a vocabulary covers some texts."""

    texts: int
    tokens: int
    unknown: int
    """Tokens that are not in the vocabulary."""
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
            read = text if tokenizer.normalise is None else tokenizer.normalise(text)
            missing.update(read[piece.start : piece.end] for piece in tokenizer.pieces(text) if piece.id == UNK)
    words = islice(by_frequency(missing).items(), count)
    return Coverage(read_texts, tokens, missing.total(), list(words))
