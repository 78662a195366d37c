"""A vocabulary shortlist: for each source token the target tokens that it is translated by, learned from pairs.

An output layer that knows them computes a few hundred logits instead of all. Alignments are those of IBM's model 1
(Brown et al., 1993): a target token comes from one of the source tokens, wherever they stand, or from none of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqloom.errors import SeqloomError
from seqloom.tokens.settings import SPECIALS

FREQUENT = 100
"""Target tokens that are candidates whatever the source says: articles, endings, punctuation."""
CELLS = 10_000_000
"""Pairs of a source and a target token that are aligned at most: some 50,000 sentences, and 600 MB of memory."""
ROUNDS = 5
"""Of expectation and maximisation."""
NOWHERE = 0
"""The source token, which is <pad> elsewhere, of a target token that comes from none."""
SEPARATORS = frozenset(" \t\n")
"""Characters that a token of the file cannot have."""

Ids = Sequence[int] | NDArray[Any]
Pair = tuple[Ids, Ids]
Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Shortlist:
    """Candidates for each source token that was seen, the likeliest first, and those for every source."""

    candidates: dict[int, list[int]]
    frequent: list[int]

    def of(self, source: Iterable[int]) -> set[int]:
        """All that can be written for a source."""
        return set(self.frequent).union(*(self.candidates.get(token, ()) for token in source))

    def as_text(self, source: Sequence[str], target: Sequence[str]) -> str:
        """The file, with the tokens of both vocabularies; a token with a space in it has no place there.

        Nor has a source token without candidates that can stand there: those for every source are left to it.
        """
        if any(not writable(target[token]) for token in self.frequent):
            what = "a shortlist is not possible where spaces are tokens of their own"
            raise SeqloomError(what, remedy="export it without --shortlist")

        rows = [("", self.frequent), *((source[token], found) for token, found in sorted(self.candidates.items()))]
        written = ((key, " ".join(filter(writable, (target[token] for token in found)))) for key, found in rows)
        return "".join(f"{key}\t{tokens}\n" for key, tokens in written if writable(key) and tokens)


def writable(token: str) -> bool:
    """Whether a token can stand in the file."""
    return not SEPARATORS & set(token)


def learn_shortlist(pairs: Iterable[Pair], size: int, per_token: int, *, shared: bool) -> Shortlist:
    """Align pairs of token ids.

    size       of the target vocabulary
    per_token  candidates for a source token
    shared     both sides have one vocabulary, so that a name is a candidate for itself

    >>> found = learn_shortlist([([4, 5], [6, 7]), ([4], [6]), ([5, 4], [7, 6])], 8, 1, shared=False)
    >>> found.candidates
    {4: [6], 5: [7]}
    """
    cells, targets = cells_of(pairs, size)
    likeliest = by_probability(*align(cells, size), size)
    candidates = {
        source: list(dict.fromkeys([*([source] if shared else []), *found[:per_token].tolist()]))
        for source, found in likeliest
    }
    order = np.argsort(-targets, kind="stable")[:FREQUENT]
    frequent = dict.fromkeys([*range(len(SPECIALS)), *order[targets[order] > 0].tolist()])
    return Shortlist(candidates, list(frequent))


@dataclass(frozen=True)
class Cells:
    """All pairs of a source token and a target token of one sentence pair."""

    pairs: Numbers  # (C): source * size + target
    places: Numbers  # (C): the target token among all target tokens


def cells_of(pairs: Iterable[Pair], size: int) -> tuple[Cells, Numbers]:
    """The cells of as many sentence pairs as there is room for; how often each target token was seen (V)."""
    keys: list[Numbers] = []
    places: list[Numbers] = []
    seen, room, begin = np.zeros(size, np.int64), CELLS, 0
    for source, target in pairs:
        row = np.array([NOWHERE, *dict.fromkeys(source)], np.int64)  # (S)
        column = np.array(target, np.int64)  # (T)
        room -= len(row) * len(column)
        if room < 0:
            break
        keys.append((row[None] * size + column[:, None]).ravel())
        places.append(np.repeat(np.arange(begin, begin + len(column)), len(row)))
        begin += len(column)
        seen += np.bincount(column, minlength=size)
    if not begin:
        raise SeqloomError("there are no pairs to learn a shortlist from", remedy="export it without --shortlist")
    return Cells(np.concatenate(keys), np.concatenate(places)), seen


def align(cells: Cells, size: int) -> tuple[Numbers, NDArray[np.float64]]:
    """Each pair of tokens that occurs, in order, and the probability of its target given its source."""
    pairs, where = np.unique(cells.pairs, return_inverse=True)
    sources = pairs // size
    probability = np.ones(len(pairs))
    for _ in range(ROUNDS):
        expected = probability[where]
        expected /= np.bincount(cells.places, expected)[cells.places]  # which source token each target came from
        counts = np.bincount(where, expected, len(pairs))
        probability = counts / np.bincount(sources, counts)[sources]
    return pairs, probability


def by_probability(pairs: Numbers, probability: NDArray[np.float64], size: int) -> Iterable[tuple[int, Numbers]]:
    """Each source token with its targets, the likeliest first."""
    order = np.lexsort((-probability, pairs // size))
    sources, targets = pairs[order] // size, pairs[order] % size
    ends = np.flatnonzero(np.diff(sources)) + 1
    groups = zip(sources[[0, *ends]].tolist(), np.split(targets, ends), strict=True)
    return ((source, found) for source, found in groups if source != NOWHERE)
