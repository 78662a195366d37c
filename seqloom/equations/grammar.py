"""From a function's syntax tree to equations; what is outside the grammar is an error right here.

    name = expression            # a caption
    name, name = nested(...)
    for block in blocks:         a loop over parts; `for l, cell in enumerate(cells)` has a state `s[l]` for each
        X = block(X, mask)
    return name, name            or, for a single formula: return expression

What an expression is stands in expressions.py. All errors of a function are reported at once.
"""

from __future__ import annotations

import ast
import builtins
import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from seqloom.equations import nodes
from seqloom.equations.expressions import ExpressionReader, indexed, parts_of
from seqloom.equations.legend import Legend
from seqloom.equations.nodes import Node, Symbol
from seqloom.equations.rewrites import FAMILY, instead_of_statement
from seqloom.equations.source import FunctionSource
from seqloom.errors import GrammarError

T = TypeVar("T")


def read(source: FunctionSource, function: Callable[..., Any], legend: Legend) -> nodes.Body:
    """The equations of a function."""
    return GrammarReader(source, outer_names(function), legend).read()


def outer_names(function: Callable[..., Any]) -> dict[str, Any]:
    """What the names mean that a function uses but does not define."""
    closed_over = inspect.getclosurevars(function)
    return {**vars(builtins), **getattr(function, "__globals__", {}), **closed_over.nonlocals}


class GrammarReader(ExpressionReader):
    """Reads one function, line by line."""

    def __init__(self, source: FunctionSource, outer: Mapping[str, Any], legend: Legend) -> None:
        called, self.looped, self.carried = parts_in(source.tree)
        super().__init__(source, outer, called)
        self.legend = legend

    # --- the function ---------------------------------------------------------------------------

    def read(self) -> nodes.Body:
        tree = self.source.tree
        statements = tree.body[1:] if ast.get_docstring(tree) is not None else tree.body
        if not statements or not isinstance(statements[-1], ast.Return) or statements[-1].value is None:
            self.fail(tree, f"{tree.name} does not end in a return", "return what it computes")
        last = statements[-1].value
        returned = [part.id for part in parts_of(last) if isinstance(part, ast.Name)]
        inputs, weights = self.read_arguments(tree, returned)
        lines = [self.read_statement(statement) for statement in statements[:-1]]
        returns = self.attempt(statements[-1], lambda: self.read_return(last)) or ()
        for symbol in (*inputs, *weights):
            if symbol.name not in self.used:
                self.note(tree, f"{symbol.name} is taken but never used", "use it, or take it out")
            elif symbol.role == "state" and self.names[symbol.name].when != "now":
                self.note(tree, f"the state {symbol.name} is returned as it came", "assign it, or do not return it")
        if self.errors:
            first, *more = self.errors
            raise GrammarError(first.what, where=first.where, remedy=first.remedy, more=more)
        return nodes.Body(inputs, weights, tuple(filter(None, lines)), returns, self.source.caption(statements[-1]))

    def read_statement(self, statement: ast.stmt) -> nodes.Assign | None:
        if isinstance(statement, ast.For) and not self.in_loop:
            return self.attempt(statement, lambda: self.read_loop(statement))
        return self.attempt(statement, lambda: self.read_line(statement))

    def attempt(self, statement: ast.stmt, read: Callable[[], T]) -> T | None:
        """Read a statement; if that fails its names count as assigned and used: one mistake is one error."""
        known, outside, in_loop = len(self.errors), dict(self.names), self.in_loop
        found = None
        try:
            found = read()
        except GrammarError as error:
            self.errors += [error] if len(self.errors) == known else []  # else it comes of those before
        if len(self.errors) == known:
            return found
        self.names, self.in_loop = {**outside, **self.names}, in_loop
        for node in ast.walk(statement):
            if isinstance(node, ast.Name):
                self.used.add(node.id)
                if isinstance(node.ctx, ast.Store):
                    role: nodes.Role = "state" if node.id in outside and outside[node.id].role == "state" else "value"
                    self.names[node.id] = Symbol(node.id, self.source.span(node), node.id, role, "now")
        return None

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
            changed = self.names.get(ast.unparse(statement.target)) if isinstance(statement, ast.AugAssign) else None
            self.fail(statement, *instead_of_statement(statement, changed is not None and may_change(changed)))
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
        if known is None or may_change(known):
            return
        taken = "has a value already" if known.role in ("value", "item", "state") else "is an argument"
        self.fail(
            target,
            f"{target.id} {taken}",
            "a symbol means one thing: choose another name, or make it a state",
        )

    def read_loop(self, statement: ast.For) -> nodes.Assign | None:
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
        read = [self.read_statement(line) for line in statement.body]
        self.in_loop = False
        lines = tuple(filter(None, read))
        if None in read:
            return None
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
            statement,
            f"a loop runs over parts, and {ast.unparse(statement.iter)} holds values",
            f"write {FAMILY} for values, `scan(cell, X)` for a recurrence; layers are a keyword-only argument: "
            "`for block in blocks: X = block(X)`",
        )

    def read_return(self, value: ast.expr) -> tuple[Node, ...]:
        parts = parts_of(value)
        if all(isinstance(part, ast.Name) for part in parts):
            return tuple(self.name(part) for part in parts if isinstance(part, ast.Name))
        if len(parts) > 1:
            self.fail(value, "several results need names", "assign each to a name, then return the names")
        self.line, self.made = "result", 0
        return (self.expression(value, id="result"),)


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


def may_change(symbol: Symbol) -> bool:
    """Whether a line may give it a new value: the state of the step before, or what a loop carries."""
    return symbol.layer == "l-1" or (symbol.role == "state" and symbol.when == "before")


def is_layered(symbol: Symbol) -> bool:
    """Whether this is the state of one layer, `s[l]`."""
    return symbol.role == "state" and symbol.layer == "l"
