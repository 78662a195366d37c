"""A definition of one example as operations on a whole batch, by a walk through its syntax tree.

Each operation says what it depends on, so that a recurrent definition computes everything that does not
depend on its state before the loop (see program.py).
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor

from seqloom.equations import Equations, Part, nodes
from seqloom.equations.trace import OPERATORS, SIGNS
from seqloom.layers.operations import Affine, LiftedValue, Operation, Phase, Recorder


@dataclass(frozen=True)
class LiftedGraph:
    """A lifted definition: its operations in order, and where inputs, weights and results are kept."""

    operations: tuple[Operation | Affine, ...]
    inputs: tuple[LiftedValue, ...]
    results: tuple[LiftedValue, ...]
    numbers: Mapping[int, Any]  # slots of Python numbers
    weights: int  # the slot of all weights, as the definition takes them
    slots: int


def lift(definition: Equations[..., Any], inputs: Sequence[Tensor], weights: Mapping[str, Any]) -> LiftedGraph:
    """The operations of a definition, its states among the inputs; examples are tensors on the device "meta"."""
    lifter = Lifter(weights)
    values = [
        lifter.new(example, Phase.STATE if symbol.role == "state" else Phase.INPUT)
        for symbol, example in zip(definition.body.inputs, inputs, strict=True)
    ]
    try:
        results = lifter.run(definition, values, lifter.named(lifter.weights))
    except NotImplementedError:  # newer grammar than the rules below: the whole function at once
        lifter.operations.clear()
        results = lifter.whole(definition, values)
    return LiftedGraph(
        tuple(lifter.operations), tuple(values), results, lifter.numbers, lifter.weights.slot, lifter.slots
    )


class Lifter(Recorder):
    """Walks through a definition and writes down what is to be done."""

    def __init__(self, weights: Mapping[str, Any]) -> None:
        super().__init__()
        self.weights = self.new(weights, Phase.CONSTANT)

    def named(self, weights: LiftedValue) -> dict[str, Any]:
        """The weights by name, each with a slot of its own; those of a part by name again."""
        found: dict[str, Any] = {}
        for name, example in weights.example.items():
            if isinstance(example, int | float):
                found[name] = self.number(example)
                continue
            taken = self.emit(operator.itemgetter(name), weights, example=example)
            found[name] = self.part(taken) if isinstance(example, Part) else taken
        return found

    def part(self, taken: LiftedValue) -> Part:
        part = taken.example
        inside = self.emit(operator.attrgetter("weights"), taken, example=part.weights)
        return Part(part.definition, self.named(inside))

    def whole(self, definition: Equations[..., Any], inputs: Sequence[LiftedValue]) -> tuple[LiftedValue, ...]:
        def function(weights: Mapping[str, Any], *values: Tensor) -> tuple[Tensor, ...]:
            result = definition(*values, **weights)
            return result if isinstance(result, tuple) else (result,)

        examples = function(self.weights.example, *(value.example for value in inputs))
        everything = self.vmapped(function, [self.weights, *inputs], examples)
        return tuple(
            self.emit(operator.itemgetter(place), everything, example=example) for place, example in enumerate(examples)
        )

    def run(
        self, definition: Equations[..., Any], inputs: Sequence[LiftedValue], weights: Mapping[str, Any]
    ) -> tuple[LiftedValue, ...]:
        """The results of a definition for these arguments."""
        names = dict(weights) | {
            symbol.name: value for symbol, value in zip(definition.body.inputs, inputs, strict=True)
        }
        for line in definition.body.lines:
            value = self.value(line.value, names)
            parts = value if len(line.targets) > 1 else (value,)
            names |= {target.name: part for target, part in zip(line.targets, parts, strict=True)}
        return tuple(self.value(node, names) for node in definition.body.returns)

    def value(self, node: nodes.Node, names: Mapping[str, Any]) -> Any:
        """The value of an expression; several for a nested call with several results."""
        of = partial(self.value, names=names)
        match node:
            case nodes.Symbol():
                return names[node.name]
            case nodes.Number():
                return self.number(node.value)
            case nodes.Unary():
                return self.aligned(SIGNS[node.operator], of(node.operand))
            case nodes.Binary(operator="@"):
                return self.product(of(node.left), of(node.right))
            case nodes.Binary(operator="+"):
                terms = list(terms_of(node))
                values = [of(term) for term in terms]
                inline = {made.slot for term, made in zip(terms, values, strict=True) if isinstance(term, nodes.Binary)}
                return self.total(values, inline)
            case nodes.Binary():
                return self.aligned(OPERATORS[node.operator], of(node.left), of(node.right))
            case nodes.Transpose():
                return self.transpose(of(node.operand))
            case nodes.Index():
                return self.index(of(node.base), of(node.index))
            case nodes.Call(function=function, arguments=[nodes.Each() as each]):
                return self.family(function.compute, list(self.each(each, names)))
            case nodes.Call():
                return self.call(node.function.compute, list(self.arguments(node, names)))
            case nodes.Nested(part=nodes.Symbol() as symbol):
                part = names[symbol.name]
                return self.inside(part.definition, part.weights, map(of, node.arguments))
            case nodes.Nested(definition=Equations() as definition):
                weights = {name: of(value) for name, value in node.keywords}
                return self.inside(definition, weights, map(of, node.arguments))
        raise NotImplementedError(type(node).__name__)

    def inside(self, definition: Equations[..., Any], weights: Mapping[str, Any], inputs: Iterable[LiftedValue]) -> Any:
        results = self.run(definition, list(inputs), weights)
        return results if len(results) > 1 else results[0]

    def arguments(self, node: nodes.Call, names: Mapping[str, Any]) -> Iterator[LiftedValue]:
        for argument in node.arguments:
            if isinstance(argument, nodes.Spread):
                yield from self.entries(self.value(argument.family, names))
            else:
                yield self.value(argument, names)

    def each(self, node: nodes.Each, names: Mapping[str, Any]) -> Iterator[LiftedValue]:
        """The values of a family, one after the other."""
        sources = [self.value(source, names) for source in node.sources]
        if node.counted:
            rounds = [[self.number(count)] for count in range(sources[0].example)]
        else:
            rounds = [list(items) for items in zip(*map(self.entries, sources), strict=False)]
        for items in rounds:
            here = {symbol.name: item for symbol, item in zip(node.items, items, strict=True)}
            yield self.value(node.body, {**names, **here})

    def entries(self, value: LiftedValue) -> list[LiftedValue]:
        """The vectors of a matrix, or the numbers of a vector."""
        every = self.emit(partial(torch.unbind, dim=-value.rank), value, example=value.example.unbind(0))
        return [
            self.emit(operator.itemgetter(place), every, example=example) for place, example in enumerate(every.example)
        ]


def terms_of(node: nodes.Node) -> Iterator[nodes.Node]:
    """What a sum of sums adds up."""
    if isinstance(node, nodes.Binary) and node.operator == "+":
        yield from terms_of(node.left)
        yield from terms_of(node.right)
    else:
        yield node
