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
from seqloom.equations.drawing.labels import Label, Labels, TextRun
from seqloom.equations.nodes import Node, Symbol
from seqloom.errors import UnknownName

Kind = Literal["input", "state", "item", "weight", "number", "operation", "result", "call", "family"]
FREE = {"+", "*", "&", "|", "==", "!="}
"""Operators whose operands may change places."""

SEVERAL_RESULTS = 8
"""More results than any call has that is not open: all of them come out of its box."""

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
        for call in inside.body.calls():
            if call.definition is not None:
                yield prefix + call.id
                yield from paths(call.definition, f"{prefix}{call.id}/")

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
            if symbol.role not in ("size", "part", "parts"):
                kind: Kind = "state" if symbol.role == "state" else "input" if symbol.role == "input" else "weight"
                self.keys[symbol.id] = self.symbol(symbol, kind)
        for targets, value, caption in body.statements():
            sources = self.several(value) if len(targets) > 1 else [self.expression(value)]
            for target, source in zip(targets, sources):
                self.keys[target.id] = self.symbol(target, "result", caption)
                self.connect(source, self.keys[target.id])
            further = sources[len(targets) :] if isinstance(value, nodes.Repeat) else []
            for place, source in enumerate(further, start=1):
                if source != sources[0]:  # an open loop: the state of each further layer
                    self.connect(source, self.keys[targets[-1].id], place)
            if not targets:
                self.connect(sources[0], self.add("result", "result", "result", (TextRun("result"),), caption))
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
            case nodes.Nested() | nodes.Scan() | nodes.Repeat():
                return self.several(node)[0]
            case nodes.Call(arguments=(nodes.Each() as family,)):
                inside = self.family(family)
                return self.operation(node, (TextRun(node.function.sign),), [inside], node.function.says)
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
        """A call of equations: a box, or opened a frame with its own figure inside; the keys of its results."""
        assert isinstance(call, nodes.Nested | nodes.Scan | nodes.Repeat)
        path = self.prefix + call.id
        opens = path if call.definition is not None else ""
        is_open = bool(opens) and f"{self.opened}/".startswith(f"{path}/")
        arguments = [self.expression(argument) for argument in call.arguments]
        name, title = self.name_of(call)
        box = self.add(f"{call.id}()", call.id, "call", name, title, opens=opens, is_open=is_open, in_order=True)
        keywords = call.keywords if isinstance(call, nodes.Nested) else ()
        weights = [self.expression(value) for _, value in keywords if not self.labels.is_constant(value)]
        ends, results = [(source, box) for source in (*arguments, *weights)], [box] * SEVERAL_RESULTS
        if is_open and call.definition is not None:
            inner = Drawer(self.graph, call.definition, self.opened, f"{path}/", box)
            results = inner.draw()
            targets = inner.targets_of(call)
            ends = [(source, key) for source, keys in zip(arguments, targets, strict=True) for key in keys]
            ends += [(source, box) for source in weights]
        for place, (source, target) in enumerate(dict.fromkeys(ends)):
            self.connect(source, target, place)
        return results

    def name_of(self, call: nodes.Opens) -> tuple[Label, str]:
        """What is written on the box of a call, and what it is in words."""
        title = call.definition.legend.title if call.definition is not None else ""
        match call:
            case nodes.Repeat():
                times = "L" if call.definition is None else call.definition.times
                label = (*self.labels.part(replace(call.item, layer="")), TextRun(f" × {times}"))
                return label, f"{call.item.name}, {times} times"
            case nodes.Scan():
                back = "backward, " if call.backward else ""
                return (
                    *self.labels.part(call.part),
                    TextRun(" ←" if call.backward else " →"),
                ), f"{title}, {back}step by step"
            case nodes.Nested(part=Symbol() as part):
                return self.labels.part(part), title or part.name
        assert call.definition is not None
        return (TextRun(call.definition.label),), title

    def targets_of(self, call: nodes.Opens) -> list[list[str]]:
        """Inside an open call: the inputs that each argument goes to; a state may be several."""
        inputs = self.definition.body.inputs
        keys = [self.keys[symbol.id] for symbol in inputs]
        if len(inputs) == len(call.arguments):
            return [[key] for key in keys]
        if isinstance(call, nodes.Repeat):
            return [[key for key, each in zip(keys, inputs) if each.name == symbol.name] for symbol in call.arguments]
        states = [key for key, symbol in zip(keys, inputs) if symbol.role == "state"]
        others = iter([[key] for key, symbol in zip(keys, inputs) if symbol.role != "state"])
        wanted = len(call.arguments) - (len(inputs) - len(states))
        return [next(others, states if wanted else []) for _ in call.arguments]


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
