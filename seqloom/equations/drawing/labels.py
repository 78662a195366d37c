"""What is written on the nodes of a figure: notation set on one line, and constants beside a sign.

A number, a size such as `dim(K)` and the index of a counted family are no nodes of their own: they
stand in the label of the operation that uses them, as in `1 −`, `÷ √dim(K)`, `[n]`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from seqloom.equations import expression_notation as n
from seqloom.equations import marks as m
from seqloom.equations import nodes
from seqloom.equations.definition import Equations
from seqloom.equations.nodes import Node, Symbol
from seqloom.equations.plain import spell


@dataclass(frozen=True)
class TextRun:
    """Characters that are set alike; `id` is the value they stand for, where that is not the node's own."""

    text: str
    slanted: bool = False
    level: int = 0  # -1 below the line, 1 above it
    accent: str = ""
    id: str = ""


Label = tuple[TextRun, ...]

SIGNS = {
    "+": "+", "-": "−", "*": "⊙", "/": "÷", "//": "⌊÷⌋", "**": "^", "@": "×", "&": "∧", "|": "∨", "~": "¬",
    "<": "<", "<=": "≤", ">": ">", ">=": "≥", "==": "=", "!=": "≠",
}  # fmt: skip
STYLES = {"root": "√", "norm": "‖ ‖", "size": "| |", "join": "concat", "append": "append", "cases": "where"}
WORDS = {
    "+": "sum", "-": "difference", "*": "product, entry by entry", "/": "quotient", "//": "quotient, rounded down",
    "**": "power", "@": "matrix product", "&": "both hold", "|": "one of them holds", "~": "does not hold",
}  # fmt: skip


class Labels:
    """The labels of one definition's figure."""

    def __init__(self, definition: Equations[..., Any], prefix: str) -> None:
        self.notation = n.ExpressionNotation(definition, prefix)
        self.prefix = prefix
        statements = (value for _, value, _ in definition.body.statements())
        families = (node for value in statements for node in value.walk() if isinstance(node, nodes.Each))
        self.counters = {family.items[0].id for family in families if family.counted}

    def part(self, part: Symbol) -> Label:
        """The name of a part on its box."""
        return label(self.notation.part_name(part))

    def symbol(self, symbol: Symbol) -> Label:
        return label(self.notation.symbol(symbol), own=self.prefix + symbol.id)

    def range(self, family: nodes.Each) -> Label:
        """`n = 1, …, N`; the letter of a counted family stands here and nowhere else."""
        letter = TextRun(family.index, True, id=self.prefix + family.items[0].id if family.counted else "")
        if self.notation.limits(family)[1] is None:
            return (TextRun("each "), letter)
        return (letter, *label(self.notation.range(family))[1:])

    def plain(self, node: Node) -> str:
        """The whole expression as text."""
        return spell(self.notation.at(node, n.COMPARE))

    def is_constant(self, node: Node) -> bool:
        """Whether a label can hold it: a number, a size, an index, and what is computed from them alone."""
        match node:
            case nodes.Number():
                return True
            case Symbol():
                return node.role == "size" or node.id in self.counters
            case nodes.Unary(operator="-") | nodes.Binary():
                return all(map(self.is_constant, node.children))
            case nodes.Call(function=function, arguments=(argument,)):
                measured = function.name in ("dim", "len") and isinstance(argument, Symbol)
                return measured or (function.style == "root" and self.is_constant(argument))
        return False

    def constant(self, node: Node, level: int = n.TIMES) -> Label:
        return label(self.notation.at(node, level))

    def operation(self, node: Node) -> tuple[Label, tuple[Node, ...], str]:
        """What is written on an operation, the operands that come to it as edges, and what it is in words."""
        operands = summands(node) if is_sum(node) else node.children
        edges = tuple(operand for operand in operands if not self.is_constant(operand))
        fixed = [operand for operand in operands if self.is_constant(operand)]
        match node:
            case nodes.Call(function=function):
                return self.function(node, fixed), edges, function.says
            case nodes.Transpose():
                return (TextRun("⊤"),), edges, "transpose"
            case nodes.Index():
                place = self.inside(fixed) if fixed else self.named(node.index)
                return (TextRun("["), *place, TextRun("]")), edges, "one row"
            case nodes.Binary(operator="**") if fixed:
                base, power = (self.constant(part) if part in fixed else (TextRun("( )"),) for part in operands)
                return (*base, *(replace(run, level=1) for run in power)), edges, WORDS["**"]
            case nodes.Unary(operator=operator):
                return (TextRun(SIGNS[operator]),), edges, "negative" if operator == "-" else WORDS[operator]
            case nodes.Binary(operator=operator):
                sign = self.sign(node, alone=not fixed)
                text: list[TextRun] = [] if fixed else [TextRun(sign)]
                for part in fixed:
                    first = part is operands[0] and not is_sum(node)
                    text += (
                        [*self.constant(part), TextRun(f" {sign}")]
                        if first
                        else [TextRun(f"{sign} "), *self.constant(part)]
                    )
                return tuple(text), edges, WORDS.get(operator, "comparison")
        raise AssertionError(f"no label for {type(node).__name__}")

    def sign(self, node: nodes.Binary, alone: bool) -> str:
        """`⊙` is for rows; with a single number it is a plain product."""
        if node.operator == "*" and min(map(self.notation.ranks.of, node.children)) == 0:
            return "•" if alone else "·"  # alone in its circle it has to be larger
        return SIGNS[node.operator]

    def function(self, node: nodes.Call, fixed: list[Node]) -> Label:
        function = node.function
        if function.style == "count":
            return label(self.notation.write(node)[0], own=self.prefix + node.id)
        name = TextRun(STYLES.get(function.style, function.sign))
        if not fixed:
            return (name,)
        if function.style == "cases":
            return (name, TextRun(", else "), *self.inside(fixed))
        return (name, TextRun(" "), *self.inside(fixed))

    def named(self, node: Node) -> Label:
        """A symbol that also comes as an edge, so that it is seen which of them it is."""
        return label(self.notation.symbol(node)) if isinstance(node, Symbol) else (TextRun(" "),)

    def inside(self, fixed: list[Node]) -> Label:
        return tuple(run for part in fixed for run in self.constant(part, n.COMPARE)) or (TextRun(" "),)


