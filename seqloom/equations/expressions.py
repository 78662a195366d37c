"""The expressions of an equations function, as nodes; what is none is an error that says what to write.

An expression is made of names, numbers, `+ - * / // ** @`, comparisons, `& | ~`, `.T`, `E[w]`, calls
of known functions, calls of other equations (weights by name), calls of parts (keyword-only arguments, whose
default is the definition that they usually are), `scan(cell, X)`, and families:
`sum(a_j * h_j for a_j, h_j in zip(a, H))`, `stack(f(k_j) for k_j in K)`, `for n in range(N)`.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from seqloom.equations import nodes
from seqloom.equations.functions import TABLE, Known
from seqloom.equations.nodes import Node, Symbol
from seqloom.equations.rewrites import instead_of_call, instead_of_expression
from seqloom.equations.source import FunctionSource
from seqloom.errors import GrammarError

if TYPE_CHECKING:
    from seqloom.equations.definition import Equations

BINARY: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Pow: "**", ast.MatMult: "@",
    ast.BitAnd: "&", ast.BitOr: "|",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip
UNARY: dict[type[ast.AST], str] = {ast.USub: "-", ast.Invert: "~"}


class ExpressionReader:
    """Reads expressions; `names` holds what each name means at the current line."""

    def __init__(self, source: FunctionSource, outer: Mapping[str, Any], called: set[str]) -> None:
        self.source, self.outer, self.called = source, outer, called
        self.names: dict[str, Symbol] = {}
        self.used: set[str] = set()
        self.line = ""  # the id of what the current line defines; those of its operations are made from it
        self.made = 0  # operations met in it so far
        self.in_loop = False
        self.errors: list[GrammarError] = []

    def note(self, node: ast.AST, what: str, remedy: str) -> None:
        self.errors.append(GrammarError(what, where=self.source.place(node), remedy=remedy))

    def fail(self, node: ast.AST, what: str, remedy: str = "") -> NoReturn:
        raise GrammarError(what, where=self.source.place(node), remedy=remedy)

    def expression(self, node: ast.expr, id: str = "") -> Node:
        """One expression; `id` only for the outermost of a line, which is the value of its name.

        An error is kept, and reading goes on: all of a function's errors are reported at once.
        """
        try:
            return self.read_expression(node, id)
        except GrammarError as error:
            self.errors.append(error)
            return nodes.Number("=0", self.source.span(node), 0)

    def read_expression(self, node: ast.expr, id: str) -> Node:
        span = self.source.span(node)
        match node:
            case ast.Name():
                return self.name(node)
            case ast.Constant(value=bool()):
                pass
            case ast.Constant(value=int() | float() as value):
                return nodes.Number(f"={value}", span, value)
            case ast.UnaryOp(op=op, operand=operand) if type(op) in UNARY:
                inner = self.expression(operand)
                return nodes.Unary(id or self.fresh(), span, UNARY[type(op)], inner)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in BINARY:
                first, second = self.expression(left), self.expression(right)
                return nodes.Binary(id or self.fresh(), span, BINARY[type(op)], first, second)
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in BINARY:
                first, second = self.expression(left), self.expression(right)
                return nodes.Binary(id or self.fresh(), span, BINARY[type(op)], first, second)
            case ast.Attribute(value=value, attr="T"):
                inner = self.expression(value)
                return nodes.Transpose(id or self.fresh(), span, inner)
            case ast.Subscript() if self.in_loop and f"{indexed(node)}[l]" in self.names:
                known = self.names[f"{indexed(node)}[l]"]
                return Symbol(known.id, span, known.name, known.role, known.when, known.layer)
            case ast.Subscript(value=value, slice=index) if not isinstance(index, ast.Slice | ast.Tuple):
                base, place = self.expression(value), self.expression(index)
                return nodes.Index(id or self.fresh(), span, base, place)
            case ast.Call():
                return self.call(node, id)
        self.fail(node, f"`{ast.unparse(node)}` is not part of the grammar of equations", instead_of_expression(node))

    def fresh(self) -> str:
        self.made += 1
        return f"{self.line}.{self.made}"

    def name(self, node: ast.Name) -> Node:
        span = self.source.span(node)
        if node.id in self.names:
            self.used.add(node.id)
            known = self.names[node.id]
            return Symbol(known.id, span, known.name, known.role, known.when, known.layer)
        outer = self.outer.get(node.id)
        if isinstance(outer, int | float) and not isinstance(outer, bool):
            return nodes.Number(f"={node.id}", span, outer)
        self.fail(node, f"{node.id} has no value here", "take it as an argument, or assign it in a line above")

    def call(self, node: ast.Call, id: str) -> Node:
        if isinstance(node.func, ast.Name) and (part := self.names.get(node.func.id)) and part.role == "part":
            return self.part_call(node, node.func, id)
        function: Any = self.outer.get(node.func.id) if isinstance(node.func, ast.Name) else None
        if hasattr(function, "body") and hasattr(function, "legend"):
            return self.nested(node, function, id)
        try:
            entry = TABLE.get(function)
        except TypeError:  # not hashable, so no function
            entry = None
        if entry is None:
            what = f"{ast.unparse(node.func)} is neither a known function nor equations"
            self.fail(node, what, instead_of_call(node.func, function is not None and is_own(function)))
        if node.keywords:
            self.fail(node, f"{entry.name} takes no arguments by name in equations", "pass them in order")
        if entry.style in ("sum", "family"):
            return self.family(node, entry, id)
        if entry.style == "scan":
            return self.scan(node, entry, id)
        arguments = tuple(self.argument(argument) for argument in node.args)
        return nodes.Call(id or self.fresh(), self.source.span(node), entry, arguments)

    def argument(self, node: ast.expr) -> Node:
        if not isinstance(node, ast.Starred):
            return self.expression(node)
        inner = self.expression(node.value)
        if not isinstance(inner, Symbol):
            self.fail(node, "only a name can be spread", "assign the family to a name first")
        return nodes.Spread(f"*{inner.id}", self.source.span(node), inner)

    def family(self, node: ast.Call, entry: Known, id: str) -> Node:
        if len(node.args) != 1 or not isinstance(node.args[0], ast.GeneratorExp):
            self.fail(node, f"{entry.name} takes a family", f"write `{entry.name}(f(x_i) for x_i in X)`")
        body = self.each(node.args[0])
        return nodes.Call(id or self.fresh(), self.source.span(node), entry, (body,))

    def each(self, node: ast.GeneratorExp) -> nodes.Each:
        loop = node.generators[0]
        if len(node.generators) > 1 or loop.ifs:
            self.fail(node, "a family runs over one index and leaves nothing out", "one `for`, no `if`")
        targets = parts_of(loop.target)
        sources, counted = self.sources(loop.iter)
        if not all(isinstance(target, ast.Name) for target in targets) or len(targets) != len(sources):
            self.fail(loop.target, "each source needs one name", "write `for a_j, h_j in zip(a, H)`")
        names = [target.id for target in targets if isinstance(target, ast.Name)]
        index = names[0] if counted else self.common_index(loop.target, names)
        prefix = self.fresh()
        items = tuple(
            Symbol(f"{prefix}:{name}", self.source.span(target), name, "item", entry_of(source))
            for name, target, source in zip(names, targets, sources, strict=True)
        )
        for item in items:
            if item.name in self.names:
                self.fail(loop.target, f"{item.name} has a value already", "name the items differently")
            self.names[item.name] = item
        body = self.expression(node.elt)
        for item in items:
            del self.names[item.name]
        return nodes.Each(prefix, self.source.span(node), body, items, sources, index, counted)

    def sources(self, node: ast.expr) -> tuple[tuple[Node, ...], bool]:
        """What a family runs over, and whether that is a plain count."""
        match node:
            case ast.Call(func=ast.Name(id="range"), args=[limit], keywords=[]):
                return (self.expression(limit),), True
            case ast.Call(func=ast.Name(id="zip"), args=args):
                return tuple(self.expression(argument) for argument in args), False
        return (self.expression(node),), False

    def common_index(self, node: ast.expr, names: list[str]) -> str:
        indices = {name.rpartition("_")[2] if "_" in name else "" for name in names}
        if len(indices) != 1 or "" in indices:
            self.fail(node, "the items of a family share an index", "name them like `a_j, h_j`")
        return indices.pop()

    def part_call(self, node: ast.Call, name: ast.Name, id: str) -> Node:
        """`attention(X, X, mask)`: what it computes is known once it is bound (see binding.py)."""
        if node.keywords:
            self.fail(node, f"the part {name.id} has its own weights", "pass inputs only, in order")
        part = self.name(name)
        assert isinstance(part, Symbol)
        arguments = tuple(self.expression(argument) for argument in node.args)
        return nodes.Nested(id or self.fresh(), self.source.span(node), None, arguments, (), part)

    def scan(self, node: ast.Call, entry: Known, id: str) -> Node:
        match node.args:
            case [ast.Name() as name, source] if name.id in self.called:
                part = self.name(name)
                assert isinstance(part, Symbol)
                read = self.expression(source)
                return nodes.Scan(
                    id or self.fresh(), self.source.span(node), None, part, read, entry.name == "scan_back"
                )
        self.fail(node, f"{entry.name} takes a part and what it reads", f"write `{entry.name}(cell, X)`")

    def nested(self, node: ast.Call, definition: Equations[..., Any], id: str) -> Node:
        taken = definition.body
        arguments = tuple(self.expression(argument) for argument in node.args)
        if len(arguments) != len(taken.inputs):
            expected = ", ".join(symbol.name for symbol in taken.inputs)
            self.fail(node, f"{definition.name} takes {len(taken.inputs)} inputs: {expected}", "pass them in order")
        if len(taken.returns) != 1 and not id.endswith(".call"):
            self.fail(
                node,
                f"{definition.name} has {len(taken.returns)} results",
                "take them by name, a line of its own",
            )
        for keyword in node.keywords:
            if keyword.arg is None:
                remedy = f"take {definition.name} as a part: a keyword-only argument that is called"
                self.fail(node, "weights are not handed on as a group", remedy)
        keywords = tuple((keyword.arg or "", self.expression(keyword.value)) for keyword in node.keywords)
        wrong = {symbol.name for symbol in taken.weights} ^ {name for name, _ in keywords}
        if wrong:
            missing = ", ".join(sorted(wrong))
            remedy = f"pass each by name, or take {definition.name} as a part: a keyword-only argument that is called"
            self.fail(node, f"the weights of {definition.name} do not fit: {missing}", remedy)
        return nodes.Nested(id or self.fresh(), self.source.span(node), definition, arguments, keywords)


def indexed(node: ast.expr) -> str:
    """The name of `s` in `s[l]`."""
    match node:
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Name()):
            return name
    return ""


def is_own(function: Any) -> bool:
    """Whether a user can decorate it: a function written in Python."""
    return hasattr(function, "__code__")


def entry_of(source: Node) -> nodes.When:
    """An entry of a row made in this step belongs to the step; a row of a matrix is one of all steps."""
    in_step = isinstance(source, Symbol) and source.when == "now" and source.name[0].islower()
    return "now" if in_step else ""


def parts_of(node: ast.expr) -> list[ast.expr]:
    """The elements of a tuple, or the one thing that stands there."""
    return list(node.elts) if isinstance(node, ast.Tuple) else [node]
