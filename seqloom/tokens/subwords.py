"""Parts of words as tokens; every text comes back exactly as it was.

The library cuts each different word once, and a table remembers how: in running text nearly every word was there
before. On one core that is several times as fast as the library's batch call, and there are no threads to lose when
a process is forked.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice

from tokenizers.models import Model

from seqloom.tokens.content import Content, Cutter, Piece
from seqloom.tokens.counting import check_spelling, half_a_character
from seqloom.tokens.letters import is_cjk, part_pattern
from seqloom.tokens.settings import BOS, EOS, PAD, SPECIALS, TokenConfig

LEARN_FROM = 200_000
"""Different words to learn from, the most frequent; what the others would add is noise."""

REMEMBERED = 200_000
"""Words whose parts are remembered."""


class Subwords(Cutter):
    """A text as words with their spaces, each as parts, each part as bytes."""

    def __init__(self, content: Content) -> None:
        self.content = content
        self.spelled = [self.spelling(number) for number in range(len(content.entries))]
        self.shown = (*SPECIALS, *map(readable, self.spelled[len(SPECIALS) :]))
        for number in (PAD, BOS, EOS):
            self.spelled[number] = b""
        self.model = self.library_model()
        self.table = Table(self.cut)

    @staticmethod
    def counted(config: TokenConfig) -> Callable[[str], Iterable[str]]:
        return part_pattern().findall

    @abstractmethod
    def library_model(self) -> Model:
        """The library's model of the content: cuts one word."""

    @abstractmethod
    def spelling(self, number: int) -> bytes:
        """The bytes that an entry stands for."""

    def cut(self, word: str) -> tuple[int, ...]:
        """The parts of a word."""
        return tuple([token.id for token in self.model.tokenize(word)])

    def encode(self, texts: Iterable[str]) -> list[list[int]]:
        words, parts = part_pattern().findall, self.table.__getitem__
        return [list(chain.from_iterable(map(parts, words(text)))) for text in texts]

    def decode(self, ids: Sequence[int]) -> str:
        return b"".join([self.spelled[id] for id in ids]).decode("utf-8", errors="replace")

    def pieces(self, text: str) -> list[Piece]:
        pieces: list[Piece] = []
        word = -1
        for part in part_pattern().finditer(text):
            word, ended = word + 1, 0
            ids = self.table[part[0]]
            for id, (start, end) in zip(ids, self.spans(part[0], ids)):
                if 0 < ended <= start and parted(part[0][start - 1], part[0][start]):
                    word += 1
                pieces.append(Piece(id, self.shown[id], part.start() + start, part.start() + end, word))
                ended = end
        return pieces

    def spans(self, word: str, ids: Sequence[int]) -> Iterator[tuple[int, int]]:
        """The characters of each part; one whose bytes are in several parts belongs to all of them."""
        owner = [place for place, letter in enumerate(word) for _ in letter.encode()]
        at = 0
        for id in ids:
            end = at + len(self.spelled[id])
            yield owner[at], owner[end - 1] + 1
            at = end


class Table(dict[str, tuple[int, ...]]):
    """The parts of every word, cut when it is first met."""

    def __init__(self, cut: Callable[[str], tuple[int, ...]]) -> None:
        self.cut = cut

    def __missing__(self, word: str) -> tuple[int, ...]:
        if len(self) >= REMEMBERED:
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


def with_counts(cutter: type[Subwords], content: Content, counts: Mapping[str, int]) -> Content:
    """Content with how often each entry stands in the words it was learned from."""
    parts = cutter(content).table
    seen = [0] * len(content.entries)
    for word, count in counts.items():
        for id in parts[word]:
            seen[id] += count
    return replace(content, counts=tuple(seen))


def readable(spelling: bytes) -> str:
    """A part as a person reads it: ▁ for a space in front, <0xE6> for bytes that are no characters.

    >>> readable(b" the"), readable(b"\\xe6\\x97")
    ('▁the', '<0xE6><0x97>')
    """
    try:
        return re.sub("^ +", lambda spaces: "▁" * len(spaces[0]), spelling.decode())
    except UnicodeDecodeError:
        return "".join(f"<0x{byte:02X}>" for byte in spelling)
