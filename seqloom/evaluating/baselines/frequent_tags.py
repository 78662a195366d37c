"""The most frequent tag of each word: the baseline for taggers."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Generic, TypeVar

T = TypeVar("T")


class FrequentTags(Generic[T]):
    """Each word has the tag that it has most often in training; one that is unknown, the tag of words seen once.

    >>> tags = FrequentTags([("the run".split(), "D N".split()), ("they run the run".split(), "P V D N".split())])
    >>> tags(["the", "run"]), tags(["walk"])
    (['D', 'N'], ['P'])
    """

    def __init__(self, sentences: Iterable[tuple[Sequence[str], Sequence[T]]]) -> None:
        counts: defaultdict[str, Counter[T]] = defaultdict(Counter)
        for words, tags in sentences:
            for word, tag in zip(words, tags, strict=True):
                counts[word][tag] += 1
        rare: Counter[T] = Counter()
        everything: Counter[T] = Counter()
        for found in counts.values():
            everything.update(found)
            if found.total() == 1:
                rare.update(found)
        self.tag_of = {word: found.most_common(1)[0][0] for word, found in counts.items()}
        self.unknown = (rare or everything).most_common(1)[0][0]

    def __call__(self, words: Sequence[str]) -> list[T]:
        return [self.tag_of.get(word, self.unknown) for word in words]
