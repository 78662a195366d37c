"""Expressions as notation: precedence, products, indices, sums; `notation.py` writes whole lines with it."""

from __future__ import annotations

from typing import Any

from seqloom.equations import nodes
from seqloom.equations.definition import Equations
from seqloom.equations.marks import (
    Above,
    Below,
    Cases,
    Column,
    Fence,
    Fraction,
    FunctionName,
    Letter,
    Mark,
    Numeral,
    Root,
    Row,
    Sign,
    Sum,
    Words,
)
from seqloom.equations.names import parse_name, subscripts
from seqloom.equations.nodes import Node, Symbol
from seqloom.equations.ranks import Ranks

COMPARE, SUM, ADD, TIMES, JUXTAPOSE, POWER, ATOM = range(7)
"""How tightly a piece of notation holds together; less than asked for means brackets."""

SIGNS = {
    "+": "+",
    "-": "−",
    "&": "∧",
    "|": "∨",
    "<": "<",
    "<=": "≤",
    ">": ">",
    ">=": "≥",
    "==": "=",
    "!=": "≠",
}


class ExpressionNotation:
    """Writes the expressions of one definition."""

    def __init__(self, definition: Equations[..., Any], prefix: str) -> None:
        self.definition, self.prefix = definition, prefix
        self.ranks = Ranks(definition)

    def at(self, node: Node, level: int) -> Mark:
        """An expression, in brackets if it holds together less tightly than its place asks for."""
        mark, own = self.write(node)
        return mark if own >= level else Fence("(", mark, ")")

    def write(self, node: Node) -> tuple[Mark, int]:
        id = self.prefix + node.id
        match node:
            case Symbol():
                return self.symbol(node), ATOM
            case nodes.Number():
                return number(node.value)
            case nodes.Unary(operator="-"):
                return Row((Sign("−"), self.at(node.operand, TIMES)), id=id), ADD
            case nodes.Unary():
                return Row((Sign("¬"), self.at(node.operand, ATOM)), id=id), POWER
            case nodes.Transpose():
                return Above(self.at(node.operand, ATOM), Sign("⊤"), id=id), POWER
            case nodes.Index():
                return self.index(node, id), ATOM
            case nodes.Binary():
                return self.binary(node, id)
            case nodes.Call():
                return self.call(node, id)
            case nodes.Nested():
                return self.nested(node), ATOM
            case nodes.Scan():
                name = FunctionName(f"scan{'⃖' * node.backward}", r"\text{scan}")
                inside = comma([self.part_name(node.part), self.at(node.source, COMPARE)])
                return Row((name, Fence("(", inside, ")")), id=id), ATOM
        raise AssertionError(f"no notation for {type(node).__name__}")

    def symbol(self, symbol: Symbol, *more: str) -> Mark:
        name = parse_name(symbol.name)
        id = self.prefix + symbol.id
        below = [*subscripts(symbol), *more]
        letter = Letter(name.base, name.accent, id="" if below or symbol.layer else id)
        marked: Mark = letter
        if below:
            inside = comma([subscript(part) for part in below], tight=True)
            marked = Below(letter, inside, id="" if symbol.layer else id)
        return Above(marked, Fence("(", subscript(symbol.layer), ")"), id=id) if symbol.layer else marked

    def index(self, node: nodes.Index, id: str) -> Mark:
        inside = self.at(node.index, COMPARE)
        if isinstance(node.base, Symbol):
            name = parse_name(node.base.name)
            letter = Letter(name.base, name.accent, id=self.prefix + node.base.id)
            below = [*(subscript(part) for part in subscripts(node.base)), inside]
            return Below(letter, comma(below, tight=True), id=id)
        base = self.at(node.base, ATOM)
        if isinstance(node.base, nodes.Index) and isinstance(base, Below):  # an entry of a row: both in one subscript
            return Below(base.base, comma([base.below, inside], tight=True), id=id)
        return Below(base, inside, id=id)

    def binary(self, node: nodes.Binary, id: str) -> tuple[Mark, int]:
        left, right = node.left, node.right
        match node.operator:
            case "+" | "-" | "|":
                second = self.at(right, TIMES if node.operator == "-" else ADD)
                first = self.at(left, ADD)
                return Row((first, Sign(SIGNS[node.operator]), second), id=id), ADD
            case "/":
                return Fraction(self.at(left, COMPARE), self.at(right, COMPARE), id=id), POWER
            case "//":
                return Fence("⌊", Fraction(self.at(left, COMPARE), self.at(right, COMPARE)), "⌋", id=id), ATOM
            case "**":
                return Above(self.at(left, ATOM), self.at(right, COMPARE), id=id), POWER
            case "@":
                return self.product(left, right, id), JUXTAPOSE
            case "*":
                return self.times(left, right, id)
            case "&":
                return Row((self.at(left, TIMES), Sign("∧"), self.at(right, TIMES)), id=id), TIMES
        return Row((self.at(left, ADD), Sign(SIGNS[node.operator]), self.at(right, ADD)), id=id), COMPARE

    def product(self, left: Node, right: Node, id: str) -> Mark:
        """A matrix product, written side by side; of two rows, the second stands as a column."""
        first = self.at(left, JUXTAPOSE)
        if self.ranks.of(right) == 1:
            return Row((first, Above(self.at(right, ATOM), Sign("⊤"))), id=id)
        return Row((first, self.at(right, POWER)), id=id)

    def times(self, left: Node, right: Node, id: str) -> tuple[Mark, int]:
        """An element-wise product has its sign; a product with a single number has none."""
        if self.ranks.of(left) == 0 or self.ranks.of(right) == 0:
            second = self.at(right, POWER)
            like_a_call = isinstance(second, Fence) and second.left == "(" and not isinstance(left, nodes.Number)
            between = (Sign("·"),) if like_a_call or starts_with_number(right) else ()
            if isinstance(left, nodes.Unary) and left.operator == "-":  # −a b needs no brackets in front
                return Row((self.write(left)[0], *between, second), id=id), ADD
            return Row((self.at(left, JUXTAPOSE), *between, second), id=id), JUXTAPOSE
        return Row((self.times_part(left), Sign("⊙"), self.times_part(right)), id=id), TIMES

    def times_part(self, node: Node) -> Mark:
        """Beside ⊙ a matrix product gets brackets, so that nobody has to know which goes first."""
        bare_product = isinstance(node, nodes.Binary) and node.operator == "@"
        return self.at(node, ATOM if bare_product else TIMES)

    def call(self, node: nodes.Call, id: str) -> tuple[Mark, int]:
        arguments = node.arguments
        match node.function.style:
            case "root":
                return Root(self.at(arguments[0], COMPARE), id=id), ATOM
            case "norm":
                return Fence("‖", self.at(arguments[0], COMPARE), "‖", id=id), ATOM
            case "size":
                if length := self.ranks.length(arguments[0]):
                    return Letter(length, id=id), ATOM
                return Fence("|", self.at(arguments[0], COMPARE), "|", id=id), ATOM
            case "positive":
                inside = comma([Numeral("0"), self.at(arguments[0], COMPARE)])
                return Row((FunctionName("max", r"\max"), Fence("(", inside, ")")), id=id), ATOM
            case "join":
                return Fence("[", self.joined(arguments), "]", id=id), ATOM
            case "append":
                return Fence("[", Column(tuple(self.at(part, COMPARE) for part in arguments)), "]", id=id), ATOM
            case "cases":
                condition, value, other = (self.at(part, COMPARE) for part in arguments)
                return Cases(((value, condition), (other, Words("elsewhere"))), id=id), COMPARE
            case "count":
                return Fence("(", self.counted(arguments[0]), ")", id=id), ATOM
            case "sum":
                return self.sum(arguments[0], id), SUM
            case "family":
                each = arguments[0]
                assert isinstance(each, nodes.Each)
                return Below(Fence("[", self.at(each.body, COMPARE), "]"), self.range(each), id=id), ATOM
        name = FunctionName(node.function.sign, node.function.latex)
        inside = comma([self.at(part, COMPARE) for part in arguments])
        return Row((name, Fence("(", inside, ")")), id=id), ATOM

    def joined(self, arguments: tuple[Node, ...]) -> Mark:
        parts: list[Mark] = []
        for argument in arguments:
            if isinstance(argument, nodes.Spread):
                length = self.ranks.length(argument.family)
                last = self.symbol(argument.family, length) if length else Sign("…")
                parts += [self.symbol(argument.family, "1"), Sign("…"), last][: 3 if length else 2]
            else:
                parts.append(self.at(argument, COMPARE))
        return comma(parts)

    def counted(self, limit: Node) -> Mark:
        last = Row((self.at(limit, ADD), Sign("−"), Numeral("1")))
        return comma([Numeral("0"), Numeral("1"), Sign("…"), last])

    def sum(self, each: Node, id: str) -> Mark:
        assert isinstance(each, nodes.Each)
        first, last = self.limits(each)
        under = Row((Letter(each.index), Sign("="), first)) if last else Letter(each.index)
        return Sum(under, last, self.at(each.body, SUM if isinstance(each.body, Symbol) else TIMES), id=id)

    def nested(self, node: nodes.Nested) -> Mark:
        """attention(X, X, mask): under the name of the part, or of the definition that is called by its own."""
        inside = comma([self.at(argument, COMPARE) for argument in node.arguments])
        if node.part is not None:
            name = self.part_name(node.part)
        else:
            assert node.definition is not None
            name = FunctionName(node.definition.label, rf"\text{{{node.definition.label}}}")
        return Row((name, Fence("(", inside, ")")), id=self.prefix + node.id)

    def part_name(self, part: Symbol) -> Mark:
        """`norm₁`, `block_l`: upright, with the number that stands behind its name."""
        name = parse_name(part.name)
        label = "-".join([name.base, *(each for each in name.subscripts if not each.isdigit())])
        below = [*(each for each in name.subscripts if each.isdigit()), *([part.layer] if part.layer else [])]
        number = comma([subscript(each) for each in below], tight=True) if below else None
        return FunctionName(label, rf"\text{{{label}}}", number)

    def range(self, each: nodes.Each) -> Mark:
        """j = 1, …, S."""
        first, last = self.limits(each)
        dots = [Sign(","), Sign("…"), *([Sign(","), last] if last else [])]
        return Row((Letter(each.index), Sign("="), first, *dots))

    def limits(self, each: nodes.Each) -> tuple[Mark, Mark | None]:
        if each.counted and self.counts_from_zero(each):
            limit = self.at(each.sources[0], ADD)
            return Numeral("0"), Row((limit, Sign("−"), Numeral("1")))
        if each.counted:
            return Numeral("1"), self.at(each.sources[0], COMPARE)
        lengths = (self.ranks.length(source) for source in each.sources)
        length = next((length for length in lengths if length), None)
        return Numeral("1"), Letter(length) if length else None

    def counts_from_zero(self, each: nodes.Each) -> bool:
        """Whether the index is used as a number, where it matters that Python counts from 0."""
        bare = [
            child
            for node in each.body.walk()
            for position, child in enumerate(node.children)
            if isinstance(child, Symbol)
            and child.name == each.index
            and not (isinstance(node, nodes.Index) and position == 1)
        ]
        return bool(bare) or (isinstance(each.body, Symbol) and each.body.name == each.index)


