"""The whole model as a figure: a box for each stage, joined by the values that pass between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from seqloom.equations.drawing.graph import Edge, Graph, Kind, Vertex
from seqloom.equations.drawing.labels import Labels, TextRun
from seqloom.equations.nodes import Node, Symbol
from seqloom.equations.part import State
from seqloom.models.stage import Stage


def overview(stages: Sequence[Stage], made: Sequence[Sequence[Any]]) -> Graph:
    """The data flow between stages, the box of the first of which opens `part-0`.

    made  the results of each stage, in the order of its definition
    """
    whole = Graph()
    earlier: dict[str, tuple[str, Any]] = {}  # results of the stages so far, by vertex: name and value
    for number, (stage, results) in enumerate(zip(stages, made, strict=True)):
        body, box = stage.part.definition.body, f"stage {number}"
        sources = []
        for symbol in body.inputs:
            if symbol.name in stage.given or symbol.role == "state":
                value = stage.given.get(symbol.name, stage.start.get(symbol.name))
                sources += makers(symbol.name, list(tensors(value)), earlier)
            else:
                sources.append(add_value(whole, stage, number, symbol, "input"))
        title = stage.part.definition.legend.title
        whole.vertices[box] = Vertex(
            box, stage.name, "call", (TextRun(stage.name),), title, opens=f"part-{number}", in_order=True
        )
        whole.edges += [Edge(source, box, place) for place, source in enumerate(dict.fromkeys(sources))]
        for returned, value in zip(body.returns, results, strict=True):
            if getattr(returned, "name", "") not in body.states:
                result = add_value(whole, stage, number, returned, "result")
                whole.edges.append(Edge(box, result))
                earlier[result] = whole.vertices[result].id, value
    last = f"stage {len(stages) - 1}"
    whole.returns = tuple(edge.target for edge in whole.out_of(last))
    return whole


def makers(name: str, parts: list[Tensor], earlier: dict[str, tuple[str, Any]]) -> list[str]:
    """The earlier results that a value is: those of its name or its numbers; else it was made of what was read first.

    A state that begins with zeros is made of nothing.
    """
    if not any(part.any() for part in parts):
        return []
    found = [
        key
        for key, (called, value) in earlier.items()
        if called == name or any(same(part, one) for part in parts for one in tensors(value))
    ]
    return found or list(earlier)[:1]


def same(one: Tensor, other: Tensor) -> bool:
    return one.shape == other.shape and torch.allclose(one.float(), other.float(), rtol=1e-3, atol=1e-5)


def tensors(value: Any) -> Iterator[Tensor]:
    """Those in a state, or in the states of several layers."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, State | list | tuple):
        for part in value:
            yield from tensors(part)


def add_value(whole: Graph, stage: Stage, number: int, node: Node, kind: Kind) -> str:
    """A value beside the box of its stage; its vertex."""
    definition = stage.part.definition
    if isinstance(node, Symbol):
        labels, entry = Labels(definition, ""), definition.legend[node.name]
        name, label, plain = node.name, labels.symbol(node), labels.plain(node)
        captions = [entry.sense] if entry else [line.caption for line in definition.body.lines if node in line.targets]
    else:  # a definition that is a single formula
        name, label, plain, captions = "result", (TextRun("result"),), "result", [definition.body.return_caption]
    key = f"{name} of {number}"
    whole.vertices[key] = Vertex(key, name, kind, label, ": ".join(filter(None, [plain, *captions[-1:]])))
    return key


def joins(whole: Graph) -> list[tuple[str, str, str]]:
    """The figure as a table: from which stage, which value, into which stage."""
    name = {"": ""} | {key: vertex.id for key, vertex in whole.vertices.items()}
    return [
        (name[source], name[key], name[target])
        for key, vertex in whole.vertices.items()
        if vertex.kind != "call"
        for source in [edge.source for edge in whole.into(key)] or [""]
        for target in [edge.target for edge in whole.out_of(key)] or [""]
    ]
