"""In which order the nodes of a column stand above each other, so that few lines cross.

Each column is sorted by the mean place of its neighbours in the column before, then behind, over and
over, and neighbours in a column are swapped where that helps. This is tried from several beginnings. Where
more than a few crossings are left, `fewest` tries more.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

Columns = list[list[str]]
Near = tuple[str, float, int]  # a neighbour, where on it, and the weight of the line
ROUNDS, SHUFFLES = 8, 6
FEW = 2  # crossings that a reader does not mind


@dataclass(frozen=True)
class Strand:
    """A line from one column to the next; the shares say how far down on a node it is fixed, from 0 to 1.

    A crossing costs the product of two weights: branches of one value, which run side by side, cost little.
    """

    start: str
    start_share: float
    end: str
    end_share: float
    weight: int = 1


def order(columns: Columns, strands: Sequence[Strand], wish: Mapping[str, int]) -> Columns:
    """The columns sorted; among equally good orders the one nearest to the order of `wish`."""
    wanted = [sorted(column, key=wish.__getitem__) for column in columns]
    beginnings = [wanted, [column[::-1] for column in wanted]]
    dice = random.Random(0)  # the same throws every time: a figure looks the same tomorrow
    beginnings += [[dice.sample(column, len(column)) for column in wanted] for _ in range(SHUFFLES)]
    sorter = Sorter(columns, strands)
    results = [found for beginning in beginnings for found in sorter.improve(beginning)]
    return min(results, key=lambda found: (sorter.crossings(found), unwished(found, wish)))


def fewest(usual: Columns, strands: Sequence[Strand], wish: Mapping[str, int]) -> Columns:
    """The order in which the fewest lines are seen to cross; the usual one if those are few."""
    sorter = Sorter(usual, strands)
    if sorter.seen(usual) <= FEW:
        return usual
    alike = Sorter(usual, [replace(strand, weight=1) for strand in strands])
    ranks, dice = sorted(set(wish.values())), random.Random(0)
    results = [usual]
    for throw in (ranks, ranks[::-1], *(dice.sample(ranks, len(ranks)) for _ in range(2 * SHUFFLES))):
        rank = dict(zip(ranks, throw, strict=True))  # one for all bends of a line
        beginning = [sorted(column, key=lambda key: rank[wish[key]]) for column in usual]
        results += sorter.improve(beginning) + alike.improve(beginning)
    return min(results, key=lambda found: (sorter.seen(found), sorter.crossings(found), unwished(found, wish)))


def unwished(columns: Columns, wish: Mapping[str, int]) -> int:
    """How many pairs stand against the wish."""
    return sum(wish[a] > wish[b] for column in columns for i, a in enumerate(column) for b in column[i + 1 :])


class Sorter:
    """Sorts the columns of one drawing."""

    def __init__(self, columns: Columns, strands: Sequence[Strand]) -> None:
        column_of = {key: index for index, column in enumerate(columns) for key in column}
        self.gaps: list[list[Strand]] = [[] for _ in columns]
        self.counted: dict[tuple[int, tuple[str, ...], tuple[str, ...]], int] = {}
        self.before: defaultdict[str, list[Near]] = defaultdict(list)
        self.behind: defaultdict[str, list[Near]] = defaultdict(list)
        for strand in strands:
            self.gaps[column_of[strand.start]].append(strand)
            self.before[strand.end].append((strand.start, strand.start_share, strand.weight))
            self.behind[strand.start].append((strand.end, strand.end_share, strand.weight))

    def improve(self, columns: Columns) -> list[Columns]:
        """The orders that this one leads to."""
        found = []
        for _ in range(ROUNDS):
            for forward in (True, False):
                columns = self.swap(self.sweep(columns, forward))
                found.append(columns)
            if columns in found[1:-1:2]:
                break  # it goes round in a circle
        return found

    def sweep(self, columns: Columns, forward: bool) -> Columns:
        columns = [list(column) for column in columns]
        numbers = range(1, len(columns)) if forward else range(len(columns) - 2, -1, -1)
        near = self.before if forward else self.behind
        for number in numbers:
            place = places(columns[number - 1 if forward else number + 1])
            own = places(columns[number])
            mean = {
                key: sum(place[other] + share for other, share, _ in near[key]) / len(near[key])
                if near[key]
                else own[key]
                for key in columns[number]
            }
            columns[number].sort(key=mean.__getitem__)
        return columns

    def swap(self, columns: Columns) -> Columns:
        """Exchange two that stand next to each other for as long as that takes crossings away."""
        columns = [list(column) for column in columns]
        better = True
        while better:
            better = False
            for number, column in enumerate(columns):
                before = places(columns[number - 1]) if number else {}
                behind = places(columns[number + 1]) if number + 1 < len(columns) else {}
                for i in range(len(column) - 1):
                    a, b = column[i], column[i + 1]
                    gain = 0
                    for near, place in ((self.before, before), (self.behind, behind)):
                        gain += crossed(near[a], near[b], place) - crossed(near[b], near[a], place)
                    if gain > 0:
                        column[i], column[i + 1] = b, a
                        better = True
        return columns

    def crossings(self, columns: Columns) -> int:
        count = 0
        for number in range(len(columns) - 1):
            left, right = places(columns[number]), places(columns[number + 1])
            ends = [
                (left[each.start] + each.start_share, right[each.end] + each.end_share, each.weight)
                for each in self.gaps[number]
            ]
            for i, (a, b, weight) in enumerate(ends):
                count += sum(weight * other for c, d, other in ends[i + 1 :] if (a - c) * (b - d) < 0)
        return count

    def seen(self, columns: Columns) -> int:
        """How many lines cross where all lines that leave one place share a track (see routing.py)."""
        return sum(self.seen_behind(number, *columns[number : number + 2]) for number in range(len(columns) - 1))

    def seen_behind(self, number: int, left: list[str], right: list[str]) -> int:
        key = number, tuple(left), tuple(right)
        if key not in self.counted:
            start, end = places(left), places(right)
            ends: defaultdict[float, list[float]] = defaultdict(list)
            for each in self.gaps[number]:
                ends[start[each.start] + each.start_share].append(end[each.end] + each.end_share)
            self.counted[key] = sum(tracks_cross(ends[a], ends[b]) for a, b in combinations(sorted(ends), 2))
        return self.counted[key]


def tracks_cross(upper: list[float], lower: list[float]) -> int:
    """How often two values cross by their ends on the right, whichever of their tracks is the left one."""
    upper_left = sum(min(lower) < end < max(lower) for end in upper) + (max(upper) > max(lower))
    lower_left = sum(min(upper) < end < max(upper) for end in lower) + (min(lower) < min(upper))
    return min(upper_left, lower_left)


def places(column: list[str]) -> dict[str, int]:
    return {key: place for place, key in enumerate(column)}


def crossed(upper: list[Near], lower: list[Near], place: dict[str, int]) -> int:
    """The price of the crossings between the lines of two nodes, one above the other."""
    return sum(v * w for a, i, v in upper for b, j, w in lower if place[a] + i > place[b] + j)
