"""A definition of one example as operations on a whole batch.

Every operation of the syntax tree becomes one operation on tensors with further axes in front: those of
the batch. Where the number of axes of the operands (known from a run with tensors that hold no numbers)
shows that torch's own broadcasting does the right thing, that is used; elsewhere `torch.vmap` lifts the
single operation. What follows is sorted into phases, so that a recurrent definition computes everything
that does not depend on its state before the loop (see program.py).
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import partial, reduce
from typing import Any

import torch
from torch import Tensor

from seqloom import equations as known
from seqloom.equations import Equations, nodes
from seqloom.equations.trace import OPERATORS, SIGNS

BY_NUMBER: set[Callable[..., Any]] = {
    known.sigmoid, known.tanh, known.relu, known.exp, known.sin, known.cos, known.sqrt, known.log_sigmoid, known.where,
}  # fmt: skip
"""Known functions of each number by itself."""

ALONG_LAST_AXIS: set[Callable[..., Any]] = {known.softmax, known.log_softmax, known.mean, known.norm}


class Phase(IntEnum):
    """What a value depends on, and with it when it is computed."""

    CONSTANT = 0  # weights only: once for all examples
    INPUT = 1  # the input, but no state: for all steps at once
    STATE = 2  # a state: step by step


@dataclass(frozen=True, eq=False)
class Value:
    """A value of the definition: where a run keeps it, and what it is for one example."""

    slot: int
    example: Any  # a tensor without numbers (device "meta"), or a Python number
    phase: Phase

    @property
    def rank(self) -> int:
        return self.example.dim() if isinstance(self.example, Tensor) else 0

    @property
    def batched(self) -> bool:
        return self.phase > Phase.CONSTANT and isinstance(self.example, Tensor)


@dataclass(frozen=True)
class Operation:
    """`result = function(*arguments)`, by slots."""

    function: Callable[..., Any]
    arguments: tuple[int, ...]
    result: int
    phase: Phase


@dataclass(frozen=True)
class Affine:
    """`left @ weight + left @ weight + ... + bias + ...`: vectors times matrices of weights, by slots."""

    products: tuple[tuple[Value, Value], ...]
    biases: tuple[Value, ...]
    result: Value

    @property
    def arguments(self) -> tuple[int, ...]:
        factors = (value for pair in self.products for value in pair)
        return tuple(value.slot for value in (*factors, *self.biases))

    def fits(self, example: Any) -> bool:
        return isinstance(example, Tensor) and example.shape == self.result.example.shape


@dataclass(frozen=True)
class Graph:
    """A lifted definition: its operations in order, and where inputs, weights and results are kept."""

    operations: tuple[Operation | Affine, ...]
    inputs: tuple[Value, ...]
    results: tuple[Value, ...]
    numbers: Mapping[int, Any]  # slots of Python numbers
    weights: int  # the slot of all weights, as the definition takes them
    slots: int


def lift(definition: Equations[..., Any], inputs: Sequence[Tensor], weights: Mapping[str, Any]) -> Graph:
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
    return Graph(tuple(lifter.operations), tuple(values), results, lifter.numbers, lifter.weights.slot, lifter.slots)


class Lifter:
    """Walks through a definition and writes down what is to be done."""

    def __init__(self, weights: Mapping[str, Any]) -> None:
        self.operations: list[Operation | Affine] = []
        self.numbers: dict[int, Any] = {}
        self.slots = 0
        self.weights = self.new(weights, Phase.CONSTANT)

    def new(self, example: Any, phase: Phase) -> Value:
        self.slots += 1
        return Value(self.slots - 1, example, phase)

    def number(self, value: Any) -> Value:
        made = self.new(value, Phase.CONSTANT)
        self.numbers[made.slot] = value
        return made

    def emit(self, function: Callable[..., Any], *values: Value, example: Any) -> Value:
        result = self.new(example, max(value.phase for value in values))
        slots = tuple(value.slot for value in values)
        self.operations.append(Operation(function, slots, result.slot, result.phase))
        return result

    def named(self, weights: Value) -> dict[str, Any]:
        """The weights by name, each with a slot of its own; those of a group are a mapping."""
        found: dict[str, Any] = {}
        for name, example in weights.example.items():
            if isinstance(example, int | float):
                found[name] = self.number(example)
                continue
            taken = self.emit(operator.itemgetter(name), weights, example=example)
            found[name] = self.named(taken) if isinstance(example, Mapping) else taken
        return found

    def whole(self, definition: Equations[..., Any], inputs: Sequence[Value]) -> tuple[Value, ...]:
        def function(weights: Mapping[str, Any], *values: Tensor) -> tuple[Tensor, ...]:
            result = definition(*values, **weights)
            return result if isinstance(result, tuple) else (result,)

        examples = function(self.weights.example, *(value.example for value in inputs))
        everything = self.vmapped(function, [self.weights, *inputs], examples)
        return tuple(
            self.emit(operator.itemgetter(place), everything, example=example) for place, example in enumerate(examples)
        )

    # --- lines ----------------------------------------------------------------------------------

    def run(
        self, definition: Equations[..., Any], inputs: Sequence[Value], weights: Mapping[str, Any]
    ) -> tuple[Value, ...]:
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
                return self.total(terms, [of(term) for term in terms])
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
            case nodes.Nested(definition=Equations() as definition, part=None):
                weights = {name: of(value) for name, value in node.keywords}
                results = self.run(definition, [of(argument) for argument in node.arguments], weights)
                return results if len(results) > 1 else results[0]
        raise NotImplementedError(type(node).__name__)

    def arguments(self, node: nodes.Call, names: Mapping[str, Any]) -> Iterator[Value]:
        for argument in node.arguments:
            if isinstance(argument, nodes.Spread):
                yield from self.entries(self.value(argument.family, names))
            else:
                yield self.value(argument, names)

    def each(self, node: nodes.Each, names: Mapping[str, Any]) -> Iterator[Value]:
        """The values of a family, one after the other."""
        sources = [self.value(source, names) for source in node.sources]
        if node.counted:
            rounds = [[self.number(count)] for count in range(sources[0].example)]
        else:
            rounds = [list(items) for items in zip(*map(self.entries, sources), strict=False)]
        for items in rounds:
            here = {symbol.name: item for symbol, item in zip(node.items, items, strict=True)}
            yield self.value(node.body, {**names, **here})

    def entries(self, value: Value) -> list[Value]:
        """The vectors of a matrix, or the numbers of a vector."""
        every = self.emit(partial(torch.unbind, dim=-value.rank), value, example=value.example.unbind(0))
        return [
            self.emit(operator.itemgetter(place), every, example=example) for place, example in enumerate(every.example)
        ]

    # --- operations -----------------------------------------------------------------------------

    def plain(self, function: Callable[..., Any], values: Sequence[Value]) -> Value:
        """A function as it is: of numbers right now, of tensors with the axes of a batch in front."""
        example = function(*(value.example for value in values))
        return (
            self.number(example) if not isinstance(example, Tensor) else self.emit(function, *values, example=example)
        )

    def vmapped(self, function: Callable[..., Any], values: Sequence[Value], example: Any) -> Value:
        """Any function, lifted by `torch.vmap` over as many axes as there are in front."""
        if not any(value.batched for value in values):
            return self.emit(function, *values, example=example)
        axes = tuple(0 if value.batched else None for value in values)
        first = next(place for place, value in enumerate(values) if value.batched)
        rank = values[first].rank

        def lifted(*arguments: Any) -> Any:
            over = function
            for _ in range(arguments[first].dim() - rank):
                over = torch.vmap(over, in_dims=axes)
            return over(*arguments)

        return self.emit(lifted, *values, example=example)

    def aligned(self, function: Callable[..., Any], *values: Value) -> Value:
        """Number by number: axes that an example lacks go behind those of the batch."""
        rank = max(value.rank for value in values)
        return self.plain(function, [self.widened(value, rank) for value in values])

    def widened(self, value: Value, rank: int) -> Value:
        missing = rank - value.rank
        if not value.batched or missing == 0:
            return value
        place = (..., *(None,) * missing, *(slice(None),) * value.rank)
        return self.emit(operator.itemgetter(place), value, example=value.example[place])

    def total(self, terms: Sequence[nodes.Node], values: Sequence[Value]) -> Value:
        """A sum, what depends on less first: that part of it is computed before the loop."""
        example = reduce(operator.add, (value.example for value in values))
        if not isinstance(example, Tensor):
            return self.number(example)
        inline = {value.slot for term, value in zip(terms, values, strict=True) if isinstance(term, nodes.Binary)}
        products = [
            operation
            for operation in self.operations
            if isinstance(operation, Affine) and operation.result.slot in inline and operation.fits(example)
        ]
        taken = {operation.result.slot for operation in products}
        biases = [value for value in values if not value.batched and products and products[0].fits(value.example)]
        others = [value for value in values if value.slot not in taken and value not in biases]
        if products:
            self.operations = [operation for operation in self.operations if operation not in products]
            others.append(self.affine([pair for made in products for pair in made.products], biases, example))
        others.sort(key=lambda value: value.phase)
        return reduce(partial(self.aligned, operator.add), others)

    def affine(self, products: Sequence[tuple[Value, Value]], biases: Sequence[Value], example: Tensor) -> Value:
        phase = max(left.phase for left, _ in products)
        made = Affine(tuple(products), tuple(biases), self.new(example, phase))
        self.operations.append(made)
        return made.result

    def product(self, left: Value, right: Value) -> Value:
        example = left.example @ right.example
        match left.rank, right.rank:
            case _ if not left.batched and not right.batched:
                return self.emit(torch.matmul, left, right, example=example)
            case 1, 2 if not right.batched:
                return self.affine([(left, right)], [], example)
            case 1, 1:
                return self.emit(dot, left, right, example=example)
            case 1, 2 if left.batched:
                return self.emit(vector_times_matrix, left, right, example=example)
            case 2, 1 if right.batched:
                return self.emit(matrix_times_vector, left, right, example=example)
            case (1, 2) | (2, 1) | (2, 2):
                return self.emit(torch.matmul, left, right, example=example)
        return self.vmapped(operator.matmul, [left, right], example)

    def transpose(self, value: Value) -> Value:
        if value.rank < 2:
            return value
        if value.rank == 2:
            return self.emit(operator.attrgetter("mT"), value, example=value.example.T)
        return self.vmapped(operator.attrgetter("T"), [value], value.example.T)

    def index(self, base: Value, index: Value) -> Value:
        example = base.example[index.example]
        if not base.batched:  # of a matrix of weights, one vector for each index
            return self.emit(operator.getitem, base, index, example=example)
        if isinstance(index.example, int):
            return self.emit(partial(torch.select, dim=-base.rank, index=index.example), base, example=example)
        return self.vmapped(operator.getitem, [base, index], example)

    def call(self, function: Callable[..., Any], values: Sequence[Value]) -> Value:
        rank = max((value.rank for value in values), default=0)
        if function in BY_NUMBER:
            return self.aligned(function, *values)
        example = function(*(value.example for value in values))
        batched = any(value.batched for value in values)
        if not batched or not isinstance(example, Tensor) or (function in ALONG_LAST_AXIS and rank):
            return self.plain(function, values)
        if function is known.flatten:
            return self.emit(partial(torch.flatten, start_dim=-rank), *values, example=example)
        if function is known.concat:
            return self.joined(torch.cat, values, -1, example)
        if function is known.append:
            X, x = values
            below = self.emit(partial(torch.unsqueeze, dim=-2), x, example=x.example.unsqueeze(-2))
            return self.joined(torch.cat, [X, below], -2, example)
        return self.vmapped(function, values, example)

    def family(self, function: Callable[..., Any], values: Sequence[Value]) -> Value:
        if function is builtins.sum:
            return reduce(partial(self.aligned, operator.add), values) if values else self.number(0)
        if function is known.stack:
            examples = torch.stack([value.example for value in values])
            return self.joined(torch.stack, values, -examples.dim(), examples)
        raise NotImplementedError(function.__name__)

    def joined(self, join: Callable[..., Tensor], values: Sequence[Value], axis: int, example: Tensor) -> Value:
        """Tensors put together; those that all examples share are repeated for each."""
        first = next((place for place, value in enumerate(values) if value.batched), 0)
        rank = values[first].rank

        def function(*parts: Tensor) -> Tensor:
            lead = parts[first].shape[: parts[first].dim() - rank]
            return join([part if part.dim() > rank else part.expand(*lead, *part.shape) for part in parts], axis)

        return self.emit(function, *values, example=example)


def terms_of(node: nodes.Node) -> Iterator[nodes.Node]:
    """What a sum of sums adds up."""
    if isinstance(node, nodes.Binary) and node.operator == "+":
        yield from terms_of(node.left)
        yield from terms_of(node.right)
    else:
        yield node


def dot(left: Tensor, right: Tensor) -> Tensor:
    return (left * right).sum(-1)


def vector_times_matrix(vector: Tensor, matrix: Tensor) -> Tensor:
    return (vector.unsqueeze(-2) @ matrix).squeeze(-2)


def matrix_times_vector(matrix: Tensor, vector: Tensor) -> Tensor:
    return (matrix @ vector.unsqueeze(-1)).squeeze(-1)
