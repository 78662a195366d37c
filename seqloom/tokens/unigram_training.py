"""Training of the unigram model (Kudo, 2018): begin with every frequent substring, and let go of the useless ones.

In turn, expectation-maximisation finds the probability of each piece, and those whose loss costs the corpus least
likelihood are dropped, until as many are left as were asked for. The library's trainer does the same, but its result
changes from run to run with the order of its hash tables; this one depends on nothing but the counts.
"""

from __future__ import annotations

import math
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
KEPT = 0.75
"""Share of the pieces that stays when the others are dropped."""
COVERED = 0.9995
"""Share of the text whose characters must be tokens; the rest are rare ones, for which bytes do."""

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]


def train_pieces(counts: Mapping[str, int], room: int) -> list[tuple[str, float]]:
    """At most `room` pieces and their log-probabilities, the likeliest first.

    counts   words and how often each was seen, the most frequent first
    """
    lattice = Lattice(counts)
    singles = covering(lattice.seen[: lattice.singles], room)
    wanted = room - len(singles)
    p = lattice.seen * lattice.lengths
    p = p / p.sum()
    while True:
        for _ in range(2):
            expected = lattice.expect(p)
            lattice.drop(np.flatnonzero((expected < 0.5) & lattice.droppable))
            p = np.where(lattice.alive, np.maximum(expected, 1e-3), 0.0)
            p = p / p.sum()
        longer = np.flatnonzero(lattice.alive & lattice.droppable)
        if len(longer) <= wanted:
            break
        keep = max(wanted, int(len(longer) * KEPT))
        loss = expected[longer] * (np.log(p[longer]) - lattice.best_without(p, longer))
        lattice.drop(longer[np.argsort(-loss, kind="stable")[keep:]])
    chosen = [*singles, *longer.tolist()]
    total = math.log(p[chosen].sum())
    scored = [(lattice.text_of(piece), round(math.log(p[piece]) - total, 6)) for piece in chosen]
    return sorted(scored, key=lambda item: (-item[1], item[0]))


def covering(seen: Array, room: int) -> list[int]:
    """The most frequent characters, until nearly all of the text is covered or the room is full."""
    order = np.argsort(-seen, kind="stable")
    coverage = np.cumsum(seen[order]) / seen.sum()
    enough = int(np.searchsorted(coverage, COVERED)) + 1
    ids: list[int] = order[: min(enough, room)].tolist()
    return ids


class Lattice:
    """All ways to cut all words into pieces, summed over at once; piece ids begin with the single letters.

    The words stand one behind the other, the longest first. `at[n][i]` is the piece of n + 1 letters that begins at
    letter i, and a way to cut a word is a path along these edges, from its first node to its last: a word of m letters
    has m + 1 nodes.
    """

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
        self.assign_ids(levels, seen, chosen)

    def assign_ids(self, levels: list[Array], seen: list[Array], chosen: Array) -> None:
        """Give the chosen substrings their piece ids; `none` is the id of no piece."""
        piece_ids = np.where(chosen, self.singles + np.cumsum(chosen) - 1, -1)
        self.none = self.singles + int(chosen.sum())
        self.at = np.full((LONGEST, len(self.text) + LONGEST), self.none, dtype=np.int32)
        self.lengths = np.ones(self.none + 1, dtype=np.int64)
        self.seen = np.zeros(self.none + 1)
        self.first = np.zeros(self.none + 1, dtype=np.int64)
        offset = 0
        for n, (ids, times) in enumerate(zip(levels, seen)):
            named = np.arange(self.singles) if n == 0 else piece_ids[offset : offset + len(times)]
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

    def drop(self, piece_ids: Array) -> None:
        """Let go of pieces."""
        self.alive[piece_ids] = False
        self.at = np.where(self.alive[self.at], self.at, self.none)

    def text_of(self, piece: int) -> str:
        begin = int(self.first[piece])
        return self.text[begin : begin + int(self.lengths[piece])]

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

    def best_without(self, p: Array, piece_ids: Array) -> Array:
        """For each piece, the log-probability of the best way to spell it with others."""
        with np.errstate(divide="ignore"):
            log_p = np.log(p)
        begin, length = self.first[piece_ids], self.lengths[piece_ids]
        best = np.full((LONGEST + 1, len(piece_ids)), -np.inf)
        best[0] = 0
        for e in range(1, LONGEST + 1):
            for n in range(1, e + 1):
                piece = self.at[n - 1, np.minimum(begin + e - n, len(self.text))]
                other = np.where(piece == piece_ids, -np.inf, log_p[piece])
                best[e] = np.maximum(best[e], best[e - n] + other)
        found: Array = best[length, np.arange(len(piece_ids))]
        return found
