"""From a function's syntax tree to equations; what is outside the grammar is an error right here.

    name = expression            # a caption
    name, name = nested(...)
    for block in blocks:         a loop over parts; `for l, cell in enumerate(cells)` has a state `s[l]` for each
        X = block(X, mask)
    return name, name            or, for a single formula: return expression

An expression is made of names, numbers, `+ - * / // ** @`, comparisons, `& | ~`, `.T`, `E[w]`, calls
of known functions, calls of other equations (weights by name), calls of parts (keyword-only arguments, whose
default is the definition that they usually are), `scan(cell, X)`, and families:
`sum(a_j * h_j for a_j, h_j in zip(a, H))`, `stack(f(k_j) for k_j in K)`, `for n in range(N)`.
"""

from __future__ import annotations

import ast
import builtins
import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from seqloom.equations import nodes
from seqloom.equations.functions import TABLE, Known
from seqloom.equations.legend import Legend
from seqloom.equations.nodes import Node, Symbol
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


def read(source: FunctionSource, function: Callable[..., Any], legend: Legend) -> nodes.Body:
    """The equations of a function."""
    return GrammarReader(source, outer_names(function), legend).read()


def outer_names(function: Callable[..., Any]) -> dict[str, Any]:
    """What the names mean that a function uses but does not define."""
    closed_over = inspect.getclosurevars(function)
    return {**vars(builtins), **getattr(function, "__globals__", {}), **closed_over.nonlocals}


