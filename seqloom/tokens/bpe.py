"""Byte-pair encoding (Sennrich et al., 2016), on bytes: frequent pairs are merged into one token."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, lru_cache
from itertools import pairwise
from random import Random

from tokenizers import models
from tokenizers.models import Model

from seqloom.tokens.backend import TokenizerData
from seqloom.tokens.bpe_training import train_merges
from seqloom.tokens.pretokenization import pretoken_pattern
from seqloom.tokens.settings import SPECIALS, TokenConfig
from seqloom.tokens.subword_tokenizer import SubwordTokenizer, frequent, with_counts


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


class BPETokenizer(SubwordTokenizer):
    """Cuts a word by merging its bytes in the order in which the merges were learned."""

    @staticmethod
    def learn(counts: Mapping[str, int], config: TokenConfig) -> TokenizerData:
        counts = frequent(counts)
        words = {in_letters(word): count for word, count in counts.items()}
        tokens, merges = train_merges(words, [*SPECIALS, *sorted(LETTERS)], config.size, config.min_frequency)
        return with_counts(BPETokenizer, TokenizerData(config, tuple(tokens), (), tuple(merges)), counts)

    @staticmethod
    def is_valid(data: TokenizerData) -> bool:
        tokens = data.tokens
        letters, known = set(LETTERS), set(tokens)
        first = tokens[len(SPECIALS) : len(SPECIALS) + len(letters)] == tuple(sorted(letters))
        spelled = all(token and letters.issuperset(token) for token in tokens[len(SPECIALS) :])
        return first and spelled and all(tokens[left] + tokens[right] in known for left, right in data.merges)

    def library_model(self) -> Model:
        tokens = self.data.tokens
        ids = {token: id for id, token in enumerate(tokens)}
        return models.BPE(ids, [(tokens[left], tokens[right]) for left, right in self.data.merges])

    def bytes_of(self, id: int) -> bytes:
        token = self.data.tokens[id]
        return token.encode() if id < len(SPECIALS) else bytes(BYTE_OF[letter] for letter in token)

    def cut(self, word: str) -> tuple[int, ...]:
        return super().cut(in_letters(word))

    def sample(self, texts: Iterable[str], random: Random) -> list[list[int]]:
        """BPE-dropout (Provilkov et al., 2020); all that is random comes from the generator."""
        rate = self.data.config.bpe_dropout
        if rate == 0:
            return self.encode(texts)
        return [
            [id for word in pretoken_pattern().findall(text) for id in self.encode_with_dropout(word, rate, random)]
            for text in texts
        ]

    def encode_with_dropout(self, word: str, rate: float, random: Random) -> tuple[int, ...]:
        return merge_with_dropout(self.letters(word), self.possible, rate, random)

    @cached_property
    def letters(self) -> Callable[[str], tuple[int, ...]]:
        """The token ids of the bytes of a word; cached, as words come again and again."""
        return lru_cache(REMEMBERED)(lambda word: tuple(map(self.token_ids.__getitem__, in_letters(word))))

    @cached_property
    def possible(self) -> Callable[[tuple[int, ...]], tuple[tuple[int, int], ...]]:
        """The merges that a word, cut this far, is open to; cached too."""
        return lru_cache(REMEMBERED)(lambda parts: possible_merges(parts, self.merged))

    @cached_property
    def token_ids(self) -> dict[str, int]:
        return {token: id for id, token in enumerate(self.data.tokens)}

    @cached_property
    def merged(self) -> dict[tuple[int, int], tuple[int, int]]:
        """For each pair of ids its rank, the first learned first, and the id of the merged token."""
        tokens = self.data.tokens
        return {
            (left, right): (rank, self.token_ids[tokens[left] + tokens[right]])
            for rank, (left, right) in enumerate(self.data.merges)
        }


def possible_merges(
    parts: tuple[int, ...], merged: Mapping[tuple[int, int], tuple[int, int]]
) -> tuple[tuple[int, int], ...]:
    """Where a word's parts can be merged and what they become there, the merge that was learned first, first.

    merged   for each pair its rank and what it becomes
    """
    found = sorted((merged[pair], place) for place, pair in enumerate(pairwise(parts)) if pair in merged)
    return tuple((place, id) for (_, id), place in found)


def merge_with_dropout(
    parts: tuple[int, ...],
    possible: Callable[[tuple[int, ...]], Iterable[tuple[int, int]]],
    rate: float,
    random: Random,
) -> tuple[int, ...]:
    """Merge a word's parts, in every step leaving out each possible merge with probability `rate`."""
    while True:
        for place, id in possible(parts):
            if random.random() >= rate:
                parts = (*parts[:place], id, *parts[place + 2 :])
                break
        else:
            return parts
