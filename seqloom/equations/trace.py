"""Numbers: a definition run with every assignment and every operation recorded under its id.

The run takes the same functions in the same order as the plain one, so its results are equal to the
last bit; a test says so for every definition.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from seqloom.equations import nodes
from seqloom.equations.definition import Equations
from seqloom.equations.legend import Entry, bind, letters_in, size_of
from seqloom.equations.part import Part, State, Weights, as_part, gathered, shown, spread, structure
from seqloom.errors import ShapeError

Number: TypeAlias = "Tensor | int | float"
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
    results: tuple[Any, ...] = ()
    weights: dict[str, Any] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)  # of the letters in the docstring
    fixed: set[str] = field(default_factory=set)  # the ids of weights: the same however often they are used
    steps: dict[str, list[dict[str, Number]]] = field(default_factory=dict)
    """For each `scan`, by its id, the values inside it position by position."""

    def take(self, inner: Trace, path: str) -> None:
        """Add what was recorded in a call."""
        self.values |= {f"{path}/{id}": value for id, value in inner.values.items()}
        self.fixed |= {f"{path}/{id}" for id in inner.fixed}
        for scan, steps in inner.steps.items():
            self.steps[f"{path}/{scan}"] = [{f"{path}/{id}": value for id, value in each.items()} for each in steps]

    def join(self, records: Sequence[Trace]) -> dict[str, Number]:
        """What was recorded again and again: with an axis in front, one entry each time; weights as they are."""
        first = records[0].values if records else {}
        self.fixed |= {id for record in records for id in record.fixed}
        joined = {
            id: value if id in self.fixed else together([record.values[id] for record in records])
            for id, value in first.items()
        }
        self.values |= joined
        return joined


def trace(definition: Equations[..., Any], *inputs: Any, **weights: Any) -> Trace:
    """Run a definition and record everything."""
    return Tracer(definition.bind(**structure(weights)), inputs, weights, None).run()


def sample(definition: Equations[..., Any], inputs: tuple[Any, ...], weights: Weights, draw: Draw) -> Trace:
    """The same, with the weights that are missing drawn in the shapes that the docstrings state."""
    return Tracer(definition.bind(**structure(weights)), inputs, weights, draw).run()


class Tracer:
    """One run of one bound definition; calls inside it are runs of their own."""

    def __init__(
        self,
        definition: Equations[..., Any],
        inputs: Sequence[Any],
        weights: Weights,
        draw: Draw | None,
        prefix: str = "",
    ) -> None:
        self.definition, self.draw, self.prefix = definition, draw, prefix
        self.known: dict[str, Any] = {}  # by id
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
        self.known[symbol.id] = value
        tensors = shown(value)
        several = isinstance(tensors, list) and tensors and all(isinstance(each, Tensor) for each in tensors)
        self.note(symbol.id, padded(tensors) if several else value)

    def note(self, id: str, value: Any) -> None:
        """Record a number; of a state what it shows, of several results the first."""
        value = shown(value[0] if isinstance(value, tuple) else value)
        if isinstance(value, Tensor | int | float):
            self.record.values[id] = value

    def learn(self, name: str, value: Any) -> None:
        """Learn the sizes of the legend's letters from a value, or say where it disagrees."""
        entry = self.definition.legend[name]
        if entry is None or entry.kind == "state" or isinstance(value, State | list):
            return
        if entry.kind == "int":
            self.sizes[name] = int(value)
        else:
            bind(entry, tuple(getattr(value, "shape", ())), self.sizes, name=f"{self.definition.name}: {name}")

    def take(self, symbol: nodes.Symbol, weights: Weights) -> None:
        name = symbol.id if symbol.layer else symbol.name  # of the parts of a loop each has its own
        value: Any = weights.get(name)
        if value is None and symbol.role in ("part", "parts"):
            value = self.usual(symbol)
        elif value is None and self.draw is not None:
            value = self.make(name, self.definition.legend[name])
        if value is None:
            kind = "part" if symbol.role in ("part", "parts") else "weight"
            raise ShapeError(f"{self.definition.name} needs its {kind} {name}", remedy="pass it by name")
        if symbol.role in ("weight", "size"):
            self.learn(name, value)
            self.record.fixed.add(symbol.id)
        self.record.weights[name] = value
        self.keep(symbol, value)

    def usual(self, symbol: nodes.Symbol) -> Any:
        """The part that it is by default; its weights are drawn when it is called."""
        part = self.definition.bound_to.get(symbol.name)
        if isinstance(part, tuple):
            return [Part(each) for each in part]
        return None if part is None else Part(part)

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
        for letter in (letter for size in entry.shape for letter in letters_in(size)):
            if letter not in self.sizes:  # no input has told it
                self.sizes[letter] = int(self.draw(letter, ()))
        shape = tuple(size_of(letter, self.sizes) for letter in entry.shape)
        if entry.kind == "index":
            return torch.arange(math.prod(shape)).reshape(shape)
        return self.draw(self.prefix + name, shape)

    # --- expressions ----------------------------------------------------------------------------

    def value(self, node: nodes.Node) -> Any:
        if isinstance(node, nodes.Symbol):
            return self.known[node.id]
        if isinstance(node, nodes.Number):
            return node.value
        try:
            value = self.compute(node)
        except (RuntimeError, IndexError, TypeError, ValueError) as error:
            raise self.wrong(node, error) from error
        self.note(node.id, value)
        return value

    def number(self, node: nodes.Node) -> Any:
        """The value of an expression in arithmetic: of a state what it shows."""
        return shown(self.value(node))

    def wrong(self, node: nodes.Node, error: Exception) -> ShapeError:
        """What could not be computed, where it stands, and the shapes that met there."""
        source = self.definition.source
        symbols = {part.name: part.id for part in node.walk() if isinstance(part, nodes.Symbol)}
        met = {name: self.known[id] for name, id in sorted(symbols.items()) if id in self.known}
        shapes = ", ".join(f"{name} {tuple(getattr(value, 'shape', ()))}" for name, value in met.items())
        text = source.lines[node.span.line - 1].strip()
        return ShapeError(
            f"`{text}` cannot be computed: {str(error).splitlines()[0]}",
            where=f"{source.file}:{source.first + node.span.line - 1}",
            remedy=f"check the shapes in the docstring; here they are {shapes}",
        )

    def compute(self, node: nodes.Node) -> Any:
        match node:
            case nodes.Unary():
                return SIGNS[node.operator](self.number(node.operand))
            case nodes.Binary():
                return OPERATORS[node.operator](self.number(node.left), self.number(node.right))
            case nodes.Transpose():
                return self.number(node.operand).T
            case nodes.Index():
                return self.number(node.base)[self.value(node.index)]
            case nodes.Call():
                return node.function.compute(*self.arguments(node))
            case nodes.Each():
                return self.each(node)
            case nodes.Nested():
                return self.nested(node)
            case nodes.Scan():
                return self.scan(node)
            case nodes.Repeat():
                return self.repeat(node)
        raise AssertionError(f"no way to compute {type(node).__name__}")

    def arguments(self, node: nodes.Call) -> Iterator[Any]:
        for argument in node.arguments:
            if isinstance(argument, nodes.Spread):
                yield from self.value(argument.family)
            else:
                yield self.number(argument)

    def each(self, node: nodes.Each) -> list[Any]:
        """The values of a family; what is recorded inside gets an axis in front, one entry an item."""
        sources = [self.value(source) for source in node.sources]
        rounds = [(count,) for count in range(sources[0])] if node.counted else list(zip(*sources, strict=False))
        values, records = [], []
        for items in rounds:
            with self.apart() as record:
                for symbol, item in zip(node.items, items, strict=True):
                    self.keep(symbol, item)
                values.append(self.number(node.body))
            records.append(record)
        self.record.join(records)
        return values

    @contextmanager
    def apart(self) -> Iterator[Trace]:
        """Record into a trace of its own for a while."""
        outer, self.record = self.record, Trace(weights=self.record.weights)
        yield self.record
        self.record = outer

    # --- calls ----------------------------------------------------------------------------------

    def nested(self, node: nodes.Nested) -> Any:
        inputs = [self.value(argument) for argument in node.arguments]
        if node.part is not None:
            return self.call(node.id, node.part, node.definition, inputs)
        weights = {name: self.value(value) for name, value in node.keywords}
        assert node.definition is not None
        return self.inside(node.id, node.definition, list(map(shown, inputs)), weights, self.prefix)[0]

    def call(self, id: str, part: nodes.Symbol, definition: Equations[..., Any] | None, inputs: list[Any]) -> Any:
        """Call a part; weights that are drawn on the way stay with it."""
        given = as_part(self.known[part.id])
        definition = definition or given.bound
        taken, has_state = spread(definition, inputs)
        prefix = f"{self.prefix}{part.name}{part.layer}."
        results, weights = self.inside(id, definition, taken, given.weights, prefix)
        if self.draw is not None:
            self.known[part.id] = self.record.weights[part.id] = Part(given.definition, weights)
        return gathered(definition, results) if has_state else results

    def inside(
        self, id: str, definition: Equations[..., Any], inputs: Sequence[Any], weights: Weights, prefix: str
    ) -> tuple[Any, dict[str, Any]]:
        """Run other equations; the results and the weights, some of which may have been drawn."""
        inner = Tracer(definition, inputs, weights, self.draw, prefix).run()
        self.record.take(inner, id)
        return inner.results if len(inner.results) > 1 else inner.results[0], inner.weights

    def scan(self, node: nodes.Scan) -> Tensor:
        """Read a sequence with a recurrent part; what is recorded inside gets an axis of time in front."""
        X = self.number(node.source)
        part = as_part(self.known[node.part.id])
        sizes = {letter: int(self.draw(letter, ())) for letter in "HKDFV"} if self.draw else None
        state, outputs, records = part.start(X, sizes), [], []
        for x in reversed(X) if node.backward else X:
            with self.apart() as record:
                state = self.call(node.id, node.part, node.definition, [x, state])
                outputs.append(shown(state))
            records.append(record)
        if node.backward:
            outputs.reverse()
            records.reverse()
        joined = self.record.join(records)
        changing = joined.keys() - self.record.fixed
        self.record.steps[node.id] = [{id: record.values[id] for id in changing} for record in records]
        return torch.stack(outputs)

    def repeat(self, node: nodes.Repeat) -> Any:
        """All passes of a loop over parts, as the definition that binding has made of them."""
        parts = self.known[node.over.id]
        layered = {symbol.name for symbol in node.definition.body.inputs if "before^" in symbol.id}  # type: ignore[union-attr]
        inputs: list[Any] = []
        for symbol in node.arguments:
            value = self.value(symbol)
            inputs += list(value) if symbol.name in layered else [value]
        weights = {f"{node.item.name}^{number}": part for number, part in enumerate(parts, start=1)}
        assert node.definition is not None
        results, drawn = self.inside(node.id, node.definition, inputs, weights, f"{self.prefix}{node.over.name}.")
        if self.draw is not None:
            self.known[node.over.id] = self.record.weights[node.over.name] = [drawn[name] for name in weights]
        results = results if isinstance(results, tuple) else (results,)
        carried = len([symbol for symbol in node.arguments if symbol.layer == "0"])
        states = [symbol.name for symbol in node.arguments if symbol.name in layered]
        by_layer = results[carried:]
        found = [*results[:carried], *([by_layer[at :: len(states)] for at in range(len(states))])]
        found = [*found[:carried], *(list(layers) for layers in found[carried:])]
        return tuple(found) if len(found) > 1 else found[0]


def padded(tensors: list[Tensor]) -> Tensor:
    """The states of several layers, or sequences of different lengths, as one tensor with zeros behind the shorter."""
    if len({tensor.shape for tensor in tensors}) == 1:
        return torch.stack(tensors)
    if len({tensor.shape[1:] for tensor in tensors}) == 1:
        return pad_sequence(tensors, batch_first=True)
    return tensors[-1]


def together(values: list[Number]) -> Number:
    """The values of the rounds of a family as one tensor; where their shapes differ, the last one."""
    tensors = [torch.as_tensor(value) for value in values]
    same = len({tensor.shape for tensor in tensors}) == 1
    return torch.stack(tensors) if same else values[-1]