class GrammarReader:
    """Reads one function; `names` holds what each name means at the current line."""

    def __init__(self, source: FunctionSource, outer: Mapping[str, Any], legend: Legend) -> None:
        self.source, self.outer, self.legend = source, outer, legend
        self.names: dict[str, Symbol] = {}
        self.used: set[str] = set()
        self.line = ""  # the id of what the current line defines; those of its operations are made from it
        self.made = 0  # operations met in it so far
        self.in_loop = False
        self.called, self.looped, self.carried = parts_in(source.tree)

    def fail(self, node: ast.AST, what: str, remedy: str = "") -> NoReturn:
        raise GrammarError(what, where=self.source.place(node), remedy=remedy)

    # --- the function ---------------------------------------------------------------------------

    def read(self) -> nodes.Body:
        tree = self.source.tree
        statements = tree.body[1:] if ast.get_docstring(tree) is not None else tree.body
        if not statements or not isinstance(statements[-1], ast.Return) or statements[-1].value is None:
            self.fail(tree, f"{tree.name} does not end in a return", "return what it computes")
        last = statements[-1].value
        returned = [part.id for part in parts_of(last) if isinstance(part, ast.Name)]
        inputs, weights = self.read_arguments(tree, returned)
        lines = tuple(
            self.read_loop(statement) if isinstance(statement, ast.For) else self.read_line(statement)
            for statement in statements[:-1]
        )
        returns = self.read_return(last)
        for symbol in (*inputs, *weights):
            if symbol.name not in self.used:
                self.fail(tree, f"{symbol.name} is taken but never used", "use it, or take it out")
            if symbol.role == "state" and self.names[symbol.name].when != "now":
                self.fail(tree, f"the state {symbol.name} is returned as it came", "assign it, or do not return it")
        return nodes.Body(inputs, weights, lines, returns, self.source.caption(statements[-1]))

    def read_arguments(
        self, tree: ast.FunctionDef, returned: list[str]
    ) -> tuple[tuple[Symbol, ...], tuple[Symbol, ...]]:
        arguments = tree.args
        extra = arguments.vararg or arguments.kwarg
        if extra:
            self.fail(extra, f"*{extra.arg} has no letter in a formula", "name every argument")
        usual = zip(arguments.kwonlyargs, arguments.kw_defaults)
        no_parts = [default for name, default in usual if name.arg not in self.called | self.looped]
        if arguments.defaults or any(no_parts):
            self.fail(tree, "a default value stands in no formula", "take the value as an argument")
        positional = [*arguments.posonlyargs, *arguments.args]
        self.has_state = any(argument.arg in returned for argument in positional)
        inputs, weights = [], []
        for argument in positional:
            name = argument.arg
            role: nodes.Role = "state" if name in returned else "input"
            when: nodes.When = "before" if role == "state" else self.when(name)
            id = f"{name}.before" if role == "state" else name
            inputs.append(Symbol(id, self.source.span(argument), name, role, when, self.first_layer(name)))
        for argument in arguments.kwonlyargs:
            name = argument.arg
            entry = self.legend[name]
            role = "size" if entry and entry.kind == "int" else "weight"
            role = "part" if name in self.called else "parts" if name in self.looped else role
            weights.append(Symbol(name, self.source.span(argument), name, role))
        for symbol in (*inputs, *weights):
            self.names[symbol.name] = symbol
        return tuple(inputs), tuple(weights)

    def when(self, name: str) -> nodes.When:
        """A vector (small letter) of a recurrent definition belongs to a step; a capital is all steps."""
        return "now" if self.has_state and name[0].islower() else ""

    def first_layer(self, name: str) -> str:
        """What a loop carries from pass to pass begins as X⁽⁰⁾."""
        return "0" if name in self.carried else ""

    # --- lines --------------------------------------------------------------------------------------

    def read_line(self, statement: ast.stmt) -> nodes.Assign:
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            kind = type(statement).__name__
            self.fail(statement, f"{kind} is not part of the grammar of equations", "write `name = expression`")
        targets = tuple(self.target(target) for target in parts_of(statement.targets[0]))
        self.line, self.made = targets[0].id, 0
        several = len(targets) > 1
        value = self.expression(statement.value, id=f"{targets[0].id}.call" if several else targets[0].id)
        if several and not isinstance(value, nodes.Nested):
            self.fail(statement, "only a call of other equations has several results", "one name a line")
        definition = value.definition if isinstance(value, nodes.Nested) and value.part is None else None
        if definition is not None and len(definition.body.returns) != len(targets):
            count = len(definition.body.returns)
            self.fail(statement, f"{definition.name} returns {count} values, {len(targets)} are taken")
        for target in targets:
            self.names[f"{target.name}[l]" if is_layered(target) else target.name] = target
        return nodes.Assign(targets, value, self.source.caption(statement))

    def target(self, target: ast.expr) -> Symbol:
        """What a line defines: a name; in a loop also the state of a layer, `s[l]`."""
        span = self.source.span(target)
        if self.in_loop and (name := indexed(target)):
            return Symbol(f"{name}^l", span, name, "state", "now", "l")
        self.check_target(target)
        assert isinstance(target, ast.Name)
        name, known = target.id, self.names.get(target.id)
        role: nodes.Role = "state" if known is not None and known.role == "state" else "value"
        when: nodes.When = "now" if role == "state" else self.when(name)
        if self.in_loop:
            return Symbol(f"{name}^l", span, name, role, when, "l")
        return Symbol(name, span, name, role, when, self.first_layer(name))

    def check_target(self, target: ast.expr) -> None:
        if not isinstance(target, ast.Name):
            self.fail(target, f"cannot assign to {ast.unparse(target)}", "assign to a plain name")
        known = self.names.get(target.id)
        if known is None or known.layer == "l-1" or (known.role == "state" and known.when == "before"):
            return
        taken = "has a value already" if known.role in ("value", "item", "state") else "is an argument"
        self.fail(
            target,
            f"{target.id} {taken}",
            "a symbol means one thing: choose another name, or make it a state",
        )

    def read_loop(self, statement: ast.For) -> nodes.Assign:
        """`for block in blocks:` and its lines, as one value that is computed from what they take from outside."""
        index, item, over = self.loop_head(statement)
        outer, span = dict(self.names), self.source.span(statement)
        parts = self.name(over)
        assert isinstance(parts, Symbol)
        assigned = [target for line in statement.body for target in assigned_in(line)]
        plain = list(dict.fromkeys(each.id for each in assigned if isinstance(each, ast.Name)))
        layered = list(dict.fromkeys(name for each in assigned if (name := indexed(each))))
        carried = [outer[name] for name in plain if name in outer]
        states = [outer[name] for name in layered if name in outer and outer[name].role == "state"]
        if statement.orelse or not (carried or states) or len(states) < len(layered) or (layered and not index):
            remedy = "write `for block in blocks: X = block(X)`, or `for l, cell in enumerate(cells): s[l] = ...`"
            self.fail(
                statement, "a loop over parts carries a value, or a state of each part, through all of them", remedy
            )
        for symbol in carried:
            if symbol.role == "state" or symbol.layer == "L":
                self.fail(statement, f"{symbol.name} is carried twice", "choose another name for what goes in")
            inside = Symbol(f"{symbol.name}^l-1", span, symbol.name, symbol.role, symbol.when, "l-1")
            self.names[symbol.name] = inside
        for symbol in states:
            del self.names[symbol.name]
            self.names[f"{symbol.name}[l]"] = Symbol(
                f"{symbol.name}.before^l", span, symbol.name, "state", "before", "l"
            )
        self.names[item.id] = Symbol(item.id, self.source.span(item), item.id, "part", "", "l")
        self.in_loop = True
        lines = tuple(self.read_line(line) for line in statement.body)
        self.in_loop = False
        used = {node.id: node for line in lines for node in line.value.walk() if isinstance(node, Symbol)}
        others = [symbol for symbol in outer.values() if symbol.id in used and symbol not in (*carried, *states)]
        self.names = outer
        for symbol in (*carried, *states):
            self.used.add(symbol.name)
            after = Symbol(f"{symbol.name}^L", span, symbol.name, symbol.role, symbol.when, "L")
            self.names[symbol.name] = (
                after if symbol in carried else Symbol(symbol.name, span, symbol.name, "state", "now")
            )
        targets = tuple(self.names[symbol.name] for symbol in (*carried, *states))
        item_symbol = Symbol(item.id, self.source.span(item), item.id, "part", "", "l")
        loop = nodes.Repeat(parts.id, span, parts, item_symbol, lines, (*carried, *states, *others))
        return nodes.Assign(targets, loop, lines[0].caption)

    def loop_head(self, statement: ast.For) -> tuple[str, ast.Name, ast.Name]:
        """The letter of the pass (or none), the name of one part, and that of all parts."""
        match statement.target, statement.iter:
            case ast.Name() as item, ast.Name(id=over) as parts if over in self.looped:
                return "", item, parts
            case (
                ast.Tuple(elts=[ast.Name(id=index), ast.Name() as item]),
                ast.Call(func=ast.Name(id="enumerate"), args=[ast.Name() as parts], keywords=[]),
            ) if parts.id in self.looped:
                return index, item, parts
        self.fail(
            statement, "a loop runs over parts", "take `blocks` as a keyword-only argument: `for block in blocks:`"
        )

    def read_return(self, value: ast.expr) -> tuple[Node, ...]:
        parts = parts_of(value)
        if all(isinstance(part, ast.Name) for part in parts):
            return tuple(self.name(part) for part in parts if isinstance(part, ast.Name))
        if len(parts) > 1:
            self.fail(value, "several results need names", "assign each to a name, then return the names")
        self.line, self.made = "result", 0
        return (self.expression(value, id="result"),)

    # --- expressions ----------------------------------------------------------------------------

    def expression(self, node: ast.expr, id: str = "") -> Node:
        """One expression; `id` only for the outermost of a line, which is the value of its name."""
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
        self.fail(
            node,
            f"`{ast.unparse(node)}` is not part of the grammar of equations",
            "see seqloom/equations/grammar.py for what is",
        )

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
            self.fail(
                node,
                f"{ast.unparse(node.func)} is neither a known function nor equations",
                "use one of seqloom.equations, or decorate it with @equations",
            )
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