def starts_with_number(node: Node) -> bool:
    """Whether digits come first: beside another number they would be read as one, a² 2² or 2 ½."""
    while isinstance(node, nodes.Binary) and node.operator in ("*", "@", "**", "/"):
        node = node.left
    return isinstance(node, nodes.Number)


def comma(parts: list[Mark], *, tight: bool = False) -> Mark:
    """Things between commas; `tight` inside a subscript."""
    if len(parts) == 1:
        return parts[0]
    row: list[Mark] = []
    for part in parts:
        row += [*([Sign("," if tight else ", ")] if row else []), part]
    return Row(tuple(row))


def subscript(text: str) -> Mark:
    """`xh`, `1`, `t-1`: letters slanted, numbers upright."""
    if text[:2] in ("t-", "t+", "l-") and text[2:].isdigit():
        return Row((Letter(text[0]), Sign("−" if text[1] == "-" else "+"), Numeral(text[2:])))
    if text.isdigit():
        return Numeral(text)
    return Row(tuple(Letter(character) for character in text)) if 1 < len(text) <= 2 else Letter(text)


def number(value: int | float) -> tuple[Mark, int]:
    """A number as people write it: 10⁻⁵, ∞.

    >>> number(1e-05)[0]
    Above(base=Numeral(text='10'), above=Row(parts=(Sign(text='−'), Numeral(text='5'))))
    """
    if value == float("inf"):
        return Sign("∞"), ATOM
    text = repr(value)
    if "e" not in text:
        return Numeral(text), ATOM
    digits, _, exponent = text.partition("e")
    power = int(exponent)
    raised = Row((Sign("−"), Numeral(str(-power)))) if power < 0 else Numeral(str(power))
    ten = Above(Numeral("10"), raised)
    return (ten, POWER) if digits == "1" else (Row((Numeral(digits), Sign("·"), ten)), JUXTAPOSE)
