"""What a tokenizer has learned, as plain data; and what a kind of tokenizer does with it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from seqloom.tokens.settings import TokenConfig


@dataclass(frozen=True)
class Content:
    """All there is to a tokenizer: the same content, the same tokens. Every number of an entry is its place."""

    config: TokenConfig
    entries: tuple[str, ...]
    """As they are looked up, the four special ones first; bpe spells bytes as the letters that stand for them."""
    counts: tuple[int, ...]
    """How often each entry was seen in training; that of <unk> is how often none was."""
    merges: tuple[tuple[int, int], ...] = ()
    """bpe: the pairs of entries that become one, the first learned first."""
    scores: tuple[float, ...] = ()
    """unigram: the log-probability of each entry."""
    typos: Mapping[str, str] = field(default_factory=dict)
    """Rare spellings seen in training, and the entry each is read as."""


class Piece(NamedTuple):
    """A token where it stands: text[start:end] of the text as read, in the word with this number."""

    id: int
    text: str
    start: int
    end: int
    word: int


class Cutter(ABC):
    """One kind of tokenizer: learns from counted words, cuts texts, puts them together again."""

    shown: tuple[str, ...]
    """The entries as a person reads them."""

    @staticmethod
    @abstractmethod
    def counted(config: TokenConfig) -> Callable[[str], Iterable[str]]:
        """What is counted in a text to learn from."""

    @staticmethod
    @abstractmethod
    def learn(counts: Mapping[str, int], config: TokenConfig) -> Content:
        """From counts, the most frequent first."""

    @staticmethod
    def usable(content: Content) -> bool:
        """Whether content from a file, of the right form, also makes sense to this kind."""
        return True

    @abstractmethod
    def __init__(self, content: Content) -> None: ...

    @abstractmethod
    def encode(self, texts: Iterable[str]) -> list[list[int]]: ...

    @abstractmethod
    def decode(self, ids: Sequence[int]) -> str: ...

    @abstractmethod
    def pieces(self, text: str) -> list[Piece]: ...

    def sample(self, texts: Iterable[str], random: Random) -> list[list[int]]:
        """As `encode`, each text cut at random where the kind knows how."""
        return self.encode(texts)
