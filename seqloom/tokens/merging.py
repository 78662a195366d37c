"""Learning which pairs to merge, and merging at random.

Learned from counted words and not from the texts: what it needs does not grow with the corpus, one pass over pairs of
texts feeds two dictionaries, and the result depends on nothing but the counts. The merges are those of the library's
trainer, which a test compares.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise
from random import Random

GAP = chr(0)
"""Stands for parts that a merge does not touch: no word has the number of <pad> in it."""


def learn_merges(
    counts: Mapping[str, int], alphabet: Sequence[str], size: int, min_frequency: int
) -> tuple[list[str], list[tuple[int, int]]]:
    """Entries, the alphabet first, and the pairs of entries that make the others.

    counts          words of letters of the alphabet, and how often each was seen
    size            entries in all, at most
    min_frequency   a pair seen fewer times is not merged
    """
    entries = list(alphabet)
    numbers = {entry: number for number, entry in enumerate(entries)}
    merges: list[tuple[int, int]] = []
    corpus = Corpus(counts, numbers)
    while len(entries) < size and (pair := corpus.most_frequent(min_frequency)):
        left, right = map(ord, pair)
        entry = entries[left] + entries[right]
        if entry not in numbers:  # no corpus is known where it is; the library guards against it too
            numbers[entry] = len(entries)
            entries.append(entry)
        merges.append((left, right))
        corpus.merge(pair, chr(numbers[entry]))
    return entries, merges


class Corpus:
    """Counted words, each a text whose characters are the numbers of its parts: a merge is `str.replace`."""

    def __init__(self, counts: Mapping[str, int], numbers: Mapping[str, int]) -> None:
        code = {ord(letter): number for letter, number in numbers.items() if len(letter) == 1}
        self.words = [word.translate(code) for word in counts]
        self.counts = list(counts.values())
        self.pairs: Counter[str] = Counter()
        self.places: defaultdict[str, list[int]] = defaultdict(list)
        """The words in which a pair stands, or stood: one that has gone is passed over."""
        for place, (word, count) in enumerate(zip(self.words, self.counts)):
            for pair in pairs_of(word):
                self.pairs[pair] += count
                self.places[pair].append(place)
        self.queue = [(-count, pair) for pair, count in self.pairs.items()]
        heapify(self.queue)

    def most_frequent(self, least: int) -> str | None:
        """The pair seen most often, of equals the one of the lowest numbers; None if all are rarer than `least`."""
        while self.queue:
            count, pair = heappop(self.queue)
            now = self.pairs[pair]
            if now == -count:
                return pair if now >= least else None
            if now > 0:  # other merges have taken some of it
                heappush(self.queue, (-now, pair))
        return None

    def merge(self, pair: str, merged: str) -> None:
        """Let a pair be one part from now on."""
        born = set()
        for place in self.places.pop(pair):
            if pair not in self.words[place]:
                continue
            head, *between, tail = self.words[place].split(pair)
            self.words[place] = merged.join([head, *between, tail])
            count = self.counts[place]
            near = [head[-1:], *map(ends, between), tail[:1]]  # only the pairs at the borders change
            for other in pairs_of(pair.join(near)):
                self.pairs[other] -= count
            for other in pairs_of(merged.join(near)):
                self.pairs[other] += count
                if merged in other:
                    born.add(other)
                    self.places[other].append(place)
        for other in born:
            heappush(self.queue, (-self.pairs[other], other))


def ends(parts: str) -> str:
    """The first and the last part; what stands between them is as before."""
    return parts if len(parts) <= 2 else f"{parts[0]}{GAP}{parts[-1]}"


def pairs_of(word: str) -> Iterable[str]:
    return map("".join, pairwise(word))


def possible_merges(
    parts: tuple[int, ...], merged: Mapping[tuple[int, int], tuple[int, int]]
) -> tuple[tuple[int, int], ...]:
    """Where a word's parts can be merged and what they become there, the merge that was learned first, first.

    merged   for each pair its rank and what it becomes
    """
    found = sorted((merged[pair], place) for place, pair in enumerate(pairwise(parts)) if pair in merged)
    return tuple((place, number) for (_, number), place in found)


def merge_at_random(
    parts: tuple[int, ...],
    possible: Callable[[tuple[int, ...]], Iterable[tuple[int, int]]],
    rate: float,
    random: Random,
) -> tuple[int, ...]:
    """Merge a word's parts, in every step leaving out each possible merge with probability `rate`."""
    while True:
        for place, number in possible(parts):
            if random.random() >= rate:
                parts = (*parts[:place], number, *parts[place + 2 :])
                break
        else:
            return parts
