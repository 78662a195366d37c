"""The code pane: the source of a definition as HTML, every symbol and operation marked with its id."""

from __future__ import annotations

import ast
import io
import keyword
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import Any

from seqloom.equations import nodes
from seqloom.equations.definition import Equations, Passes
from seqloom.equations.nodes import Node, Span
from seqloom.equations.notation import folded

KINDS = {
    tokenize.COMMENT: "comment",
    tokenize.NUMBER: "number",
    tokenize.STRING: "string",
    tokenize.OP: "operator",
}


@dataclass(frozen=True)
class Piece:
    """A stretch of the source, from one character to another, and the attributes of its <span>."""

    start: int
    end: int
    attributes: str


def code(definition: Equations[..., Any], prefix: str = "") -> str:
    """The source without its docstring (the page shows that apart), of a loop its lines; `prefix` goes before ids."""
    text = definition.source.text
    starts = line_starts(text)
    pieces = [*marked(definition, starts, prefix), *coloured(text, starts)]
    if isinstance(definition, Passes):
        hidden = all_but(definition.span, text, starts)
    else:
        hidden = frozenset(docstring_of(definition, starts))
    return f"<pre><code>{nest(text, pieces, hidden)}</code></pre>"


def line_starts(text: str) -> list[int]:
    """The place of each line's first character; lines count from 1, so the first entry is unused."""
    starts = [0, 0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    return starts


def marked(definition: Equations[..., Any], starts: list[int], prefix: str) -> Iterator[Piece]:
    """Every symbol and operation."""
    body = definition.body
    found: list[Node] = [*body.inputs, *body.weights]
    for targets, value, _ in body.statements():
        if isinstance(value, nodes.Repeat):
            yield from in_loop(value, starts, prefix)
            continue
        found += [*targets, *value.walk()]
        found += [item for node in value.walk() if isinstance(node, nodes.Each) for item in node.items]
    found += [part for part in body.returns if isinstance(part, nodes.Symbol)]
    for node in found:
        if isinstance(node, nodes.Number | nodes.Each | nodes.Spread):
            continue
        start, end = place(node.span, starts)
        yield Piece(start, end, f'data-id="{escape(prefix + node.id)}"')


def in_loop(loop: nodes.Repeat, starts: list[int], prefix: str) -> Iterator[Piece]:
    """The lines of a loop, marked with what goes into it and what comes out of it."""
    outside = loop.outside
    for line in loop.lines:
        for node in (*line.targets, *line.value.walk()):
            if isinstance(node, nodes.Symbol | nodes.Nested):
                start, end = place(node.span, starts)
                yield Piece(start, end, f'data-id="{escape(prefix + folded(node.id, outside, loop.id))}"')


def coloured(text: str, starts: list[int]) -> Iterator[Piece]:
    """Tokens by their kind."""
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    for token, following in pairwise(tokens):
        kind = KINDS.get(token.type, "")
        if token.type == tokenize.NAME:
            is_call = following.string == "("
            kind = "keyword" if keyword.iskeyword(token.string) else "function" if is_call else "name"
        if kind:
            span = Span(token.start[0], token.start[1], token.end[0], token.end[1])
            start, end = place(span, starts)
            yield Piece(start, end, f'class="{kind}"')


def place(span: Span, starts: list[int]) -> tuple[int, int]:
    return starts[span.line] + span.start, starts[span.end_line] + span.end


def docstring_of(definition: Equations[..., Any], starts: list[int]) -> range:
    """The characters of the docstring's lines."""
    tree = definition.source.tree
    if ast.get_docstring(tree) is None:
        return range(0)
    first = tree.body[0]
    assert first.end_lineno is not None
    return range(starts[first.lineno], starts[first.end_lineno + 1])


def all_but(span: Span, text: str, starts: list[int]) -> frozenset[int]:
    """The characters outside a stretch of lines, and the indentation that these lines have in common."""
    lines = range(span.line, span.end_line + 1)
    seen = {at for line in lines for at in range(starts[line] + span.start, starts[line + 1])}
    return frozenset(range(len(text))) - seen


def nest(text: str, pieces: list[Piece], hidden: frozenset[int]) -> str:
    """The text with all pieces as nested spans; outer ones first where two begin together."""
    html: list[str] = []
    ends: list[int] = []
    waiting = sorted(pieces, key=lambda piece: (piece.start, -piece.end, "class" in piece.attributes))
    following = iter([*waiting, None])
    upcoming = next(following)
    for position in range(len(text) + 1):
        while ends and ends[-1] == position:
            ends.pop()
            html.append("</span>")
        while upcoming is not None and upcoming.start == position:
            if position not in hidden:
                html.append(f"<span {upcoming.attributes}>")
                ends.append(upcoming.end)
            upcoming = next(following)
        if position < len(text) and position not in hidden:
            html.append(escape(text[position]))
    return "".join(html).rstrip("\n")