def is_sum(node: Node) -> bool:
    return isinstance(node, nodes.Binary) and node.operator == "+"


def summands(node: Node) -> tuple[Node, ...]:
    """A chain of + is one sum of many."""
    if not is_sum(node):
        return (node,)
    first, second = node.children
    return (*summands(first), second)


def label(mark: m.Mark, own: str = "") -> Label:
    """A mark on one line, neighbours that are set alike joined; the node's own id is left out."""
    joined: list[TextRun] = []
    for run in runs(mark):
        run = replace(run, id="" if run.id == own else run.id)
        if joined and not joined[-1].accent and replace(joined[-1], text=run.text) == run:
            joined[-1] = replace(run, text=joined[-1].text + run.text)
        else:
            joined.append(run)
    return tuple(joined)


def runs(mark: m.Mark, level: int = 0, id: str = "") -> Iterator[TextRun]:
    """The characters of a mark; each has the id of the innermost value that it belongs to."""
    id = mark.id or id
    match mark:
        case m.Letter():
            yield TextRun(mark.text, len(mark.text) == 1, level, mark.accent, id)
        case m.Row():
            for position, part in enumerate(mark.parts):
                spaced = level == 0 and position > 0 and isinstance(part, m.Sign) and part.text in "−+="
                yield from ([TextRun(f" {spell(part)} ", False, level, "", id)] if spaced else runs(part, level, id))
        case m.Below():
            yield from runs(mark.base, level, id)
            yield from runs(mark.below, -1, id)
        case m.Above():
            yield from runs(mark.base, level, id)
            yield from runs(mark.above, 1, id)
        case m.Fraction():
            yield from runs(mark.top, level, id)
            yield TextRun("/", False, level, "", id)
            yield from runs(mark.bottom, level, id)
        case m.Root():
            yield TextRun("√", False, level, "", id)
            yield from runs(mark.inside, level, id)
        case m.Fence():
            yield TextRun(mark.left, False, level, "", id)
            yield from runs(mark.inside, level, id)
            yield TextRun(mark.right, False, level, "", id)
        case m.FunctionName(below=m.Mark() as below):
            yield TextRun(mark.text, False, level, "", id)
            yield from runs(below, -1, id)
        case _:
            yield TextRun(spell(mark), False, level, "", id)


NARROW, WIDE = frozenset("ijltfrI.,:;'|()[]!/1 "), frozenset("mwMWQOGDHNUVKXYAB…∞⊙⌊⌋=+−×÷≤≥≠∑√")
SMALL = 0.7  # the size of what is set lower or higher


def width(text: Label, size: float) -> float:
    """About how wide a label is: characters are narrow, wide or in between."""

    def of(run: TextRun) -> float:
        ems = sum(0.34 if each in NARROW else 0.74 if each in WIDE else 0.53 for each in run.text)
        return ems * (SMALL if run.level else 1)

    return size * sum(map(of, text))
