"""A flat graph in columns from left to right: which column, in which order, at which height.

After K. Sugiyama et al., Methods for visual understanding of hierarchical system structures, IEEE
Transactions on Systems, Man, and Cybernetics 11, 1981. The lines are drawn by routing.py; frames around
parts of a figure are the matter of layout.py.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import pairwise
from math import floor, sqrt

from seqloom.equations.drawing.crossings import Columns, Strand, fewest, order
from seqloom.equations.drawing.simplex import Distance, solve

GAP, GAP_OF_LINES = 12, 22  # between things above each other, of one equation and of two
SHOULDER = 9  # how far from the middle of a circle its second line comes in
STEP = 12  # between the lines that come in at a box
RIM = 3  # as near as a line comes to the upper or lower end of what it touches
TRIFLE = 6  # a bend of less looks like a mistake
TALLER = 1.04  # as much higher a figure may become for fewer crossings
TRIES, HEAVIER = 4, 4  # how often heights are chosen anew against such bends, and how much straighter each time
FIRM, FIRMER = 3, 8  # how much straighter than others a line is kept at the ends of its way, and in between


@dataclass
class GridCell:
    """Something to place: how far it reaches from its middle, and where lines touch it."""

    key: str
    wish: int  # where it would like to stand in a column
    left: float = 0  # reach of everything that belongs to it
    right: float = 0
    up: float = 0
    down: float = 0
    half_width: float = 0  # of the shape that lines touch
    half_height: float = 0
    corner: float = 0  # its radius
    line: str = ""  # the equation it belongs to
    pin: int = 0  # -1: in the first column, 1: in the last
    in_order: bool = False  # lines come in as they are counted, from the top
    entries: dict[str, float] = field(default_factory=dict)  # heights at which lines come in
    exits: dict[str, float] = field(default_factory=dict)
    is_bend: bool = False
    column: int = 0
    x: float = 0
    y: float = 0

    @property
    def is_round(self) -> bool:
        return 0 < self.corner == self.half_width == self.half_height

    def touch(self, height: float) -> float:
        """How far from its middle the shape begins at some height."""
        in_corner = max(abs(height) - self.half_height + self.corner, 0)
        return self.half_width - self.corner + sqrt(max(self.corner**2 - in_corner**2, 0))


@dataclass
class Wire:
    """A line to draw; `out` and `into` name the places on a frame where it leaves and enters."""

    source: str
    target: str
    out: str = ""
    into: str = ""
    place: int = 0  # among the operands of the target
    weight: int = 1
    links: list[Link] = field(default_factory=list)
    points: list[tuple[float, float]] = field(default_factory=list)


@dataclass(frozen=True)
class Link:
    """A piece of a wire, from one column to the next; wires from one place share theirs."""

    start: str
    out: str
    end: str
    into: str


class Placing:
    """One drawing; `place` fills in the column and the y of every cell."""

    def __init__(self, cells: Sequence[GridCell], wires: Sequence[Wire], *, framed: bool) -> None:
        self.cells = {cell.key: cell for cell in cells}
        self.wires, self.framed = wires, framed
        self.links: dict[Link, int] = {}  # and how straight each should be
        self.wire_of: dict[Link, Wire] = {}
        self.columns: Columns = []  # from the top

    def place(self) -> None:
        self.choose_columns()
        self.bend_long_wires()
        self.favour_chains()
        self.choose_order()
        self.choose_entries()
        for _ in range(TRIES):
            self.choose_heights()
            self.smooth_entries()
            self.smooth_exits()
            if not self.weigh_trifles():
                break

    def choose_columns(self) -> None:
        """Short lines; all that is pinned to one side shares its number."""
        first, last = 0, 1
        number = {key: i for i, key in enumerate(self.cells, start=2)}
        number |= {key: first if cell.pin < 0 else last for key, cell in self.cells.items() if cell.pin}
        free = [number[key] for key, cell in self.cells.items() if not cell.pin]
        distances = [Distance(number[wire.source], number[wire.target], 1, 64 * wire.weight) for wire in self.wires]
        distances += [Distance(first, each, int(self.framed), 1) for each in free]  # all else alike: to the left
        distances += [Distance(each, last, 1) for each in free] + [Distance(first, last, 1, 1)]
        columns = solve(len(self.cells) + 2, distances)
        for key, cell in self.cells.items():
            cell.column = columns[number[key]] - columns[first]

    def bend_long_wires(self) -> None:
        """A wire over several columns may bend in each; wires from one place do it together."""
        for wire in self.wires:
            start, end = self.cells[wire.source], self.cells[wire.target]
            stops = [wire.source]
            for column in range(start.column + 1, end.column):
                bend = f"{wire.source}|{wire.out}|{column}"
                self.cells.setdefault(bend, GridCell(bend, start.wish, column=column, is_bend=True))
                stops.append(bend)
            stops.append(wire.target)
            for a, b in pairwise(stops):
                out = wire.out if a == wire.source else ""
                into = (wire.into or str(wire.place)) if b == wire.target else ""
                link = Link(a, out, b, into)
                bends = self.cells[a].is_bend + self.cells[b].is_bend
                self.links[link] = max(self.links.get(link, 0), wire.weight * (1, FIRM, FIRMER)[bends])
                self.wire_of[link] = wire
                wire.links.append(link)

    def favour_chains(self) -> None:
        """What only goes from one to the next is a straight line."""
        self.branches = Counter((link.start, link.out) for link in self.links)
        coming = Counter(link.end for link in self.links)
        for link in self.links:
            alone = coming[link.end] == 1 or self.cells[link.end].entries  # on a frame each has its own place
            if alone and self.branches[link.start, link.out] == 1:
                self.links[link] *= FIRM

    def choose_order(self) -> None:
        columns: Columns = [[] for _ in range(1 + max(cell.column for cell in self.cells.values()))]
        for key, cell in self.cells.items():
            columns[cell.column].append(key)
        strands = []
        for link in self.links:
            leaves = share(self.cells[link.start].exits, link.out)
            weight = 1 if self.branches[link.start, link.out] > 1 else 3
            strands.append(Strand(link.start, leaves, link.end, self.entry_share(link), weight))
        wish = {key: cell.wish for key, cell in self.cells.items()}
        self.columns = order(columns, strands, wish)
        better = fewest(self.columns, strands, wish)
        if better != self.columns and self.height(better) <= TALLER * self.height(self.columns):
            self.columns = better

    def height(self, columns: Columns) -> float:
        """How high the whole becomes if the columns stand so."""
        trial = deepcopy(self)
        trial.columns = columns
        trial.choose_entries()
        trial.choose_heights()
        return max(cell.y + cell.down for cell in trial.cells.values())

    def entry_share(self, link: Link) -> float:
        cell = self.cells[link.end]
        if cell.entries:
            return share(cell.entries, link.into)
        return self.wire_of[link].place / 100 if cell.in_order else 0.0

    def choose_entries(self) -> None:
        """At which height of a node each of its lines comes in; of two alike the upper one goes straight."""
        row = {key: i for column in self.columns for i, key in enumerate(column)}
        coming: defaultdict[str, list[Link]] = defaultdict(list)
        for link in self.links:
            coming[link.end].append(link)
        for key, links in coming.items():
            cell = self.cells[key]
            if cell.entries or cell.is_bend:
                continue
            rank = {link: (0 if cell.in_order else row[link.start], self.wire_of[link].place) for link in links}
            links.sort(key=rank.__getitem__)
            main = max(links, key=lambda link: self.wire_of[link].weight)
            centred = cell.is_round or self.wire_of[main].weight > 1
            heights = entry_heights(len(links), links.index(main), centred)
            cell.entries = {link.into: height for link, height in zip(links, heights, strict=True)}
            self.links[main] += 2 * (centred and len(links) > 1)

    def choose_heights(self) -> None:
        """Straight lines, and nothing closer than the gap."""
        number = {key: i for i, key in enumerate(self.cells)}
        distances = []
        for column in self.columns:
            for above, below in pairwise(column):
                a, b = self.cells[above], self.cells[below]
                gap = GAP if a.line == b.line or a.is_bend or b.is_bend else GAP_OF_LINES
                distances.append(Distance(number[above], number[below], round(a.down + gap + b.up)))
        for middle, (link, weight) in enumerate(self.links.items(), start=len(number)):
            leaves = self.cells[link.start].exits.get(link.out, 0)
            enters = self.cells[link.end].entries.get(link.into, 0)
            distances.append(Distance(middle, number[link.start], -round(leaves), weight))
            distances.append(Distance(middle, number[link.end], -round(enters), weight))
        heights = solve(len(number) + len(self.links), distances)
        top = floor(min(heights[number[key]] - cell.up for key, cell in self.cells.items()))
        for key, cell in self.cells.items():
            cell.y = heights[number[key]] - top

    def smooth_entries(self) -> None:
        """A line that would bend by a trifle comes in a trifle higher or lower instead."""
        for link in self.links:
            cell = self.cells[link.end]
            start, end = self.ends(link)
            height = start - cell.y
            others = [other for into, other in cell.entries.items() if into != link.into]
            near, inside = abs(start - end) <= SHOULDER, abs(height) <= cell.half_height - RIM
            if cell.corner and near and inside and all(abs(height - other) >= SHOULDER - 2 for other in others):
                cell.entries[link.into] = height

    def smooth_exits(self) -> None:
        """Where a line still bends by a trifle, all lines of its value leave a trifle higher or lower."""
        leaving: defaultdict[str, list[Link]] = defaultdict(list)
        for link in self.links:
            if not link.out:
                leaving[link.start].append(link)
        for key, links in leaving.items():
            cell = self.cells[key]
            bends = [self.bend(link) for link in links]
            for shift in sorted(filter(is_trifle, bends), key=abs):
                height = cell.exits.get("", 0) + shift
                inside = abs(height) <= cell.half_height - RIM
                if inside and not any(is_trifle(bend - shift) for bend in bends):
                    cell.exits[""] = height
                    break

    def weigh_trifles(self) -> bool:
        """Make the lines heavier that bend by a trifle even so; whether there are any."""
        bent = [link for link in self.links if is_trifle(self.bend(link))]
        for link in bent:
            self.links[link] *= HEAVIER
        return bool(bent)

    def bend(self, link: Link) -> float:
        start, end = self.ends(link)
        return end - start

    def ends(self, link: Link) -> tuple[float, float]:
        """The heights at which a link begins and ends."""
        start, end = self.cells[link.start], self.cells[link.end]
        return start.y + start.exits.get(link.out, 0), end.y + end.entries.get(link.into, 0)


def entry_heights(count: int, main: int, centred: bool) -> list[float]:
    """From the top; the main line of a circle, and a belt, comes in at the middle."""
    if centred and count == 2:
        return [0.0, SHOULDER] if main == 0 else [-SHOULDER, 0.0]
    step = SHOULDER if centred and count == 3 else STEP
    return [step * (i - (count - 1) / 2) for i in range(count)]


def is_trifle(bend: float) -> bool:
    return 0 < abs(bend) < TRIFLE


def share(heights: dict[str, float], place: str) -> float:
    """How far down a place is among the others, from 0 to below 1."""
    return sorted(heights, key=heights.__getitem__).index(place) / len(heights) if place in heights else 0.0
