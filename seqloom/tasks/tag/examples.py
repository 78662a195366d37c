"""Sentences as token ids, in pieces that the model reads at once; joined again after it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from seqloom.tasks.tag.word_splitting import token_ids_of
from seqloom.tokens.settings import BOS, EOS
from seqloom.tokens.tokenizer import Tokenizer

T = TypeVar("T")
Ids: TypeAlias = Sequence[int] | NDArray[Any]
NO_TAG = 0
"""Stands at every part of a word but the first, and at padding; tags are counted from 1."""
LETTERS = 24
"""Letters of a word that are read: of a longer one its first and its last."""


class TagExample(NamedTuple):
    """A sentence, or a piece of one: as many elements in `text`, `tags` and `sizes` as there are tokens."""

    text: Ids
    tags: Ids
    letters: Ids
    """Of all words, one behind the other."""
    sizes: Ids
    """How many letters belong to each token: 0 but for the first part of a word."""
    goes_on: Ids
    """1 if this continues the sentence of the example before, else 0."""


def examples_of(
    words: Sequence[str], tags: Sequence[int], tokenizer: Tokenizer, letters: Tokenizer | None, longest: int
) -> Iterator[TagExample]:
    """A sentence as examples of at most `longest` tokens, cut between words; one example if it has no words."""
    ids = [parts[:longest] for parts in token_ids_of(tokenizer, words)]
    spelled = spell(words, letters) if letters is not None else [[] for _ in words]
    goes_on = 0
    for first, last in pieces([len(parts) for parts in ids], longest):
        tokens, spellings = ids[first:last], spelled[first:last]
        yield TagExample(
            text=end_to_end(tokens),
            tags=end_to_end([tag + 1, *[NO_TAG] * (len(parts) - 1)] for tag, parts in zip(tags[first:last], tokens)),
            letters=end_to_end(spellings),
            sizes=end_to_end([len(word), *[0] * (len(parts) - 1)] for word, parts in zip(spellings, tokens)),
            goes_on=[goes_on],
        )
        goes_on = 1


def frame_examples(frames: NDArray[np.float32], tags: Sequence[int], longest: int) -> Iterator[TagExample]:
    """Frames (T, D) as examples of at most `longest` of them, each with its tag."""
    for first in range(0, max(len(frames), 1), longest):
        some = frames[first : first + longest]
        of_these = [tag + 1 for tag in tags[first : first + longest]]
        yield TagExample(some, of_these, [], [0] * len(some), [int(first > 0)])


def pieces(sizes: Sequence[int], longest: int) -> Iterator[tuple[int, int]]:
    """Where to cut words of these sizes, so that each piece holds as many as fit.

    >>> list(pieces([2, 1, 3, 1], 4)), list(pieces([], 4))
    ([(0, 2), (2, 4)], [(0, 0)])
    """
    first = held = 0
    for place, size in enumerate(sizes):
        if held + size > longest:
            yield first, place
            first, held = place, 0
        held += size
    yield first, len(sizes)


def spell(words: Sequence[str], letters: Tokenizer) -> list[list[int]]:
    """The letters of each word, between a mark for its begin and one for its end."""
    half = LETTERS // 2
    short = (word if len(word) <= LETTERS else word[:half] + word[-half:] for word in words)
    return [[BOS, *ids, EOS] for ids in letters.encode_batch(short)]


def end_to_end(lists: Iterable[Sequence[int]]) -> list[int]:
    return list(chain.from_iterable(lists))


def whole(found: Mapping[int, list[T]], goes_on: Sequence[bool]) -> list[list[T]]:
    """What was found for each example, by its index, as what was found for each sentence.

    >>> whole({0: ["a"], 2: ["d"], 1: ["b", "c"]}, [False, True, False])
    [['a', 'b', 'c'], ['d']]
    """
    sentences: list[list[T]] = []
    for row, more in enumerate(goes_on):
        if more:
            sentences[-1].extend(found[row])
        else:
            sentences.append(list(found[row]))
    return sentences
