"""The drawing of a figure: one SVG without scripts and without colours of its own.

Shapes tell the kinds apart as well as colours do: inputs and states are pills, weights small boxes with
square corners, operations circles, results boxes with round corners and bold letters, calls boxes that
open. Where the order of operands matters they come in from top to bottom.
"""

from __future__ import annotations

from html import escape
from typing import Any

from seqloom.equations.definition import Equations
from seqloom.equations.drawing.graph import Graph, Vertex, graph
from seqloom.equations.drawing.labels import SMALL, Label, TextRun, width
from seqloom.equations.drawing.layout import layout
from seqloom.equations.drawing.shapes import Box, Point, Route, type_size

CORNER = 7.0
RISE = {-1: 0.22, 0: 0.0, 1: -0.36}  # of what is set lower or higher, in the size of its label

LOW = frozenset("acegmnopqrsuvwxyzαγεηικμνοπρστυφχψω")  # letters without a stroke upwards

STYLE = """
.figure { font-family: "STIX Two Text", Cambria, "Latin Modern Roman", "Times New Roman", "Liberation Serif", serif; }
.figure text { fill: var(--ink, #1d2433); text-anchor: middle; }
.figure .slanted { font-style: italic; }
.figure .shape { fill: var(--paper, #ffffff); stroke: var(--operation, #475069); stroke-width: 1.3; }
.figure .edge { fill: none; stroke: var(--line, #5b6578); stroke-width: 1.3; }
.figure .head { fill: var(--line, #5b6578); }
.figure .edge.carries { stroke: var(--state, #a35a00); stroke-width: 2.6; }
.figure .head.carries { fill: var(--state, #a35a00); }
.figure .input .shape { fill: var(--input-fill, #e3eefb); stroke: var(--input, #2a6bb0); }
.figure .state .shape { fill: var(--state-fill, #fdf0dc); stroke: var(--state, #a35a00); }
.figure .weight .shape { fill: var(--weight-fill, #f3f4f6); stroke: var(--weight, #9aa3b2); stroke-width: 1; }
.figure .weight text, .figure .number text, .figure .frame text { fill: var(--quiet, #4a5364); }
.figure .number .shape { fill: none; stroke: none; }
.figure .result .shape { fill: var(--result-fill, #e5f4ea); stroke: var(--result, #23794a); stroke-width: 1.8; }
.figure .result text { font-weight: bold; }
.figure .call .shape { fill: var(--call-fill, #efeafb); stroke: var(--call, #6544b0); stroke-width: 1.6; }
.figure .call .sign { fill: none; stroke: var(--call, #6544b0); stroke-width: 1.3; }
.figure .frame text { text-anchor: start; }
.figure .frame .shape { fill: var(--frame-fill, #6b7a9a); fill-opacity: 0.05; }
.figure .family .shape { stroke: var(--family, #7b8599); stroke-width: 1.2; stroke-dasharray: 5 4; }
.figure .accent { fill: none; stroke: var(--ink, #1d2433); stroke-width: 1.2; stroke-linecap: round; }
.figure .node { cursor: pointer; }
.figure .node:focus { outline: none; }
.figure .node:focus-visible .shape { stroke-width: 3; }
.figure .dim { opacity: 0.35; }
"""
"""Colours are custom properties with a fallback: the page chooses the theme. The typefaces come before the
Math ones of their families because those have no italics."""


def draw(definition: Equations[..., Any], opened: str = "", *, standalone: bool = False) -> str:
    """The figure of a definition as SVG; `standalone` with its style inside, to be a file of its own."""
    return draw_graph(graph(definition, opened), definition.legend.title, standalone=standalone)


def draw_graph(drawn: Graph, title: str, *, standalone: bool = False) -> str:
    placed = layout(drawn)
    wide, high = round(placed.width), round(placed.height)
    lines: dict[bool, list[str]] = {True: [], False: []}  # dimmed, and not
    for route in placed.routes:
        source, target = drawn.vertices[route.edge.source], drawn.vertices.get(route.edge.target)
        lines[source.dim or (target is not None and target.dim)].append(edge(route, source, target))
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="figure" viewBox="0 0 {wide} {high}"'
            f' width="{wide}" height="{high}" role="group" aria-label="{escape(title)}">',
            *([f"<style>{STYLE}</style>"] if standalone else []),
            *(node(box) for box in placed.boxes if box.vertex.is_frame),
            f'<g class="dim">{"".join(lines[True])}</g>',  # together, or each would shine through the next
            *lines[False],
            *(node(box) for box in placed.boxes if not box.vertex.is_frame),
            "</svg>\n",
        ]
    )


# --- nodes --------------------------------------------------------------------------------------


def node(box: Box) -> str:
    vertex = box.vertex
    classes = ["node", vertex.kind]
    classes += ["input"] * (vertex.kind == "item") + ["frame"] * vertex.is_frame + ["dim"] * vertex.dim
    opens = f' data-opens="{escape(vertex.opens)}"' if vertex.opens else ""
    title = escape(vertex.title)
    return (
        f'<g class="{" ".join(classes)}" data-id="{escape(vertex.id)}"{opens} tabindex="0" role="button"'
        f' aria-label="{vertex.kind} {title}"><title>{title}</title>{outline(box)}{written(box)}</g>'
    )


