"""Sentences of word ids as flat arrays, a chunk of the corpus at a time; counts of words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from seqloom.errors import DataError

Sentences: TypeAlias = Iterable[Sequence[int]]
"""Sentences of word ids; read several times, so a list or a class with `__iter__`, and no generator."""
IntArray: TypeAlias = NDArray[np.int64]

CHUNK = 200_000
"""Words of a chunk, about: what is held in memory at once."""


class CorpusChunk(NamedTuple):
    """A run of whole sentences, one behind the other."""

    words: IntArray
    sentence: IntArray  # which sentence each word stands in


class WordCounts(NamedTuple):
    """How often the words of a text occur, and which of them are learned."""

    counts: IntArray  # of the learned words
    new: IntArray  # from a word id to its vector among the learned, -1 for words that are too rare
    old: IntArray  # from a vector to the word id
    words: int  # in the whole text


def chunks(sentences: Sentences, size: int = CHUNK) -> Iterator[CorpusChunk]:
    """The text in runs of about `size` words; a longer sentence is cut there."""
    held: list[int] = []
    lengths: list[int] = []
    for sentence in sentences:
        words = iter(sentence)
        while part := list(islice(words, size)):
            held += part
            lengths.append(len(part))
            if len(held) >= size:
                yield chunk(held, lengths)
                held, lengths = [], []
    if held:
        yield chunk(held, lengths)


def chunk(words: list[int], lengths: list[int]) -> CorpusChunk:
    return CorpusChunk(np.array(words, np.int64), np.repeat(np.arange(len(lengths)), lengths))


def count_words(sentences: Sentences, vocabulary: int, min_count: int) -> WordCounts:
    """Count the words of a text and choose those that occur often enough."""
    if iter(sentences) is sentences:
        remedy = "give a list, or a class whose __iter__ begins anew"
        raise DataError("the sentences are read several times, but can be read only once", remedy=remedy)
    counts = np.zeros(vocabulary, np.int64)
    for part in chunks(sentences):
        if part.words.min() < 0 or part.words.max() >= vocabulary:
            wrong = part.words[(part.words < 0) | (part.words >= vocabulary)][0]
            remedy = "give the vocabulary that the ids of the sentences are of"
            raise DataError(f"a sentence has word id {wrong}, and there are {vocabulary:,} words", remedy=remedy)
        counts += np.bincount(part.words, minlength=vocabulary)
    old = np.flatnonzero(counts >= min_count)
    if len(old) < 2:
        remedy = "give more text, or lower min_count"
        raise DataError(f"{len(old)} words occur {min_count} times or more", remedy=remedy)
    new = np.full(vocabulary, -1, np.int64)
    new[old] = np.arange(len(old))
    return WordCounts(counts[old], new, old, int(counts.sum()))


def without_rare_words(part: CorpusChunk, count: WordCounts) -> CorpusChunk:
    """A chunk without the rare words, in ids of the learned ones: those around them come closer together."""
    ids = count.new[part.words]
    keep = ids >= 0
    return CorpusChunk(ids[keep], part.sentence[keep])
