"""Numbers: a definition run with every assignment and every operation recorded under its id.

The run takes the same functions in the same order as the plain one, so its results are equal to the
last bit; a test says so for every definition.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import torch
from torch import Tensor

from seqloom.equations import nodes
from seqloom.equations.definition import Equations
from seqloom.equations.legend import Entry, bind, size_of
from seqloom.errors import ShapeError

Number: TypeAlias = "Tensor | int | float"
Weights: TypeAlias = "Mapping[str, Tensor | int | Weights]"
Draw: TypeAlias = Callable[[str, tuple[int, ...]], Tensor]
"""Makes a weight that was not given, from its name (`attention.W_Q`) and shape; or a size, from its letter."""

OPERATORS: dict[str, Callable[..., Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "**": operator.pow, "@": operator.matmul, "&": operator.and_, "|": operator.or_,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
SIGNS: dict[str, Callable[..., Any]] = {"-": operator.neg, "~": operator.invert}


@dataclass
class Trace:
    """What one run computed: a value for every id, and the results in order."""

    values: dict[str, Number] = field(default_factory=dict)
    results: tuple[Number, ...] = ()
    weights: dict[str, Any] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)  # of the letters in the docstring


def trace(definition: Equations[..., Any], *inputs: Number, **weights: Any) -> Trace:
    """Run a definition and record everything."""
    return Run(definition, inputs, weights, None).run()


def sample(definition: Equations[..., Any], inputs: tuple[Number, ...], weights: Weights, draw: Draw) -> Trace:
    """The same, with the weights that are missing drawn in the shapes that the docstrings state."""
    return Run(definition, inputs, weights, draw).run()


class Run:
    """One run of one definition; nested calls are runs of their own."""

    def __init__(
        self,
        definition: Equations[..., Any],
        inputs: tuple[Number, ...],
        weights: Weights,
        draw: Draw | None,
        group: str = "",
    ) -> None:
        self.definition, self.draw, self.group = definition, draw, group
        self.names: dict[str, Any] = {}
        self.sizes: dict[str, int] = {}
        self.record = Trace()
        symbols = definition.body.inputs
        if len(inputs) != len(symbols):
            expected = ", ".join(symbol.name for symbol in symbols)
            raise ShapeError(f"{definition.name} takes {len(symbols)} inputs ({expected}), {len(inputs)} are given")
        for symbol, value in zip(symbols, inputs, strict=True):
            self.learn(symbol.name, value)
            self.keep(symbol, value)
        for symbol in definition.body.weights:
            self.take(symbol, weights)

    def run(self) -> Trace:
        body = self.definition.body
        for line in body.lines:
            value = self.value(line.value)
            values = value if len(line.targets) > 1 else (value,)
            for target, part in zip(line.targets, values, strict=True):
                self.keep(target, part)
        self.record.results = tuple(self.value(part) for part in body.returns)
        self.record.sizes = self.sizes
        return self.record

    # --- arguments ------------------------------------------------------------------------------

    def keep(self, symbol: nodes.Symbol, value: Any) -> None:
        self.names[symbol.name] = value
        if not isinstance(value, Mapping):
            self.record.values[symbol.id] = value

    def learn(self, name: str, value: Any) -> None:
        """Learn the sizes of the legend's letters from a value, or say where it disagrees."""
        entry = self.definition.legend[name]
        if entry is not None and entry.kind == "int":
            self.sizes[name] = int(value)
        elif entry is not None:
            bind(entry, tuple(getattr(value, "shape", ())), self.sizes, name=f"{self.definition.name}: {name}")

    def take(self, symbol: nodes.Symbol, weights: Weights) -> None:
        name = symbol.name
        entry = self.definition.legend[name]
        value: Any = weights.get(name)
        if value is None and self.draw is not None:
            value = {} if symbol.role == "group" else self.make(name, entry)
        if value is None:
            raise ShapeError(f"{self.definition.name} needs its weight {name}", remedy="pass it by name")
        if symbol.role != "group":
            self.learn(name, value)
        self.record.weights[name] = value
        self.keep(symbol, value)

    def make(self, name: str, entry: Entry | None) -> Tensor | int:
        assert self.draw is not None
        if entry is None:
            raise ShapeError(
                f"the docstring of {self.definition.name} does not state the shape of {name}",
                where=self.definition.source.place(),
                remedy=f"add a line like `{name}  (D, H)  what it does`",
            )
        if entry.kind == "int":
            return self.sizes.get(name) or int(self.draw(name, ()))
        for letter in entry.shape:
            if letter.isidentifier() and letter not in self.sizes:  # no input has told it
                self.sizes[letter] = int(self.draw(letter, ()))
        return self.draw(self.group + name, tuple(size_of(letter, self.sizes) for letter in entry.shape))

    # --- expressions ----------------------------------------------------------------------------

    def value(self, node: nodes.Node) -> Any:
        if isinstance(node, nodes.Symbol):
            return self.names[node.name]
        if isinstance(node, nodes.Number):
            return node.value
        try:
            value = self.compute(node)
        except (RuntimeError, IndexError, TypeError, ValueError) as error:
            raise self.wrong(node, error) from error
        if isinstance(value, Tensor | int | float):
            self.record.values[node.id] = value
        return value

    def wrong(self, node: nodes.Node, error: Exception) -> ShapeError:
        """What could not be computed, where it stands, and the shapes that met there."""
        source = self.definition.source
        names = sorted(
            {part.name for part in node.walk() if isinstance(part, nodes.Symbol) and part.name in self.names}
        )
        shapes = ", ".join(f"{name} {tuple(getattr(self.names[name], 'shape', ()))}" for name in names)
        text = source.lines[node.span.line - 1].strip()
        return ShapeError(
            f"`{text}` cannot be computed: {str(error).splitlines()[0]}",
            where=f"{source.file}:{source.first + node.span.line - 1}",
            remedy=f"check the shapes in the docstring; here they are {shapes}",
        )

    def compute(self, node: nodes.Node) -> Any:
        match node:
            case nodes.Unary():
                return SIGNS[node.operator](self.value(node.operand))
            case nodes.Binary():
                return OPERATORS[node.operator](self.value(node.left), self.value(node.right))
            case nodes.Transpose():
                return self.value(node.operand).T
            case nodes.Index():
                return self.value(node.base)[self.value(node.index)]
            case nodes.Call():
                return node.function.compute(*self.arguments(node))
            case nodes.Each():
                return self.each(node)
            case nodes.Nested():
                return self.nested(node)
        raise AssertionError(f"no way to compute {type(node).__name__}")

    def arguments(self, node: nodes.Call) -> Iterator[Any]:
        for argument in node.arguments:
            if isinstance(argument, nodes.Spread):
                yield from self.value(argument.family)
            else:
                yield self.value(argument)

    def each(self, node: nodes.Each) -> list[Any]:
        """The values of a family; what is recorded inside gets an axis in front, one entry an item."""
        sources = [self.value(source) for source in node.sources]
        rounds = [(count,) for count in range(sources[0])] if node.counted else list(zip(*sources, strict=False))
        values, records = [], []
        for items in rounds:
            with self.apart() as record:
                for symbol, item in zip(node.items, items, strict=True):
                    self.keep(symbol, item)
                values.append(self.value(node.body))
            records.append(record.values)
        for symbol in node.items:
            self.names.pop(symbol.name, None)
        self.record.values |= {id: together([record[id] for record in records]) for id in (records or [{}])[0]}
        return values

    @contextmanager
    def apart(self) -> Iterator[Trace]:
        """Record into a trace of its own for a while."""
        outer, self.record = self.record, Trace(weights=self.record.weights)
        yield self.record
        self.record = outer

    def nested(self, node: nodes.Nested) -> Any:
        inputs = tuple(self.value(argument) for argument in node.arguments)
        weights: dict[str, Any] = {name: self.value(value) for name, value in node.keywords}
        if node.group is not None:
            weights |= self.names[node.group.name]
        prefix = f"{self.group}{node.group.name}." if node.group else self.group
        inner = Run(node.definition, inputs, weights, self.draw, prefix).run()
        if node.group is not None:
            whole = {**self.names[node.group.name], **inner.weights}
            self.names[node.group.name] = self.record.weights[node.group.name] = whole
        self.record.values |= {f"{node.id}/{id}": value for id, value in inner.values.items()}
        return inner.results if len(inner.results) > 1 else inner.results[0]


def together(values: list[Number]) -> Number:
    """The values of the rounds of a family as one tensor; where their shapes differ, the last one."""
    tensors = [torch.as_tensor(value) for value in values]
    same = len({tensor.shape for tensor in tensors}) == 1
    return torch.stack(tensors) if same else values[-1]