def outline(box: Box) -> str:
    left, top = box.x - box.width / 2, box.y - box.height / 2
    shape = f'<rect class="shape" x="{left:g}" y="{top:g}" width="{box.width:g}" height="{box.height:g}"'
    return f'{shape} rx="{box.corner:g}"/>' + (opener(box) if box.vertex.opens else "")


def opener(box: Box) -> str:
    """⊕ on a box that opens, ⊖ on one that is open."""
    x, y = box.x + box.width / 2 - 12, box.y - box.height / 2 + 12
    upright = "" if box.vertex.is_open else f"M{x:g} {y - 3:g}v6"
    return f'<circle class="sign" cx="{x:g}" cy="{y:g}" r="5.5"/><path class="sign" d="M{x - 3:g} {y:g}h6{upright}"/>'


def written(box: Box) -> str:
    """The label: in the middle, or in the upper left corner of a frame."""
    size = type_size(box.vertex)
    if box.vertex.is_frame:
        return text(box.vertex.label, box.x - box.width / 2 + 10, box.y - box.height / 2 + 17, size, centred=False)
    beside_opener = 6 if box.vertex.opens else 0
    return text(box.vertex.label, box.x - beside_opener, box.y + 0.32 * size, size)


def text(label: Label, x: float, y: float, size: float, *, centred: bool = True) -> str:
    """A label on its baseline, which a part set lower or higher leaves and comes back to."""
    spans, accents, rise = "", "", 0.0
    left = x - (width(label, size) / 2 if centred else 0)
    for run in label:
        spans += span(run, RISE[run.level] * size - rise, size)
        rise = RISE[run.level] * size
        advance = width((run,), size)
        accents += (
            accent(run, left + advance / 2 + 1, y - size * (0.58 if run.text in LOW else 0.82)) if run.accent else ""
        )
        left += advance
    return f'<text x="{x:g}" y="{y:g}" font-size="{size:g}">{spans}</text>{accents}'


def span(run: TextRun, shift: float, size: float) -> str:
    marks = ' class="slanted"' if run.slanted else ""
    marks += f' dy="{shift:.3g}"' if shift else ""
    marks += f' font-size="{SMALL * size:.3g}"' if run.level else ""
    marks += f' data-id="{escape(run.id)}"' if run.id else ""
    return f"<tspan{marks}>{escape(run.text)}</tspan>"


def accent(run: TextRun, x: float, y: float) -> str:
    """Drawn as a line: few typefaces place it well above any letter."""
    ways = {
        "tilde": f"M{x - 4:g} {y:g}q2 -3 4 -1t4 -1",
        "hat": f"M{x - 3:g} {y:g}l3 -3l3 3",
        "bar": f"M{x - 4:g} {y:g}h8",
        "right": f"M{x - 4:g} {y:g}h9m-3 -2.5l3 2.5l-3 2.5",
        "left": f"M{x + 5:g} {y:g}h-9m3 -2.5l-3 2.5l3 2.5",
    }
    return f'<path class="accent" d="{ways[run.accent]}"/>'


# --- edges --------------------------------------------------------------------------------------


def edge(route: Route, source: Vertex, target: Vertex | None) -> str:
    """A line and its head; both say which values they tie."""
    corners = turns(route.points)
    carries = " carries" if route.edge.carries else ""
    tied = f'data-from="{escape(source.id)}" data-to="{escape(target.id if target else "")}"'
    line = f'<path class="edge{carries}" {tied} d="{rounded(corners)}"/>'
    return f'{line}<path class="head{carries}" {tied} d="{head(corners)}"/>'


def turns(points: tuple[Point, ...]) -> list[Point]:
    """The points at which a line turns: none twice, none on a straight piece."""
    kept: list[Point] = []
    for x, y in points:
        if kept and abs(kept[-1][0] - x) + abs(kept[-1][1] - y) < 0.1:
            continue
        while len(kept) > 1 and (kept[-2][0] == kept[-1][0] == x or kept[-2][1] == kept[-1][1] == y):
            kept.pop()
        kept.append((x, y))
    return kept


def rounded(points: list[Point]) -> str:
    """A line with round corners; none is rounder than half of its pieces."""
    path = f"M{points[0][0]:g} {points[0][1]:g}"
    for before, corner, behind in zip(points, points[1:], points[2:]):
        (px, py), (qx, qy) = toward(corner, before), toward(corner, behind)
        path += f"L{px:g} {py:g}Q{corner[0]:g} {corner[1]:g} {qx:g} {qy:g}"
    return f"{path}L{points[-1][0]:g} {points[-1][1]:g}"


def toward(corner: Point, other: Point) -> Point:
    (x, y), (to_x, to_y) = corner, other
    length = abs(to_x - x) + abs(to_y - y)
    part = min(CORNER, length / 2) / length
    return x + part * (to_x - x), y + part * (to_y - y)


def head(points: list[Point]) -> str:
    """The arrow at the end of a line: to the right, down or up."""
    (_, before), (x, y) = points[-2:]
    if before == y:
        return f"M{x:g} {y:g}l-6 -3.2v6.4z"
    return f"M{x:g} {y:g}l-3.2 {-6 if y > before else 6}h6.4z"
