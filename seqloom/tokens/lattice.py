"""All ways to cut all words into pieces, summed over at once.

The words stand one behind the other, the longest first. `at[n][i]` is the piece of n + 1 letters that begins at
letter i, and a way to cut a word is a path along these edges, from its first node to its last: a word of m letters
has m + 1 nodes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np

LONGEST = 16
"""Letters of the longest piece."""
LETTERS = 1_000_000
"""Letters of all the words that are learned from, the most frequent words first."""
LONGEST_WORD = 65
"""Letters of a word that are looked at."""
SEEDS = 200_000
"""Pieces to begin with."""

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]


class Lattice:
    """All ways to cut all words; pieces have numbers, single letters the first."""

    def __init__(self, counts: Mapping[str, int]) -> None:
        pairs = [(word[:LONGEST_WORD], count) for word, count in counts.items()]
        ends = np.cumsum([len(word) for word, _ in pairs])
        pairs = pairs[: max(1, int(np.searchsorted(ends, LETTERS)))]
        pairs.sort(key=lambda pair: -len(pair[0]))  # those with a letter at place e are then the first few
        words = [word for word, _ in pairs]
        self.text = "".join(words)
        self.sizes = np.array([len(word) for word in words])
        self.starts = np.cumsum(self.sizes) - self.sizes
        self.times = np.array([count for _, count in pairs], dtype=np.float64)
        self.word = np.repeat(np.arange(len(words)), self.sizes)
        self.left = np.repeat(self.starts + self.sizes, self.sizes) - np.arange(len(self.text))
        self.node = np.arange(len(self.text)) + self.word
        self.seed()

    def seed(self) -> None:
        """Number the letters and the substrings that come twice or more, those of most letters in all first."""
        codes = np.frombuffer(self.text.encode("utf-32-le"), dtype="<u4")
        weights = self.times[self.word]
        _, ids = np.unique(codes, return_inverse=True)
        levels, scores = [ids], []
        seen = [np.bincount(ids, weights)]
        for n in range(2, LONGEST + 1):  # a substring comes twice only if both its parts of n - 1 letters do
            begin = np.flatnonzero((self.left >= n) & (ids >= 0) & (np.append(ids[1:], -1) >= 0))
            keys = ids[begin].astype(np.int64) * (len(seen[-1]) + 1) + ids[begin + 1]
            _, inner = np.unique(keys, return_inverse=True)
            times = np.bincount(inner, weights[begin])
            number = np.where(times >= 2, np.cumsum(times >= 2) - 1, -1)
            ids = np.full(len(codes), -1)
            ids[begin] = number[inner]
            levels.append(ids)
            seen.append(times[times >= 2])
            scores.append(seen[-1] * n)
        self.singles = len(seen[0])
        chosen = np.zeros(sum(map(len, scores)), dtype=bool)
        chosen[np.argsort(-np.concatenate(scores), kind="stable")[:SEEDS]] = True
        self.number(levels, seen, chosen)

    def number(self, levels: list[Array], seen: list[Array], chosen: Array) -> None:
        """Give the chosen substrings their numbers; `none` is the number of no piece."""
        numbers = np.where(chosen, self.singles + np.cumsum(chosen) - 1, -1)
        self.none = self.singles + int(chosen.sum())
        self.at = np.full((LONGEST, len(self.text) + LONGEST), self.none, dtype=np.int32)
        self.lengths = np.ones(self.none + 1, dtype=np.int64)
        self.seen = np.zeros(self.none + 1)
        self.first = np.zeros(self.none + 1, dtype=np.int64)
        offset = 0
        for n, (ids, times) in enumerate(zip(levels, seen)):
            named = np.arange(self.singles) if n == 0 else numbers[offset : offset + len(times)]
            offset += len(times) if n else 0
            begin = np.flatnonzero(ids >= 0)
            found = named[ids[begin]]
            begin, found = begin[found >= 0], found[found >= 0]
            self.at[n, begin] = found
            self.lengths[found] = n + 1
            self.first[found] = begin
            self.seen[named[named >= 0]] = times[named >= 0]
        self.alive = np.arange(self.none + 1) < self.none
        self.droppable = self.lengths > 1

    def drop(self, numbers: Array) -> None:
        """Let go of pieces."""
        self.alive[numbers] = False
        self.at = np.where(self.alive[self.at], self.at, self.none)

    def text_of(self, number: int) -> str:
        begin = int(self.first[number])
        return self.text[begin : begin + int(self.lengths[number])]

    def columns(self) -> Iterator[tuple[int, Array, Array]]:
        """For each place e in a word: the first letters and first nodes of the words with more than e letters."""
        for e in range(int(self.sizes[0])):
            count = int(np.searchsorted(-self.sizes, -e, side="left"))
            yield e, self.starts[:count], self.starts[:count] + np.arange(count)

    def expect(self, p: Array) -> Array:
        """How often each piece is to be expected in the corpus, when pieces have the probabilities p."""
        q = p * self.steady(p) ** self.lengths
        ahead, behind = np.zeros((2, len(self.text) + len(self.sizes) + LONGEST))
        ahead[self.starts + np.arange(len(self.sizes))] = 1
        columns = list(self.columns())
        for e, letter, node in columns:  # probability of all ways to the node behind letter e
            ahead[node + e + 1] = sum(
                ahead[node + e - n] * q[self.at[n, letter + e - n]] for n in range(min(e + 1, LONGEST))
            )
        last = self.starts + np.arange(len(self.sizes)) + self.sizes
        behind[last] = 1
        for e, letter, node in reversed(columns):  # of all ways from the node before letter e to the end
            behind[node + e] = sum(q[self.at[n, letter + e]] * behind[node + e + n + 1] for n in range(LONGEST))
        times = np.divide(self.times, ahead[last], out=np.zeros(len(last)), where=ahead[last] > 0)
        reached = ahead[self.node] * times[self.word]
        expected = np.zeros(self.none + 1)
        for n in range(LONGEST):
            begin = np.flatnonzero(self.at[n, : len(self.text)] < self.none)
            piece = self.at[n, begin]
            expected += np.bincount(piece, reached[begin] * q[piece] * behind[self.node[begin] + n + 1], self.none + 1)
        return expected

    def steady(self, p: Array) -> float:
        """A factor for each letter that keeps products of probabilities within the range of numbers.

        The root of a letter's mean improbability: likelier than that are frequent pieces, less likely rare letters.
        """
        single, seen = p[: self.singles], self.seen[: self.singles]
        return float(np.exp(-(seen * np.log(single)).sum() / seen.sum() / 2))

    def best_without(self, p: Array, numbers: Array) -> Array:
        """For each piece, the log-probability of the best way to spell it with others."""
        with np.errstate(divide="ignore"):
            log_p = np.log(p)
        begin, length = self.first[numbers], self.lengths[numbers]
        best = np.full((LONGEST + 1, len(numbers)), -np.inf)
        best[0] = 0
        for e in range(1, LONGEST + 1):
            for n in range(1, e + 1):
                piece = self.at[n - 1, np.minimum(begin + e - n, len(self.text))]
                other = np.where(piece == numbers, -np.inf, log_p[piece])
                best[e] = np.maximum(best[e], best[e - n] + other)
        found: Array = best[length, np.arange(len(numbers))]
        return found
