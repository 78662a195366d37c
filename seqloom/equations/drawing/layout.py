"""From the graph of a figure to places on the page.

Every frame is laid out first, by itself, and is then one large node of what is around it; an edge that
crosses frames is drawn in pieces that meet at their borders.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from math import ceil

from seqloom.equations.drawing.graph import Edge, Graph, Vertex
from seqloom.equations.drawing.labels import width
from seqloom.equations.drawing.placing import GridCell, Placing, Wire
from seqloom.equations.drawing.routing import route
from seqloom.equations.drawing.shapes import Box, Point, Route, beside, shape, type_size, weights_with_one_use

MARGIN = 14.0  # around the whole
BAND, BASE = 26, 12  # the upper part of a frame, for its name, and the lower
PORT = 6.0  # room around the place where a line crosses a border
LOOSE = 22.0  # more room above it, if the line ends there


@dataclass
class Layout:
    """Everything in its place; a frame comes before what it holds."""

    width: float
    height: float
    boxes: list[Box] = field(default_factory=list)
    routes: list[Route] = field(default_factory=list)


def layout(graph: Graph) -> Layout:
    """Place every vertex and every edge of a graph."""
    return Layouter(graph).layout()


def line_of(vertex: Vertex) -> str:
    """The name of the equation that a vertex belongs to."""
    path, slash, own = vertex.id.rpartition("/")
    return path + slash + own.partition(".")[0]


def wish(vertex: Vertex, line: int) -> int:
    """States stand above all else, as the belt of a recurrent cell does, and weights below."""
    return -line if vertex.kind == "state" else line + 1000 * (vertex.kind == "weight")


class Layouter:
    """Lays out one graph; a level is what one frame holds, and the one called nothing is the outermost."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.frames = {key for key, vertex in graph.vertices.items() if vertex.is_frame}
        self.wishes = {key: wish(vertex, i) for i, (key, vertex) in enumerate(graph.vertices.items())}
        self.beside = set(weights_with_one_use(graph))
        self.cells: defaultdict[str, dict[str, GridCell]] = defaultdict(dict)
        self.wires: defaultdict[str, dict[tuple[str, ...], Wire]] = defaultdict(dict)
        self.extent: dict[str, Point] = {}
        self.origin: dict[str, Point] = {}

    def layout(self) -> Layout:
        belts = {edge.target for edge in self.graph.edges if edge.carries}
        ends = [Edge(key, "", carries=key in belts) for key in self.graph.returns]
        edges = [edge for edge in [*self.graph.edges, *ends] if edge.source not in self.beside]
        pieces = {edge: self.split(edge) for edge in edges}
        self.place("")
        wide, high = self.extent[""]
        result = Layout(wide + 2 * MARGIN, high + 2 * MARGIN)
        self.collect(result, "", (MARGIN, MARGIN))
        for edge, wires in pieces.items():
            points = [
                (x + self.origin[level][0], y + self.origin[level][1]) for level, wire in wires for x, y in wire.points
            ]
            result.routes.append(Route(edge, tuple(points)))
        return result

    # --- edges that cross frames ----------------------------------------------------------------

    def split(self, edge: Edge) -> list[tuple[str, Wire]]:
        """The pieces of an edge, each with its level."""
        source, target = edge.source, edge.target
        leaving = self.graph.frames(source)
        entering = ([target] if target in self.frames else []) + (self.graph.frames(target) if target else [])
        pieces, at, out = [], source, ""
        for frame in [frame for frame in leaving if frame not in entering]:
            port = self.port(frame, source, 1)
            pieces.append(self.wire(frame, edge, at, port, out))
            at, out = frame, port
        for frame in [frame for frame in reversed(entering) if frame not in leaving]:
            port = self.port(frame, source, -1, PORT + (LOOSE if frame == target else 0))
            pieces.append(self.wire(self.graph.vertices[frame].parent, edge, at, frame, out, port))
            at, out = port, ""
        if not target:
            pieces.append(self.wire("", edge, at, self.port("", source, 1), out))
        elif target not in self.frames:
            pieces.append(self.wire(self.graph.vertices[target].parent, edge, at, target, out))
        return pieces

    def port(self, level: str, source: str, pin: int, up: float = PORT) -> str:
        """The place at the right or left border of a level where the value of a vertex goes through."""
        key = f"{source}{'<>'[pin > 0]}{level}"
        self.cells[level].setdefault(key, GridCell(key, self.wishes[source], up=up, down=PORT, pin=pin))
        return key

    def wire(self, level: str, edge: Edge, at: str, to: str, out: str, into: str = "") -> tuple[str, Wire]:
        named = self.graph.vertices.get(to)
        weight = 6 if edge.carries else 4 if named and named.kind == "result" else 1
        key = (at, to, out, into, "" if into else str(edge.place))
        return level, self.wires[level].setdefault(key, Wire(at, to, out, into, edge.place, weight))

    # --- from the inside out --------------------------------------------------------------------

    def place(self, level: str) -> None:
        """Lay out a level, after the frames in it."""
        cells = self.cells[level]
        for key, vertex in self.graph.vertices.items():
            if vertex.parent == level and key not in self.beside:
                cells[key] = self.frame(vertex) if key in self.frames else self.cell(vertex)
        placing = Placing(list(cells.values()), list(self.wires[level].values()), framed=bool(level))
        placing.place()
        self.extent[level] = route(placing)

    def cell(self, vertex: Vertex) -> GridCell:
        box = self.box(vertex, 0, 0)
        w, h = box.width / 2, box.height / 2
        pin = -1 if vertex.kind in ("input", "state") and not vertex.parent else 0
        cell = GridCell(
            vertex.key, self.wishes[vertex.key], w, w, h, h, w, h, box.corner, line_of(vertex), pin, vertex.in_order
        )
        for weight, _ in self.beside_of(box):
            cell.left = max(cell.left, weight.width / 2 - weight.x)
            cell.up = max(cell.up, weight.height / 2 - weight.y)
            cell.down = max(cell.down, weight.height / 2 + weight.y)
        return cell

    def frame(self, vertex: Vertex) -> GridCell:
        """A frame as one large node: its lines come in and go out where its ports are."""
        self.place(vertex.key)
        wide, high = self.extent[vertex.key]
        wide = max(wide, width(vertex.label, type_size(vertex)) + 50)
        high = 2 * ceil((high + BAND + BASE) / 2)  # even, so that heights stay whole numbers
        self.extent[vertex.key] = wide, high
        ports = [cell for cell in self.cells[vertex.key].values() if cell.pin]
        heights = {port.key: port.y + BAND - high / 2 for port in ports}
        w, h = wide / 2, high / 2
        cell = GridCell(vertex.key, self.wishes[vertex.key], w, w, h, h, w, h, line=line_of(vertex))
        cell.entries = {port.key: heights[port.key] for port in ports if port.pin < 0}
        cell.exits = {port.key: heights[port.key] for port in ports if port.pin > 0}
        return cell

    def box(self, vertex: Vertex, x: float, y: float) -> Box:
        lines = sum(edge.source not in self.beside for edge in self.graph.into(vertex.key))
        return Box(vertex, x, y, *shape(vertex, lines))

    def beside_of(self, box: Box) -> list[tuple[Box, Route]]:
        """The weights beside a box, and their lines."""
        coming = self.graph.into(box.vertex.key)
        weights = {edge: self.graph.vertices[edge.source] for edge in coming if edge.source in self.beside}
        return list(beside(box, weights, alone=len(weights) == len(coming) == 1))

    # --- and back in ----------------------------------------------------------------------------

    def collect(self, result: Layout, level: str, origin: Point) -> None:
        """Note where everything is on the page."""
        self.origin[level] = origin
        for key, vertex in self.graph.vertices.items():
            if vertex.parent != level or key in self.beside:
                continue
            cell = self.cells[level][key]
            x, y = origin[0] + cell.x, origin[1] + cell.y
            if key in self.frames:
                wide, high = self.extent[key]
                result.boxes.append(Box(vertex, x, y, wide, high, 9))
                self.collect(result, key, (x - wide / 2, y - high / 2 + BAND))
                continue
            box = self.box(vertex, x, y)
            result.boxes.append(box)
            for weight, line in self.beside_of(box):
                result.boxes.append(weight)
                result.routes.append(line)
