"""Graphs put together: traced pieces, loops and branches around them, every weight once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from itertools import count
from typing import Any

import numpy as np

from seqloom.extras import require

IR_VERSION = 9
"""The format of the file: old enough for every runtime that has the operators."""


def rename(node: Any, names: Mapping[str, str], prefix: str) -> Any:
    """A node of another graph, and all that is inside of it, with names that are unique here."""

    def new(name: str) -> str:
        return names.get(name, f"{prefix}/{name}") if name else ""

    node.name = ""
    node.input[:] = [new(name) for name in node.input]
    node.output[:] = [new(name) for name in node.output]
    for attribute in node.attribute:
        if attribute.HasField("g"):
            del attribute.g.value_info[:]
            for one in (*attribute.g.input, *attribute.g.output, *attribute.g.initializer):
                one.name = new(one.name)
            for inner in attribute.g.node:
                rename(inner, names, prefix)
    return node


def names_read(nodes: Iterable[Any]) -> set[str]:
    """The names that nodes read, and all that is inside of them."""
    found: set[str] = set()
    for node in nodes:
        found.update(node.input)
        for attribute in node.attribute:
            if attribute.HasField("g"):
                found |= names_read(attribute.g.node) | {one.name for one in attribute.g.output}
    return found


class Values:
    """What all graphs of a model share: weights, each once, and unused names."""

    def __init__(self) -> None:
        self.onnx: Any = require("onnx", "onnx", "an export to ONNX")
        self.weights: dict[Any, Any] = {}
        self.numbers = count()
        self.domains: dict[str, int] = {}

    def name(self, hint: str) -> str:
        return f"{hint}_{next(self.numbers)}"

    def weight(self, tensor: Any) -> str:
        """The name under which a tensor is known here: one of the same content is the same."""
        content = tensor.raw_data or self.onnx.numpy_helper.to_array(tensor).tobytes()
        key = tensor.data_type, tuple(tensor.dims), sha256(content).digest()
        if key not in self.weights:
            kept = self.onnx.TensorProto()
            kept.CopyFrom(tensor)
            kept.name = self.name("weight")
            self.weights[key] = kept
        return str(self.weights[key].name)


class GraphBuilder:
    """A graph that grows node by node: a whole one, or the body of a loop or a branch, which sees those around it."""

    def __init__(self, values: Values) -> None:
        self.values, self.helper = values, values.onnx.helper
        self.nodes: list[Any] = []

    def op(self, kind: str, *inputs: str, results: int = 1, **attributes: Any) -> Any:
        """Add an operator; the name of what it computes, or the names if there are several."""
        outputs = [self.values.name(kind) for _ in range(results)]
        self.nodes.append(self.helper.make_node(kind, list(inputs), outputs, **attributes))
        return outputs[0] if results == 1 else outputs

    def constant(self, value: Any) -> str:
        return self.values.weight(self.values.onnx.numpy_helper.from_array(np.asarray(value)))

    def include(self, model: Any, **inputs: str) -> list[str]:
        """Add all nodes of a traced model with these inputs, by its names; the names of what it computes."""
        prefix = self.values.name("traced")
        for one in model.opset_import:
            self.values.domains[one.domain] = max(one.version, self.values.domains.get(one.domain, 0))
        names = {**inputs, **{one.name: self.values.weight(one) for one in model.graph.initializer}}
        for node in model.graph.node:
            copy = self.values.onnx.NodeProto()
            copy.CopyFrom(node)
            self.nodes.append(rename(copy, names, prefix))
        outputs = (one.name for one in model.graph.output)
        return [self.op("Identity", names[one]) if one in names else f"{prefix}/{one}" for one in outputs]

    def loop(self, most: str, given: Mapping[str, tuple[str, int]], body: Any) -> list[str]:
        """Repeat while a condition holds, `most` times at most.

        given  by a name of its own what goes from one turn into the next: the first value, and its type
        body   takes a graph, the number of the turn, and the values by name; gives a condition and the new values
        """
        inner, turn, before = GraphBuilder(self.values), self.values.name("turn"), self.values.name("condition")
        inside = {name: self.values.name(name) for name in given}
        condition, after = body(inner, turn, inside)
        passed = [inner.op("Identity", after[name]) for name in given]  # an output is no input, and no other output
        proto, info = self.values.onnx.TensorProto, self.helper.make_tensor_value_info
        types = [kind for _, kind in given.values()]
        graph = self.helper.make_graph(
            inner.nodes,
            self.values.name("body"),
            [info(turn, proto.INT64, []), info(before, proto.BOOL, []),
             *(info(name, kind, None) for name, kind in zip(inside.values(), types, strict=True))],
            [info(condition, proto.BOOL, []),
             *(info(name, kind, None) for name, kind in zip(passed, types, strict=True))],
        )  # fmt: skip
        begin = [first for first, _ in given.values()]
        found = self.op("Loop", most, self.constant(True), *begin, results=len(begin), body=graph)
        return [found] if len(begin) == 1 else list(found)

    def branch(self, condition: str, types: Sequence[int], yes: Any, no: Any) -> list[str]:
        """What `yes` computes where a condition holds, else what `no` does: functions of a graph, giving names."""
        info = self.helper.make_tensor_value_info
        graphs = []
        for body in (yes, no):
            inner = GraphBuilder(self.values)
            outputs = [inner.op("Identity", name) for name in body(inner)]
            values = [info(name, kind, None) for name, kind in zip(outputs, types, strict=True)]
            graphs.append(self.helper.make_graph(inner.nodes, self.values.name("branch"), [], values))
        then, otherwise = graphs
        found = self.op("If", condition, results=len(types), then_branch=then, else_branch=otherwise)
        return [found] if len(types) == 1 else list(found)

    def model(
        self, inputs: Sequence[tuple[str, int, Sequence[Any]]], outputs: Mapping[str, tuple[str, int, int]]
    ) -> Any:
        """The whole model: inputs with their types and shapes, and by name outputs with types and numbers of axes."""
        info = self.helper.make_tensor_value_info
        for name, (value, _, _) in outputs.items():
            self.nodes.append(self.helper.make_node("Identity", [value], [name]))
        graph = self.helper.make_graph(
            self.nodes,
            "seqloom",
            [info(*one) for one in inputs],
            [info(name, kind, [None] * axes) for name, (_, kind, axes) in outputs.items()],
            initializer=list(self.values.weights.values()),
        )
        opsets = [self.helper.make_opsetid(domain, version) for domain, version in self.values.domains.items()]
        return self.helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION, producer_name="seqloom")
