"""What every kind of tokenizer has: the data it learned, and the interface to train, encode and decode with it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from seqloom.tokens.settings import TokenConfig


@dataclass(frozen=True)
class TokenizerData:
    """All that a tokenizer has learned: the same data, the same tokens. A token id is the place in `tokens`."""

    config: TokenConfig
    tokens: tuple[str, ...]
    """As they are looked up, the four special ones first; bpe spells bytes as the letters that stand for them."""
    counts: tuple[int, ...]
    """How often each token was seen in training; for <unk>, how often no other fitted."""
    merges: tuple[tuple[int, int], ...] = ()
    """bpe: the pairs of token ids that become one, the first learned first."""
    scores: tuple[float, ...] = ()
    """unigram: the log-probability of each token."""
    typos: Mapping[str, str] = field(default_factory=dict)
    """Rare spellings seen in training, and the token each is read as."""


class TokenPiece(NamedTuple):
    """A token where it stands: text[start:end] of the normalised text, in the word with this index."""

    id: int
    text: str
    start: int
    end: int
    word: int


class TokenizerBackend(ABC):
    """One kind of tokenizer: trained on counted words, it splits texts into token ids and joins them again."""

    vocabulary: tuple[str, ...]
    """The tokens by id, as a person reads them."""

    @staticmethod
    @abstractmethod
    def splitter(config: TokenConfig) -> Callable[[str], Iterable[str]]:
        """How a text is split into what is counted to learn from."""

    @staticmethod
    @abstractmethod
    def learn(counts: Mapping[str, int], config: TokenConfig) -> TokenizerData:
        """From counts, the most frequent first."""

    @staticmethod
    def is_valid(data: TokenizerData) -> bool:
        """Whether data from a file, of the right form, also makes sense to this kind."""
        return True

    @abstractmethod
    def __init__(self, data: TokenizerData) -> None: ...

    @abstractmethod
    def encode(self, texts: Iterable[str]) -> list[list[int]]: ...

    @abstractmethod
    def decode(self, ids: Sequence[int]) -> str: ...

    @abstractmethod
    def pieces(self, text: str) -> list[TokenPiece]: ...

    def sample(self, texts: Iterable[str], random: Random) -> list[list[int]]:
        """As `encode`, each text cut at random where the kind knows how."""
        return self.encode(texts)
