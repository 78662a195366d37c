"""What every recorded value was made of: the operation and the ids it took, for pages that show the arithmetic."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from seqloom.equations import Equations, nodes

Recipe = list[str | int | float]
"""An operation (a sign, a known function; call, scan, each, same), and what it takes: ids, plain numbers."""


def recipes(definition: Equations[..., Any], path: str) -> dict[str, Recipe]:
    """For each id of a definition that was opened at a path, how its value was computed."""
    prefix = f"{path}/" if path else ""
    found: dict[str, Recipe] = {}
    for targets, value, _ in definition.body.statements():
        for node in value.walk():
            if (made := recipe(node, prefix)) is not None:
                found[prefix + node.id] = made
        for target, source in zip(targets, results(value, prefix), strict=False):
            if prefix + target.id != source:
                found[prefix + target.id] = ["same", source]
    return found


def recipe(node: nodes.Node, prefix: str) -> Recipe | None:
    """How one expression is computed; None for a name and for a number."""
    match node:
        case nodes.Unary():
            return [f"unary {node.operator}", operand(node.operand, prefix)]
        case nodes.Binary():
            return [node.operator, operand(node.left, prefix), operand(node.right, prefix)]
        case nodes.Transpose():
            return ["transpose", operand(node.operand, prefix)]
        case nodes.Index():
            return ["index", operand(node.base, prefix), operand(node.index, prefix)]
        case nodes.Call():
            return [node.function.name, *(operand(argument, prefix) for argument in node.arguments)]
        case nodes.Each():
            return ["each", operand(node.body, prefix)]
        case nodes.Nested() | nodes.Repeat() if node.definition is not None:
            return ["call", next(results(node, prefix))]
        case nodes.Scan() if node.definition is not None:
            return ["scan", f"{prefix}{node.id}/{node.definition.body.returns[0].id}"]
    return None


def operand(node: nodes.Node, prefix: str) -> str | int | float:
    """An id or a number; of a family whose members are put end to end, its id behind an asterisk."""
    if isinstance(node, nodes.Spread):
        return f"*{prefix}{node.family.id}"
    if not isinstance(node, nodes.Number):
        return prefix + node.id
    return node.value if math.isfinite(node.value) else prefix + node.id  # no value has that id


def results(node: nodes.Node, prefix: str) -> Iterator[str]:
    """The ids of what an expression gives: of a call, those of the results inside it."""
    if isinstance(node, nodes.Nested | nodes.Repeat) and node.definition is not None:
        yield from (f"{prefix}{node.id}/{each.id}" for each in node.definition.body.returns)
    else:
        yield prefix + node.id
