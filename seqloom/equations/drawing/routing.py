"""The ways of the lines between columns: level, up or down a track, and level again.

All lines that leave one place share a track, as on a circuit board, so that the branches of a value are
seen to be one value. Tracks stand in the order in which they cross the fewest lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations, permutations

from seqloom.equations.drawing.placing import Placing

NEAR = 5.0  # lines closer than this are read as one
PITCH = 9.0  # from track to track
LEAD, HEAD = 9.0, 15.0  # level pieces before a track and behind it, where the arrow is


@dataclass
class Net:
    """Lines from one height on the left to several on the right; `track` is counted from the left."""

    start: float
    ends: list[float] = field(default_factory=list)
    track: int = 0

    @property
    def low(self) -> float:
        return min(self.start, *self.ends)

    @property
    def high(self) -> float:
        return max(self.start, *self.ends)


def route(placing: Placing) -> tuple[float, float]:
    """Fill in the x of every cell and the points of every wire; the width and the height of all."""
    tracks: dict[tuple[str, str], float] = {}
    x = 0.0
    for number, column in enumerate(placing.columns):
        cells = [placing.cells[key] for key in column]
        x += max((cell.left for cell in cells), default=0)
        for cell in cells:
            cell.x = x
        x += max((cell.right for cell in cells), default=0)
        if number + 1 < len(placing.columns):
            nets = nets_behind(placing, number)
            count = assign_tracks(list(nets.values()))
            tracks |= {place: x + LEAD + net.track * PITCH for place, net in nets.items()}
            x += LEAD + (count - 1) * PITCH + HEAD
    draw_wires(placing, tracks)
    return x, max(cell.y + cell.down for cell in placing.cells.values())


def nets_behind(placing: Placing, column: int) -> dict[tuple[str, str], Net]:
    """The lines behind a column, by the place that they leave."""
    nets: dict[tuple[str, str], Net] = {}
    for link in placing.links:
        if placing.cells[link.start].column == column:
            start, end = placing.ends(link)
            nets.setdefault((link.start, link.out), Net(start)).ends.append(end)
    return nets


def draw_wires(placing: Placing, tracks: dict[tuple[str, str], float]) -> None:
    for wire in placing.wires:
        for link in wire.links:
            start, end = placing.cells[link.start], placing.cells[link.end]
            (height, goal), track = placing.ends(link), tracks[link.start, link.out]
            if link is wire.links[0]:
                wire.points.append((start.x + start.touch(height - start.y), height))
            wire.points += [(track, height), (track, goal)]
            if link is wire.links[-1]:
                wire.points.append((end.x - end.touch(goal - end.y), goal))


def assign_tracks(nets: Sequence[Net]) -> int:
    """Give every net its track; how many there are. A level line needs none of its own."""
    placed: list[Net] = []
    for net in best_order([net for net in nets if net.low < net.high]):
        net.track = max((other.track + 1 for other in placed if conflict(other, net)), default=0)
        placed.append(net)
    return max((net.track + 1 for net in placed), default=1)


def conflict(a: Net, b: Net) -> bool:
    """Whether two nets cannot share a track."""
    return a.low < b.high + NEAR and b.low < a.high + NEAR


def best_order(nets: list[Net]) -> list[Net]:
    """From left to right: of a few all orders are tried, of many each is put again where it is best."""
    if len(nets) <= 5:
        return list(min(permutations(nets), key=price))
    order: list[Net] = []
    for net in nets * 3:
        others = [other for other in order if other is not net]
        order = min(([*others[:i], net, *others[i:]] for i in range(len(others) + 1)), key=price)
    return order


def price(order: Iterable[Net]) -> int:
    return sum(crossings(left, right) for left, right in combinations(order, 2))


def crossings(left: Net, right: Net) -> int:
    """Between two nets with their tracks so; lines on top of each other count a lot."""
    count = sum(right.low < end < right.high for end in left.ends) + (left.low < right.start < left.high)
    return count + 50 * sum(abs(right.start - end) < NEAR for end in left.ends)
