"""Byte-pair encoding (Sennrich et al., 2016), on bytes: two parts that stand together often become one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, lru_cache
from random import Random

from tokenizers import models
from tokenizers.models import Model

from seqloom.tokens.content import Content
from seqloom.tokens.letters import part_pattern
from seqloom.tokens.merging import learn_merges, merge_at_random, possible_merges
from seqloom.tokens.settings import SPECIALS, TokenConfig
from seqloom.tokens.subwords import Subwords, frequent, with_counts


def byte_letters() -> list[str]:
    """A visible letter for every byte, so that parts are texts: the byte's own where it has one (GPT-2)."""
    visible = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    hidden = [byte for byte in range(256) if byte not in visible]
    return [chr(256 + hidden.index(byte)) if byte in hidden else chr(byte) for byte in range(256)]


LETTERS = byte_letters()
LETTER_OF = dict(enumerate(LETTERS))
BYTE_OF = {letter: byte for byte, letter in LETTER_OF.items()}

REMEMBERED = 100_000
"""Words, and states of words being merged, that are remembered."""


def in_letters(word: str) -> str:
    """The bytes of a word, a letter each.

    >>> in_letters(" née")
    'ĠnÃ©e'
    """
    return word.encode().decode("latin-1").translate(LETTER_OF)


class BPE(Subwords):
    """Cuts a word by merging its bytes in the order in which the merges were learned."""

    @staticmethod
    def learn(counts: Mapping[str, int], config: TokenConfig) -> Content:
        counts = frequent(counts)
        words = {in_letters(word): count for word, count in counts.items()}
        entries, merges = learn_merges(words, [*SPECIALS, *sorted(LETTERS)], config.size, config.min_frequency)
        return with_counts(BPE, Content(config, tuple(entries), (), tuple(merges)), counts)

    @staticmethod
    def usable(content: Content) -> bool:
        entries = content.entries
        letters, known = set(LETTERS), set(entries)
        first = entries[len(SPECIALS) : len(SPECIALS) + len(letters)] == tuple(sorted(letters))
        spelled = all(entry and letters.issuperset(entry) for entry in entries[len(SPECIALS) :])
        return first and spelled and all(entries[left] + entries[right] in known for left, right in content.merges)

    def library_model(self) -> Model:
        entries = self.content.entries
        numbers = {entry: number for number, entry in enumerate(entries)}
        return models.BPE(numbers, [(entries[left], entries[right]) for left, right in self.content.merges])

    def spelling(self, number: int) -> bytes:
        entry = self.content.entries[number]
        return entry.encode() if number < len(SPECIALS) else bytes(BYTE_OF[letter] for letter in entry)

    def cut(self, word: str) -> tuple[int, ...]:
        return super().cut(in_letters(word))

    def sample(self, texts: Iterable[str], random: Random) -> list[list[int]]:
        """BPE-dropout (Provilkov et al., 2020); all that is random comes from the generator."""
        rate = self.content.config.bpe_dropout
        if rate == 0:
            return self.encode(texts)
        return [
            [id for word in part_pattern().findall(text) for id in self.cut_at_random(word, rate, random)]
            for text in texts
        ]

    def cut_at_random(self, word: str, rate: float, random: Random) -> tuple[int, ...]:
        return merge_at_random(self.letters(word), self.possible, rate, random)

    @cached_property
    def letters(self) -> Callable[[str], tuple[int, ...]]:
        """The bytes of a word as parts: what was asked lately is remembered, as words come again and again."""
        return lru_cache(REMEMBERED)(lambda word: tuple(map(self.numbers.__getitem__, in_letters(word))))

    @cached_property
    def possible(self) -> Callable[[tuple[int, ...]], tuple[tuple[int, int], ...]]:
        """The merges that a word, cut this far, is open to; remembered too."""
        return lru_cache(REMEMBERED)(lambda parts: possible_merges(parts, self.merged))

    @cached_property
    def numbers(self) -> dict[str, int]:
        return {entry: number for number, entry in enumerate(self.content.entries)}

    @cached_property
    def merged(self) -> dict[tuple[int, int], tuple[int, int]]:
        """For each pair its rank, the first learned first, and what it becomes."""
        entries = self.content.entries
        return {
            (left, right): (rank, self.numbers[entries[left] + entries[right]])
            for rank, (left, right) in enumerate(self.content.merges)
        }
