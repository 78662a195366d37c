"""How many axes a value has: 0 a number, 1 a row, 2 a matrix. Notation needs it, computing does not."""

from __future__ import annotations

from typing import Any

from seqloom.equations import nodes
from seqloom.equations.definition import Equations
from seqloom.equations.functions import same
from seqloom.equations.nodes import Node, Symbol


class Ranks:
    """The ranks of everything in one definition, from the legend and the operations.

    Where the legend is silent, a capital is a matrix and a small letter a row.
    """

    def __init__(self, definition: Equations[..., Any]) -> None:
        self.definition = definition
        self.known: dict[str, int] = {}
        self.lengths: dict[str, str] = {}  # of matrices made in the definition: the letter of their rows
        for symbol in (*definition.body.inputs, *definition.body.weights):
            entry = definition.legend[symbol.name]
            stated = entry is not None and entry.kind != "state"
            self.known[symbol.id] = len(entry.shape) if entry and stated else guess(symbol)
        for line in definition.body.lines:
            rank = self.of(line.value)
            for position, target in enumerate(line.targets):
                self.known[target.id] = self.of_target(line, position, rank)
            if isinstance(line.value, nodes.Call) and line.value.function.style == "family":
                each = line.value.arguments[0]
                assert isinstance(each, nodes.Each)
                if length := self.limit(each):
                    self.lengths[line.targets[0].id] = length
            elif isinstance(line.value, nodes.Call) and line.value.function.rank is same:
                self.lengths[line.targets[0].id] = self.length(line.value.arguments[0])  # entry by entry

    def of(self, node: Node) -> int:
        """The rank of an expression."""
        match node:
            case Symbol():
                return self.known.get(node.id, guess(node))
            case nodes.Number():
                return 0
            case nodes.Unary() | nodes.Transpose():
                return self.of(node.operand)
            case nodes.Spread():
                return max(self.of(node.family) - 1, 0)
            case nodes.Index():
                return max(self.of(node.base) - 1 + self.of(node.index), 0)
            case nodes.Binary(operator="@"):
                left, right = self.of(node.left), self.of(node.right)
                return max(left + right - 2, 0) if min(left, right) <= 1 else max(left, right)
            case nodes.Binary():
                return max(self.of(node.left), self.of(node.right))
            case nodes.Each():
                for item, source in zip(node.items, node.sources, strict=True):
                    self.known[item.id] = 0 if node.counted else max(self.of(source) - 1, 0)
                return self.of(node.body)
            case nodes.Call():
                return node.function.rank([self.of(argument) for argument in node.arguments])
            case nodes.Nested():
                return self.of_result(node, 0)
            case nodes.Scan():
                return 2
            case nodes.Repeat():
                return self.of(node.arguments[0])
        raise AssertionError(f"no rank for {type(node).__name__}")

    def of_result(self, node: nodes.Nested, position: int) -> int:
        """A definition of one vector, used on a matrix, gives a matrix; a part that is not bound, what it is given."""
        if node.definition is None:
            return max(map(self.of, node.arguments), default=1)
        inner, symbols = Ranks(node.definition), node.definition.body.inputs
        if len(symbols) != len(node.arguments):  # a state that is several tensors
            return inner.of(node.definition.body.returns[position])
        pairs = [(inner.of(stated), self.of(given)) for given, stated in zip(node.arguments, symbols)]
        more = max((given - stated for stated, given in pairs), default=0)
        return inner.of(node.definition.body.returns[position]) + max(more, 0)

    def of_target(self, line: nodes.Assign, position: int, rank: int) -> int:
        target = line.targets[position]
        entry = self.definition.legend[target.name] if target.role == "state" else None
        if entry is not None and entry.kind != "state":
            return len(entry.shape)
        if isinstance(line.value, nodes.Repeat):
            return self.of(line.value.arguments[position])
        if isinstance(line.value, nodes.Nested) and position and line.value.definition is not None:
            return self.of_result(line.value, position)
        return rank

    def length(self, node: Node) -> str:
        """The letter that says how many rows a value has, if the legend or a family tells."""
        if not isinstance(node, Symbol):
            return ""
        if node.id in self.lengths:
            return self.lengths[node.id]
        entry = self.definition.legend[node.name]
        taken = node.role in ("input", "weight") and entry is not None and entry.shape
        return entry.shape[0] if entry and taken and entry.shape[0].isidentifier() else ""

    def limit(self, each: nodes.Each) -> str:
        if each.counted:
            source = each.sources[0]
            return source.name if isinstance(source, Symbol) else ""
        return next(filter(None, map(self.length, each.sources)), "")


def guess(symbol: Symbol) -> int:
    if symbol.role == "size":
        return 0
    return 2 if symbol.name[0].isupper() else 1
