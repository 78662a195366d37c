"""Whole numbers that keep their distances and make the sum of weighted lengths small.

Network simplex, after E. Gansner et al., A technique for drawing directed graphs, IEEE Transactions on
Software Engineering 19, 1993. A figure uses it twice: for the columns of its nodes, and for their heights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Distance:
    """`end` lies at least `least` behind `start`; every step of distance costs `weight`."""

    start: int
    end: int
    least: int
    weight: int = 0


def solve(count: int, distances: Sequence[Distance]) -> list[int]:
    """The numbers 0..count-1 placed; their distances must have no cycle.

    >>> solve(3, [Distance(0, 1, 1, 1), Distance(1, 2, 1, 2), Distance(0, 2, 5)])
    [0, 4, 5]
    """
    root = count  # bound to all at no price, so that the tree below reaches everything
    return Simplex(count + 1, [*distances, *(Distance(root, node, 0) for node in range(count))]).solve()[:count]


class Simplex:
    """A tree of tight distances; one that would rather be longer is exchanged until there is none."""

    def __init__(self, count: int, distances: list[Distance]) -> None:
        self.count, self.distances = count, distances
        self.pull = [0] * count  # what it costs to move a node up by one, with the others held
        for distance in distances:
            self.pull[distance.end] += distance.weight
            self.pull[distance.start] -= distance.weight
        self.place = self.first_places()
        self.tree = self.tight_tree()

    def solve(self) -> list[int]:
        for _ in range(20 * self.count):  # ends far earlier; the bound is against going round in a circle
            if not self.exchange():
                break
        lowest = min(self.place[:-1], default=0)
        return [place - lowest for place in self.place]

    def slack(self, distance: Distance) -> int:
        return self.place[distance.end] - self.place[distance.start] - distance.least

    def first_places(self) -> list[int]:
        """As low as the distances allow."""
        before: list[list[Distance]] = [[] for _ in range(self.count)]
        for distance in self.distances:
            before[distance.end].append(distance)
        place: dict[int, int] = {}

        def visit(node: int) -> int:
            if node not in place:
                place[node] = max((visit(each.start) + each.least for each in before[node]), default=0)
            return place[node]

        return [visit(node) for node in range(self.count)]

    def tight_tree(self) -> list[Distance]:
        """Distances without slack that hold all nodes together; nodes are moved until there are enough."""
        inside, tree = {0}, []
        while len(inside) < self.count:
            leaving = [each for each in self.distances if (each.start in inside) != (each.end in inside)]
            nearest = min(leaving, key=self.slack)
            if shift := self.slack(nearest):
                shift = shift if nearest.end not in inside else -shift
                for node in inside:
                    self.place[node] += shift
            inside |= {nearest.start, nearest.end}
            tree.append(nearest)
        return tree

    def exchange(self) -> bool:
        """Let go of the distance whose cut gains the most, and hold the tightest across that cut instead."""
        side, gain, leaving = self.best_cut()
        if leaving is None or gain <= 0:
            return False
        upward = leaving.end in side  # the side moves away from the rest
        crossing = [
            each
            for each in self.distances
            if (each.start in side) != (each.end in side) and (each.start in side) == upward
        ]
        entering = min(crossing, key=self.slack)
        shift = self.slack(entering) if upward else -self.slack(entering)
        for node in side:
            self.place[node] += shift
        self.tree[self.tree.index(leaving)] = entering
        return True

    def best_cut(self) -> tuple[set[int], int, Distance | None]:
        """The tree edge that, let go, lets one side move at the greatest gain; and that side."""
        beside: list[list[Distance]] = [[] for _ in range(self.count)]
        for each in self.tree:
            beside[each.start].append(each)
            beside[each.end].append(each)
        order, above = [0], {0: self.tree[0]}
        for node in order:
            for each in beside[node]:
                other = each.start + each.end - node
                if other not in above:
                    above[other] = each
                    order.append(other)
        total = list(self.pull)
        best, gain, leaving = 0, 0, None
        for node in reversed(order[1:]):
            each = above[node]
            total[each.start + each.end - node] += total[node]
            # a side at the end of a distance may move up, one at its start down
            saved = -total[node] if each.end == node else total[node]
            if saved > gain:
                best, gain, leaving = node, saved, each
        side, found = {best}, [best]
        for node in found if leaving else []:
            for each in beside[node]:
                other = each.start + each.end - node
                if each is not leaving and other not in side:
                    side.add(other)
                    found.append(other)
        return side, gain, leaving