def parts_in(tree: ast.FunctionDef) -> tuple[set[str], set[str], set[str]]:
    """The keyword-only arguments that are called, those that are looped over, and the names that loops carry on."""
    taken = {argument.arg for argument in tree.args.kwonlyargs}
    called, looped, carried = set(), set(), set()
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="scan" | "scan_back"), args=[ast.Name(id=part), *_]):
                called.add(part)
            case ast.Call(func=ast.Name(id=part)):
                called.add(part)
            case (
                ast.For(iter=ast.Name(id=parts))
                | ast.For(iter=ast.Call(func=ast.Name(id="enumerate"), args=[ast.Name(id=parts)]))
            ):
                looped.add(parts)
                assigned = (target for line in node.body for target in assigned_in(line))
                carried |= {target.id for target in assigned if isinstance(target, ast.Name)}
    return called & taken, looped & taken, carried


def assigned_in(line: ast.stmt) -> list[ast.expr]:
    return [part for target in line.targets for part in parts_of(target)] if isinstance(line, ast.Assign) else []


def indexed(node: ast.expr) -> str:
    """The name of `s` in `s[l]`."""
    match node:
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Name()):
            return name
    return ""


def is_layered(symbol: Symbol) -> bool:
    """Whether this is the state of one layer, `s[l]`."""
    return symbol.role == "state" and symbol.layer == "l"


def entry_of(source: Node) -> nodes.When:
    """An entry of a row made in this step belongs to the step; a row of a matrix is one of all steps."""
    in_step = isinstance(source, Symbol) and source.when == "now" and source.name[0].islower()
    return "now" if in_step else ""


def parts_of(node: ast.expr) -> list[ast.expr]:
    """The elements of a tuple, or the one thing that stands there."""
    return list(node.elts) if isinstance(node, ast.Tuple) else [node]
