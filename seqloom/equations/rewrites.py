"""What to write instead of Python that stands in no formula."""

from __future__ import annotations

import ast

from seqloom.equations.functions import TABLE
from seqloom.errors import close_matches

FAMILY = "`stack(f(x_i) for x_i in X)`"
SPELLINGS = {
    "matmul": "x @ W", "mm": "x @ W", "mv": "x @ W", "bmm": "x @ W", "dot": "x @ y", "cat": "concat(x, y)",
    "hstack": "concat(x, y)", "concatenate": "concat(x, y)", "transpose": "X.T", "t": "X.T", "pow": "x ** 2",
    "square": "x ** 2", "add": "x + y", "sub": "x - y", "mul": "x * y", "div": "x / y", "neg": "-x",
    "sum": "sum(x_i for x_i in x)", "masked_fill": "where(mask, x, -inf)", "size": "dim(x)", "amax": "highest(X)",
    "reshape": "flatten(X)", "view": "flatten(X)", "linear": "x @ W + b",
}  # fmt: skip
"""How the grammar writes what other libraries have functions for."""
OPERATORS = {ast.And: "&", ast.Or: "|"}


def instead_of_call(function: ast.expr, defined: bool) -> str:
    """What to write instead of a call of an unknown function; `defined`: the name has a value outside."""
    names = sorted(entry.name for entry in TABLE.values())
    name = function.attr if isinstance(function, ast.Attribute) else ast.unparse(function)
    if isinstance(function, ast.Attribute):
        if name in names:
            return f"write `{name}(...)`, from seqloom.equations"
        if name in SPELLINGS:
            return f"write `{SPELLINGS[name]}`"
        return "write it with operators and the functions of seqloom.equations, or mark a function of your own @known()"
    if defined:
        return f"mark {name} with @equations if its formula is to be shown, or with @known() if only its name is"
    if near := close_matches(name, names):
        return f"did you mean {near[0]}? A function of your own is marked with @known() or @equations"
    return "use one of seqloom.equations, or mark a function of your own with @known() or @equations"


def instead_of_expression(node: ast.expr) -> str:
    """What to write instead of an expression that is none of a formula."""
    match node:
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return f"write `where({ast.unparse(test)}, {ast.unparse(body)}, {ast.unparse(orelse)})`"
        case ast.Compare(left=left, ops=ops, comparators=[middle, right]):
            first = ast.unparse(ast.Compare(left, ops[:1], [middle]))
            return f"write `({first}) & ({ast.unparse(ast.Compare(middle, ops[1:], [right]))})`"
        case ast.BoolOp(op=op, values=values):
            sign = OPERATORS[type(op)]
            return f"write `{f' {sign} '.join(f'({ast.unparse(value)})' for value in values)}`"
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return f"write `~({ast.unparse(operand)})`"
        case ast.ListComp() | ast.GeneratorExp() | ast.SetComp():
            loop = ast.unparse(ast.GeneratorExp(node.elt, node.generators))[1:-1]
            return f"write `stack({loop})`, or `sum({loop})`"
        case ast.Subscript():
            return "write `first(X)`, `last(X)`, `tail(X, size)` or `windows(X, before, behind)`"
        case ast.Attribute(attr="shape"):
            return f"write `dim({ast.unparse(node.value)})` for its width"
        case ast.Tuple() | ast.List():
            return "write `concat(x, y)`, or give each a line of its own"
        case ast.Lambda():
            return "define a function of its own with @equations"
    return "write names, numbers, operators, and functions of seqloom.equations"


def instead_of_statement(statement: ast.stmt, in_place: bool) -> tuple[str, str]:
    """What is wrong with a line that is no assignment, and what to write; `in_place`: its name may get a new value."""
    shown = ast.unparse(statement).split("\n")[0]
    match statement:
        case ast.AugAssign(target=target, op=op, value=value):
            changed = ast.unparse(ast.BinOp(ast.Name(ast.unparse(target)), op, value))
            if in_place:
                return f"`{shown}` changes a value in place", f"write `{ast.unparse(target)} = {changed}`"
            remedy = f"write `{ast.unparse(target)}_2 = {changed}`: a symbol means one thing, so it needs a new name"
            return f"`{shown}` changes a value in place", remedy
        case ast.AnnAssign(target=target, value=value) if value is not None:
            return f"`{shown}` states a type", f"write `{ast.unparse(target)} = {ast.unparse(value)}`"
        case ast.Assign():
            return f"`{shown}` gives one value two names", "write one name a line"
        case ast.If():
            remedy = "choose between two values: `y = where(condition, x, z)`; for a fixed choice write two functions"
            return f"`{shown}` branches, and a formula does not", remedy
        case ast.While():
            return f"`{shown}` has no end that a formula shows", "write `scan(cell, X)` for a recurrence"
        case ast.FunctionDef() | ast.ClassDef():
            return f"`{shown}` is defined inside a formula", "define it outside with @equations, and call it"
        case ast.Return():
            return f"`{shown}` stands before the end", "return once, in the last line"
    return (
        f"`{shown}` is no line of a formula",
        "leave it out: every line is `name = expression`, with a comment if you like",
    )
