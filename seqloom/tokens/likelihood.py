"""Learning the parts of the unigram model: begin with every frequent substring, and let go of the useless ones.

In turn, expectation-maximisation finds the probability of each part, and those whose loss costs the corpus least
likelihood are dropped, until as many are left as were asked for. The library's trainer does the same, but its result
changes from run to run with the order of its hash tables; this one depends on nothing but the counts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from seqloom.tokens.lattice import Array, Lattice

KEPT = 0.75
"""Share of the pieces that stays when the others are dropped."""
COVERED = 0.9995
"""Share of the text whose characters must have entries; the rest are rare ones, for which bytes do."""


def learn_pieces(counts: Mapping[str, int], room: int) -> list[tuple[str, float]]:
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
    scored = [(lattice.text_of(number), round(math.log(p[number]) - total, 6)) for number in chosen]
    return sorted(scored, key=lambda item: (-item[1], item[0]))


def covering(seen: Array, room: int) -> list[int]:
    """The most frequent characters, until nearly all of the text is covered or the room is full."""
    order = np.argsort(-seen, kind="stable")
    share = np.cumsum(seen[order]) / seen.sum()
    enough = int(np.searchsorted(share, COVERED)) + 1
    numbers: list[int] = order[: min(enough, room)].tolist()
    return numbers
