"""Training of byte-pair encoding: which pairs of tokens to merge.

Learned from counted words and not from the texts: what it needs does not grow with the corpus, one pass over pairs of
texts feeds two vocabularies, and the result depends on nothing but the counts. The merges are those of the library's
trainer, which a test compares.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise

GAP = chr(0)
"""Stands for parts that a merge does not touch: no word has the id of <pad> in it."""


def train_merges(
    counts: Mapping[str, int], alphabet: Sequence[str], size: int, min_frequency: int
) -> tuple[list[str], list[tuple[int, int]]]:
    """Entries, the alphabet first, and the pairs of token ids that make the others.

    counts          words of letters of the alphabet, and how often each was seen
    size            tokens in all, at most
    min_frequency   a pair seen fewer times is not merged
    """
    tokens = list(alphabet)
    ids = {token: id for id, token in enumerate(tokens)}
    merges: list[tuple[int, int]] = []
    corpus = BPECorpus(counts, ids)
    while len(tokens) < size and (pair := corpus.most_frequent(min_frequency)):
        left, right = map(ord, pair)
        token = tokens[left] + tokens[right]
        if token not in ids:  # no corpus is known where it is; the library guards against it too
            ids[token] = len(tokens)
            tokens.append(token)
        merges.append((left, right))
        corpus.merge(pair, chr(ids[token]))
    return tokens, merges


class BPECorpus:
    """Counted words, each a text whose characters are the ids of its tokens: a merge is `str.replace`."""

    def __init__(self, counts: Mapping[str, int], ids: Mapping[str, int]) -> None:
        code = {ord(letter): id for letter, id in ids.items() if len(letter) == 1}
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
        """The pair seen most often, of equals the one of the lowest ids; None if all are rarer than `least`."""
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
