"""How large the vertices of a figure are and what form they have; and the weights that stand beside them.

The form tells the kinds apart as well as the colour does. A weight that is used once is no node that
lines have to be led to: it stands right beside its use.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil

from seqloom.equations.drawing.graph import Edge, Graph, Vertex
from seqloom.equations.drawing.labels import width
from seqloom.equations.drawing.placing import STEP

Point = tuple[float, float]
SIZES = {"weight": 13, "item": 14, "number": 13, "call": 14, "family": 13}  # of type; 16 for all others
RADIUS = 13.0  # of a circle
CLEAR = 6.0  # between an operation and a weight beside it
TURN = 9.0  # from that weight to where its line turns
ABREAST = 8.0  # between two such turns
IN_LINE = 16.0  # from a weight to an operation that takes nothing else


@dataclass(frozen=True)
class Box:
    """A vertex in its place: its middle, its size, and how round its corners are."""

    vertex: Vertex
    x: float
    y: float
    width: float
    height: float
    corner: float


@dataclass(frozen=True)
class Route:
    """An edge in its place: the points at which it turns. What is returned goes to no target, to the right."""

    edge: Edge
    points: tuple[Point, ...]


def type_size(vertex: Vertex) -> int:
    return SIZES.get(vertex.kind, 16)


def shape(vertex: Vertex, lines: int) -> tuple[float, float, float]:
    """Width, height and corner of a vertex that so many lines come to: shapes tell the kinds apart."""
    text = ceil(width(vertex.label, type_size(vertex)))
    room = STEP * (lines - 1) + 18
    match vertex.kind:
        case "operation" if text <= 18 and lines <= 3:
            return 2 * RADIUS, 2 * RADIUS, RADIUS
        case "operation":
            return text + 18, max(2 * RADIUS, room), RADIUS
        case "weight" | "number":
            return text + 10, 19, 0
        case "item":
            return max(text + 14, 26), 22, 11
        case "call":
            return text + 44, max(38, room), 5
        case "result":
            return max(text + 20, 40), 28, 6
    return max(text + 20, 40), 28, 14


def weights_with_one_use(graph: Graph) -> Iterator[str]:
    """The weights that can stand beside the operation or the closed call that uses them."""
    for user in graph.vertices.values():
        if user.kind not in ("operation", "call") or user.is_open:
            continue
        sources = [graph.vertices[edge.source] for edge in graph.into(user.key)]
        weights = [each for each in sources if each.kind == "weight" and len(graph.out_of(each.key)) == 1]
        if len(weights) <= (2 if user.kind == "operation" else 4):
            yield from (each.key for each in weights if each.parent == user.parent)


def beside(user: Box, weights: Mapping[Edge, Vertex], *, alone: bool) -> Iterator[tuple[Box, Route]]:
    """Weights below, to the left; above, if one is the first operand; in line, if there is nothing else."""
    is_operation = user.vertex.kind == "operation"
    left = user.x - user.width / 2
    stacked = {1: 0, -1: 0}
    for edge, weight in weights.items():
        wide, high, corner = shape(weight, 0)
        if alone and is_operation:
            right = left - IN_LINE
            yield (
                Box(weight, right - wide / 2, user.y, wide, high, corner),
                Route(edge, ((right, user.y), (left, user.y))),
            )
            continue
        side = -1 if is_operation and user.vertex.in_order and edge.place == 0 else 1
        y = user.y + side * (user.height / 2 + CLEAR + high / 2 + (high + CLEAR) * stacked[side])
        right = min(user.x, left + wide + TURN) - TURN
        turn = right + TURN + ABREAST * stacked[side]
        stacked[side] += 1
        points = ((right, y), (turn, y), (turn, user.y + side * user.height / 2))
        yield Box(weight, right - wide / 2, y, wide, high, corner), Route(edge, points)
