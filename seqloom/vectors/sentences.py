"""Sentences of word numbers as flat arrays, a piece of the text at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from seqloom.errors import DataError

Sentences: TypeAlias = Iterable[Sequence[int]]
"""Sentences of word numbers; read several times, so a list or a class with `__iter__`, and no generator."""
Numbers: TypeAlias = NDArray[np.int64]

PIECE = 200_000
"""Words of a piece, about: what is held in memory at once."""


class Piece(NamedTuple):
    """A run of whole sentences, one behind the other."""

    words: Numbers
    sentence: Numbers  # which sentence each word stands in


class Counted(NamedTuple):
    """How often the words of a text occur, and which of them are learned."""

    counts: Numbers  # of the learned words
    new: Numbers  # from a word's number to its row among the learned, -1 for words that are too rare
    old: Numbers  # from a row to the number of the word
    words: int  # in the whole text


def pieces(sentences: Sentences, size: int = PIECE) -> Iterator[Piece]:
    """The text in runs of about `size` words; a longer sentence is cut there."""
    held: list[int] = []
    lengths: list[int] = []
    for sentence in sentences:
        words = iter(sentence)
        while part := list(islice(words, size)):
            held += part
            lengths.append(len(part))
            if len(held) >= size:
                yield piece(held, lengths)
                held, lengths = [], []
    if held:
        yield piece(held, lengths)


def piece(words: list[int], lengths: list[int]) -> Piece:
    return Piece(np.array(words, np.int64), np.repeat(np.arange(len(lengths)), lengths))


def counted(sentences: Sentences, vocabulary: int, min_count: int) -> Counted:
    """Count the words of a text and choose those that occur often enough."""
    if iter(sentences) is sentences:
        remedy = "give a list, or a class whose __iter__ begins anew"
        raise DataError("the sentences can be read only once, and are read several times", remedy=remedy)
    counts = np.zeros(vocabulary, np.int64)
    for part in pieces(sentences):
        if part.words.min() < 0 or part.words.max() >= vocabulary:
            wrong = part.words[(part.words < 0) | (part.words >= vocabulary)][0]
            remedy = "give the words that the sentences were numbered with"
            raise DataError(f"a sentence has word {wrong}, and there are {vocabulary:,} words", remedy=remedy)
        counts += np.bincount(part.words, minlength=vocabulary)
    old = np.flatnonzero(counts >= min_count)
    if len(old) < 2:
        remedy = "give more text, or lower min_count"
        raise DataError(f"{len(old)} words occur {min_count} times or more", remedy=remedy)
    new = np.full(vocabulary, -1, np.int64)
    new[old] = np.arange(len(old))
    return Counted(counts[old], new, old, int(counts.sum()))


def learned(part: Piece, count: Counted) -> Piece:
    """A piece without the rare words, in the numbers of the rows: those around them come closer together."""
    rows = count.new[part.words]
    keep = rows >= 0
    return Piece(rows[keep], part.sentence[keep])
