"""Binding: a definition that was read, with its parts replaced by the definitions that they are in a model.

A part that is called becomes a call of its definition; a loop over parts becomes the call of a definition that has
all passes one after the other, so that every value of every layer has an id of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from seqloom.equations import nodes
from seqloom.equations.nodes import Assign, Body, Node, Symbol

if TYPE_CHECKING:
    from seqloom.equations.definition import Equations


def bound_body(body: Body, parts: Mapping[str, Any], passes: Callable[..., Any]) -> Body:
    """A body with its parts bound, those that are not given as they were; `passes` makes a definition of a loop."""

    def bind(node: Node) -> Node:
        match node:
            case nodes.Nested(part=Symbol(name=name)) | nodes.Scan(part=Symbol(name=name)) if name in parts:
                node = replace(node, definition=parts[name])
            case nodes.Repeat(over=Symbol(name=name)) if name in parts:
                node = replace(node, definition=passes(with_parts(node, bind), parts[name]))
        return with_children(node, bind)

    lines = tuple(replace(line, value=bind(line.value)) for line in body.lines)
    return replace(body, lines=lines, returns=tuple(map(bind, body.returns)))


def with_parts(loop: nodes.Repeat, bind: Callable[[Node], Node]) -> nodes.Repeat:
    return replace(loop, lines=tuple(replace(line, value=bind(line.value)) for line in loop.lines))


def with_children(node: Node, change: Callable[[Node], Node]) -> Node:
    """The same node with its children changed."""
    match node:
        case nodes.Unary() | nodes.Transpose():
            return replace(node, operand=change(node.operand))
        case nodes.Binary():
            return replace(node, left=change(node.left), right=change(node.right))
        case nodes.Index():
            return replace(node, base=change(node.base), index=change(node.index))
        case nodes.Spread():
            family = change(node.family)
            assert isinstance(family, Symbol)
            return replace(node, family=family)
        case nodes.Call():
            return replace(node, arguments=tuple(map(change, node.arguments)))
        case nodes.Each():
            items = tuple(change(item) for item in node.items)
            return replace(node, body=change(node.body), sources=tuple(map(change, node.sources)), items=items)  # type: ignore[arg-type]
        case nodes.Nested():
            keywords = tuple((name, change(value)) for name, value in node.keywords)
            return replace(node, arguments=tuple(map(change, node.arguments)), keywords=keywords)
        case nodes.Scan():
            return replace(node, source=change(node.source))
    return node


# --- all passes of a loop -------------------------------------------------------------------------


def unfolded(loop: nodes.Repeat, parts: tuple[Equations[..., Any], ...]) -> Body:
    """The lines of every pass; layers count from 1."""
    layered = {target.name for line in loop.lines for target in line.targets if is_layered(target)}
    carried = [symbol for symbol in loop.arguments if symbol.layer == "0"]
    inputs: list[Symbol] = [replace(symbol, id=f"{symbol.name}^0", role="input") for symbol in carried]
    for symbol in loop.arguments[len(carried) :]:
        if symbol.name in layered:
            passes = range(1, len(parts) + 1)
            inputs += [replace(symbol, id=f"{symbol.name}.before^{n}", layer=str(n)) for n in passes]
        else:
            inputs.append(replace(symbol, role="input"))
    lines = [one_pass(line, loop, n, part) for n, part in enumerate(parts, start=1) for line in loop.lines]
    after = [
        replace(symbol, id=f"{symbol.name}^{len(parts)}", role="value", layer=str(len(parts))) for symbol in carried
    ]
    weights = tuple(replace(loop.item, id=f"{loop.item.name}^{n}", layer=str(n)) for n in range(1, len(parts) + 1))
    states = [target for line in lines for target in line.targets if target.role == "state"]
    return Body(tuple(inputs), weights, tuple(lines), (*after, *states), "")


def is_layered(symbol: Symbol) -> bool:
    return symbol.role == "state" and symbol.layer not in ("", "0", "L")


def one_pass(line: Assign, loop: nodes.Repeat, number: int, part: Equations[..., Any]) -> Assign:
    """A line of the loop in one pass: `^l-1` and `^l` become numbers, the part becomes the one of this layer."""

    def numbered(id: str) -> str:
        return id.replace("^l-1", f"^{number - 1}").replace("^l", f"^{number}")

    def change(node: Node) -> Node:
        if isinstance(node, Symbol):
            layer = {"l-1": str(number - 1), "l": str(number)}.get(node.layer, node.layer)
            return replace(node, id=numbered(node.id), layer=layer)
        node = replace(node, id=numbered(node.id))
        if isinstance(node, nodes.Nested | nodes.Scan) and node.part is not None and node.part.name == loop.item.name:
            symbol = replace(node.part, id=f"{node.part.name}^{number}", layer=str(number))
            node = replace(node, definition=part, part=symbol)
        return with_children(node, change)

    targets = tuple(change(target) for target in line.targets)
    return Assign(targets, change(line.value), line.caption)  # type: ignore[arg-type]  # symbols stay symbols
