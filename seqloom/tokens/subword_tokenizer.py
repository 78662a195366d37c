"""Subwords as tokens; every text comes back exactly as it was.

The library splits each different word once, and a cache keeps its token ids: in running text nearly every word was
there before. On one core that is several times as fast as the library's batch call, and there are no threads to lose
when a process is forked.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice

from tokenizers.models import Model

from seqloom.tokens.backend import TokenizerBackend, TokenizerData, TokenPiece
from seqloom.tokens.pretokenization import is_cjk, pretoken_pattern
from seqloom.tokens.settings import BOS, EOS, PAD, SPECIALS, TokenConfig
from seqloom.tokens.word_counts import check_spelling, half_a_character

LEARN_FROM = 200_000
"""Different words to learn from, the most frequent; what the others would add is noise."""

CACHED = 200_000
"""Words whose token ids are cached."""


class SubwordTokenizer(TokenizerBackend):
    """A text as words with their spaces, each as parts, each part as bytes."""

    def __init__(self, data: TokenizerData) -> None:
        self.data = data
        self.token_bytes = [self.bytes_of(id) for id in range(len(data.tokens))]
        self.vocabulary = (*SPECIALS, *map(readable, self.token_bytes[len(SPECIALS) :]))
        for id in (PAD, BOS, EOS):
            self.token_bytes[id] = b""
        self.model = self.library_model()
        self.cache = SubwordCache(self.cut)

    @staticmethod
    def splitter(config: TokenConfig) -> Callable[[str], Iterable[str]]:
        return pretoken_pattern().findall

    @abstractmethod
    def library_model(self) -> Model:
        """The library's model of the data: cuts one word."""

    @abstractmethod
    def bytes_of(self, id: int) -> bytes:
        """The bytes that a token stands for."""

    def cut(self, word: str) -> tuple[int, ...]:
        """The token ids of a word."""
        return tuple([token.id for token in self.model.tokenize(word)])

    def encode(self, texts: Iterable[str]) -> list[list[int]]:
        words, parts = pretoken_pattern().findall, self.cache.__getitem__
        return [list(chain.from_iterable(map(parts, words(text)))) for text in texts]

    def decode(self, ids: Sequence[int]) -> str:
        return b"".join([self.token_bytes[id] for id in ids]).decode("utf-8", errors="replace")

    def pieces(self, text: str) -> list[TokenPiece]:
        pieces: list[TokenPiece] = []
        word = -1
        for part in pretoken_pattern().finditer(text):
            word, ended = word + 1, 0
            ids = self.cache[part[0]]
            for id, (start, end) in zip(ids, self.spans(part[0], ids)):
                if 0 < ended <= start and parted(part[0][start - 1], part[0][start]):
                    word += 1
                pieces.append(TokenPiece(id, self.vocabulary[id], part.start() + start, part.start() + end, word))
                ended = end
        return pieces

    def spans(self, word: str, ids: Sequence[int]) -> Iterator[tuple[int, int]]:
        """The characters of each part; one whose bytes are in several parts belongs to all of them."""
        owner = [place for place, letter in enumerate(word) for _ in letter.encode()]
        at = 0
        for id in ids:
            end = at + len(self.token_bytes[id])
            yield owner[at], owner[end - 1] + 1
            at = end


class SubwordCache(dict[str, tuple[int, ...]]):
    """The token ids of every word, split when it is first met."""

    def __init__(self, cut: Callable[[str], tuple[int, ...]]) -> None:
        self.cut = cut

    def __missing__(self, word: str) -> tuple[int, ...]:
        if len(self) >= CACHED:
            self.clear()
        try:
            ids = self[word] = self.cut(word)
        except UnicodeEncodeError:
            raise half_a_character(word) from None
        return ids


def parted(before: str, after: str) -> bool:
    """No space separates the words of Chinese and Japanese: there every part is a word."""
    return before != " " and bool(is_cjk(before) or is_cjk(after))


def frequent(counts: Mapping[str, int]) -> dict[str, int]:
    """The first of counted words: they are sorted."""
    first = dict(islice(counts.items(), LEARN_FROM))
    check_spelling(first)
    return first


def with_counts(backend: type[SubwordTokenizer], data: TokenizerData, counts: Mapping[str, int]) -> TokenizerData:
    """The data with how often each token stands in the words it was learned from."""
    parts = backend(data).cache
    seen = [0] * len(data.tokens)
    for word, count in counts.items():
        for id in parts[word]:
            seen[id] += count
    return replace(data, counts=tuple(seen))


def readable(spelling: bytes) -> str:
    """A part as a person reads it: ▁ for a space in front, <0xE6> for bytes that are no characters.

    >>> readable(b" the"), readable(b"\\xe6\\x97")
    ('▁the', '<0xE6><0x97>')
    """
    try:
        return re.sub("^ +", lambda spaces: "▁" * len(spaces[0]), spelling.decode())
    except UnicodeDecodeError:
        return "".join(f"<0x{byte:02X}>" for byte in spelling)
