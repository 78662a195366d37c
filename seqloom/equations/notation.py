"""From equations to notation: whole lines, loops over parts, recurrences; `expression_notation.py` has what is in them.

LaTeX, MathML and plain text only spell the marks that are made here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from seqloom.equations import nodes
from seqloom.equations.definition import Equations
from seqloom.equations.expression_notation import COMPARE, ExpressionNotation, comma
from seqloom.equations.marks import Fence, Formula, FunctionName, Letter, Mark, Numeral, Row, Sign
from seqloom.equations.nodes import Node, Symbol


def notation(definition: Equations[..., Any], prefix: str = "") -> list[Formula]:
    """A definition as formulas, one for each line that computes; `prefix` goes before every id."""
    return list(Notation(definition, prefix).formulas())


class Notation(ExpressionNotation):
    """Writes one definition, line by line."""

    def formulas(self) -> Iterator[Formula]:
        for targets, value, caption in self.definition.body.statements():
            if isinstance(value, nodes.Repeat):
                yield from self.repeated(value)
                continue
            if isinstance(value, nodes.Scan) and targets:
                yield self.scanned(value, targets[0], caption)
                continue
            family = self.family(value)
            if not targets:
                left: Mark = self.application(self.definition, self.definition.body.inputs, "result")
            elif family:
                left = self.symbol(targets[0], family.index)
            else:
                left = comma([self.symbol(target) for target in targets])
                left = Fence("(", left, ")") if len(targets) > 1 else left
            right = self.at(family.body if family else value, COMPARE)
            condition = self.range(family) if family else None
            yield Formula(left, right, condition, caption, self.prefix + (targets[0].id if targets else "result"))

    def repeated(self, loop: nodes.Repeat) -> Iterator[Formula]:
        """The lines of a loop over parts, each once: X⁽ˡ⁾ = block_l(X⁽ˡ⁻¹⁾), l = 1, …, L."""
        outside = loop.outside
        folded = Folded(self.definition, self.prefix, outside, loop.id)
        times = "L" if loop.definition is None else loop.definition.times
        last = Letter("L") if times == "L" else Numeral(times)
        passes = comma([Row((Letter("l"), Sign("="), Numeral("1"))), Sign("…"), last])
        for line in loop.lines:
            left = comma([folded.symbol(target) for target in line.targets])
            left = Fence("(", left, ")") if len(line.targets) > 1 else left
            id = self.prefix + folded.outer(line.targets[0].id)
            yield Formula(left, folded.at(line.value, COMPARE), passes, line.caption, id)

    def scanned(self, scan: nodes.Scan, target: Symbol, caption: str) -> Formula:
        """A recurrent part that reads a sequence, by one of its steps: h_t = cell(x_t, h_{t−1}), t = 1, …, T."""
        read = scan.source if isinstance(scan.source, Symbol) else None
        step = lowered(target)
        word = self.symbol(lowered(read), "t") if read else self.at(scan.source, COMPARE)
        before = self.symbol(step, "t+1" if scan.backward else "t-1")
        inside = comma([word, before])
        right = Row((self.part_name(scan.part), Fence("(", inside, ")")), id=self.prefix + scan.id)
        length = self.ranks.length(scan.source)
        passes = comma([Row((Letter("t"), Sign("="), Numeral("1"))), Sign("…"), Letter(length or "T")])
        return Formula(self.symbol(step, "t"), right, passes, caption, self.prefix + target.id)

    def family(self, value: Node) -> nodes.Each | None:
        """The family that a whole line defines: it is written by one member, e_j = ..."""
        if isinstance(value, nodes.Call) and value.function.style == "family":
            inside = value.arguments[0]
            assert isinstance(inside, nodes.Each)
            return inside
        return None

    def application(self, definition: Equations[..., Any], arguments: tuple[Node, ...], id: str) -> Mark:
        """f(x, h), under the name of the definition."""
        inside = comma([self.at(argument, COMPARE) for argument in arguments])
        name = FunctionName(definition.label, rf"\text{{{definition.label}}}")
        return Row((name, Fence("(", inside, ")")), id=self.prefix + id)


class Folded(Notation):
    """Writes the lines of a loop once for all its passes; ids are those of what goes in and what comes out."""

    def __init__(self, definition: Equations[..., Any], prefix: str, outside: dict[str, str], loop: str) -> None:
        super().__init__(definition, prefix)
        self.outside, self.loop = outside, loop

    def outer(self, id: str) -> str:
        return folded(id, self.outside, self.loop)

    def symbol(self, symbol: Symbol, *more: str) -> Mark:
        return super().symbol(replace(symbol, id=self.outer(symbol.id)), *more)

    def write(self, node: Node) -> tuple[Mark, int]:
        if isinstance(node, Symbol | nodes.Number):
            return super().write(node)
        return super().write(replace(node, id=self.loop))


def folded(id: str, outside: dict[str, str], loop: str) -> str:
    """X⁽ˡ⁻¹⁾ lights up with what goes into a loop, X⁽ˡ⁾ with what comes out of it, all else with the loop itself."""
    if id in outside:
        return outside[id]
    name, layer, rest = id.partition("^l")
    if not layer:
        return id
    return name if "before" in name else f"{name}^L" if not rest else loop


def lowered(symbol: Symbol) -> Symbol:
    """The letter of one vector of a matrix: x for X, h for H."""
    return replace(symbol, name=symbol.name[0].lower() + symbol.name[1:], when="")
