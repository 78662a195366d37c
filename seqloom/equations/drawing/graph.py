"""The figure of a definition: its data flow as a graph.

Every vertex has the id of the value it stands for (see nodes.py), so that it lights up together with
the formula and the code. The outermost operation of a line and its result are two vertices of one id.
Families and opened calls are frames: vertices that others have as their `parent`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any, Literal

from seqloom.equations import nodes
from seqloom.equations.definition import Equations
from seqloom.equations.drawing.labels import Label, Labels, Run
from seqloom.equations.nodes import Node, Symbol
from seqloom.errors import UnknownName

Kind = Literal["input", "state", "item", "weight", "number", "operation", "result", "call", "family"]
FREE = {"+", "*", "&", "|", "==", "!="}
"""Operators whose operands may change places."""

CARRYING = {"+", "*", "append"}
"""What a state passes on its way to the next step unharmed: the conveyor belt."""


@dataclass(frozen=True)
class Vertex:
    """One thing that is drawn; `opens` is the path of a call, `parent` the key of the frame around it."""

    key: str
    id: str
    kind: Kind
    label: Label
    title: str
    parent: str = ""
    opens: str = ""
    is_open: bool = False
    in_order: bool = False  # its operands cannot be swapped
    carries: bool = False
    dim: bool = False

    @property
    def is_frame(self) -> bool:
        return self.is_open or self.kind == "family"


@dataclass(frozen=True)
class Edge:
    """A value on its way: `place` counts the operands of the target."""

    source: str
    target: str
    place: int = 0
    carries: bool = False


@dataclass
class Graph:
    """Vertices in the order of the lines, edges among them, and what the whole returns."""

    vertices: dict[str, Vertex] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)
    returns: tuple[str, ...] = ()

    def into(self, key: str) -> list[Edge]:
        return [edge for edge in self.edges if edge.target == key]

    def out_of(self, key: str) -> list[Edge]:
        return [edge for edge in self.edges if edge.source == key]

    def frames(self, key: str) -> list[str]:
        """The frames around a vertex, the innermost first."""
        around = []
        while key := self.vertices[key].parent:
            around.append(key)
        return around


def graph(definition: Equations[..., Any], opened: str = "") -> Graph:
    """The data flow of a definition; the calls along the path `opened` are opened, all else dimmed."""
    if opened and opened not in call_paths(definition):
        raise UnknownName(f"call in {definition.name}", opened, call_paths(definition))
    made = Graph()
    made.returns = tuple(Drawer(made, definition, opened).draw())
    settle_weights(made)
    mark_belts(made)
    if opened:
        light = f"{opened}()"
        for key, vertex in made.vertices.items():
            made.vertices[key] = replace(vertex, dim=key != light and light not in made.frames(key))
    return made


def call_paths(definition: Equations[..., Any]) -> list[str]:
    """Every call that can be opened, as paths; a call comes before those inside it."""

    def paths(inside: Equations[..., Any], prefix: str) -> Iterator[str]:
        for _, value, _ in inside.body.statements():
            for node in value.walk():
                if isinstance(node, nodes.Nested):
                    yield prefix + node.id
                    yield from paths(node.definition, f"{prefix}{node.id}/")

    return sorted(paths(definition, ""), key=lambda path: path.count("/"))


class Drawer:
    """Draws one definition into a graph; a call that is opened has a drawer of its own."""

    def __init__(
        self, graph: Graph, definition: Equations[..., Any], opened: str, prefix: str = "", parent: str = ""
    ) -> None:
        self.graph, self.definition, self.opened = graph, definition, opened
        self.prefix, self.parent = prefix, parent
        self.labels = Labels(definition, prefix)
        self.keys: dict[str, str] = {}  # where the value of a symbol comes from

    def draw(self) -> list[str]:
        """Add everything; the keys of what is returned."""
        body = self.definition.body
        for symbol in (*body.inputs, *body.weights):
            if symbol.role != "size":
                kind: Kind = "state" if symbol.role == "state" else "input" if symbol.role == "input" else "weight"
                self.keys[symbol.id] = self.symbol(symbol, kind)
        for targets, value, caption in body.statements():
            sources = self.several(value) if len(targets) > 1 else [self.expression(value)]
            for target, source in zip(targets, sources):
                self.keys[target.id] = self.symbol(target, "result", caption)
                self.connect(source, self.keys[target.id])
            if not targets:
                self.connect(sources[0], self.add("result", "result", "result", (Run("result"),), caption))
        return [self.keys[each.id] if isinstance(each, Symbol) else f"{self.prefix}result" for each in body.returns]

    def add(self, key: str, id: str, kind: Kind, label: Label, title: str, **more: Any) -> str:
        key = self.prefix + key
        while key in self.graph.vertices:  # a number may be drawn at several places
            key += "'"
        self.graph.vertices[key] = Vertex(key, self.prefix + id, kind, label, title, self.parent, **more)
        return key

    def connect(self, source: str, target: str, place: int = 0) -> None:
        self.graph.edges.append(Edge(source, target, place))

    def symbol(self, symbol: Symbol, kind: Kind, caption: str = "") -> str:
        entry = self.definition.legend[symbol.name]
        sense = caption or (entry.sense if entry else "")
        name = self.labels.plain(symbol)
        return self.add(symbol.id, symbol.id, kind, self.labels.symbol(symbol), f"{name}: {sense}" if sense else name)

    # --- expressions: each method returns the key of the vertex that has the value --------------

    def expression(self, node: Node) -> str:
        match node:
            case Symbol() if node.id in self.keys:
                return self.keys[node.id]
            case nodes.Spread():
                return self.keys[node.family.id]
            case nodes.Nested():
                return self.several(node)[0]
            case nodes.Call(arguments=(nodes.Each() as family,)):
                inside = self.family(family)
                return self.operation(node, (Run(node.function.sign),), [inside], node.function.says)
            case _ if self.labels.is_constant(node):
                return self.add(f"{node.id}#", node.id, "number", self.labels.constant(node), self.labels.plain(node))
        label, operands, words = self.labels.operation(node)
        return self.operation(node, label, [self.expression(operand) for operand in operands], words)

    def operation(self, node: Node, label: Label, sources: list[str], words: str) -> str:
        sign = node.function.name if isinstance(node, nodes.Call) else getattr(node, "operator", "")
        key = self.add(
            f"{node.id}()", node.id, "operation", label, f"{self.labels.plain(node)} ({words})",
            in_order=sign not in FREE and not isinstance(node, nodes.Index), carries=sign in CARRYING,
        )  # fmt: skip
        for place, source in enumerate(sources):
            self.connect(source, key, place)
        return key

    def family(self, family: nodes.Each) -> str:
        """A frame with the body inside, and a small input for each item; the key of the body."""
        sources = [] if family.counted else [self.expression(source) for source in family.sources]
        label = self.labels.range(family)
        outside = self.parent
        self.parent = self.add(family.id, family.id, "family", label, "for " + "".join(run.text for run in label))
        if not family.counted:
            for item, source in zip(family.items, sources, strict=True):
                self.keys[item.id] = self.symbol(item, "item")
                self.connect(source, self.keys[item.id])
        inside = self.expression(family.body)
        self.parent = outside
        return inside

    def several(self, call: Node) -> list[str]:
        """A nested call: a box, or opened a frame with its own figure inside; the keys of its results."""
        assert isinstance(call, nodes.Nested)
        path = self.prefix + call.id
        is_open = f"{self.opened}/".startswith(f"{path}/")
        arguments = [self.expression(argument) for argument in call.arguments]
        weights = [self.expression(value) for _, value in call.keywords if not self.labels.is_constant(value)]
        weights += [self.keys[call.group.id]] if call.group else []
        name, title = (Run(call.definition.label),), call.definition.legend.title
        box = self.add(f"{call.id}()", call.id, "call", name, title, opens=path, is_open=is_open, in_order=True)
        inputs, results = [box] * len(arguments), [box] * len(call.definition.body.returns)
        if is_open:
            inner = Drawer(self.graph, call.definition, self.opened, f"{path}/", box)
            results = inner.draw()
            inputs = [inner.keys[symbol.id] for symbol in call.definition.body.inputs]
        ends = zip([*arguments, *weights], [*inputs, *(box for _ in weights)], strict=True)
        for place, (source, target) in enumerate(ends):
            self.connect(source, target, place)
        return results


# --- the finished graph -------------------------------------------------------------------------


def settle_weights(graph: Graph) -> None:
    """A weight that is used within one family only is drawn inside its frame, beside its use."""
    for key, weight in graph.vertices.items():
        homes = [home(graph, edge.target) for edge in graph.out_of(key)]
        if weight.kind == "weight" and homes:
            shared = [frame for frame in homes[0] if all(frame in others for others in homes)]
            further = reversed(shared[: len(shared) - len(graph.frames(key))])  # from the outermost
            for frame in takewhile(lambda frame: graph.vertices[frame].kind == "family", further):
                graph.vertices[key] = replace(weight, parent=frame)


def home(graph: Graph, user: str) -> list[str]:
    """The frames that a weight may enter on its way to its user; an item stands for what is outside."""
    return graph.frames(user)[1 if graph.vertices[user].kind == "item" else 0 :]


def mark_belts(graph: Graph) -> None:
    """Mark the edges along which a state goes from one step to the next by sums and plain products."""
    states = {vertex.id: key for key, vertex in graph.vertices.items() if vertex.kind == "state"}
    for key, vertex in graph.vertices.items():
        if vertex.kind == "result" and (start := states.get(f"{vertex.id}.before")):
            on_belt = set(belt(graph, key, start))
            graph.edges = [replace(edge, carries=edge.carries or edge in on_belt) for edge in graph.edges]


def belt(graph: Graph, key: str, start: str) -> Iterator[Edge]:
    """The edges of the way back from a vertex to the start, if there is one."""
    for edge in graph.into(key):
        if edge.source == start:
            yield edge
        elif graph.vertices[edge.source].carries and (rest := list(belt(graph, edge.source, start))):
            yield from (edge, *rest)
