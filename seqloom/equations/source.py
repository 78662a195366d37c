"""The source of a function: its lines, its syntax tree, and the comment of each line."""

from __future__ import annotations

import ast
import inspect
import io
import textwrap
import tokenize
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from seqloom.equations.nodes import Span
from seqloom.errors import GrammarError


@dataclass(frozen=True)
class FunctionSource:
    """Lines count from 1 within `text`; `first` is the line of the file at which it begins."""

    file: str
    first: int
    text: str
    tree: ast.FunctionDef
    comments: dict[int, str]  # by line, without the sign
    own_line: frozenset[int]  # the lines that hold nothing but a comment

    @classmethod
    def of(cls, function: Callable[..., Any]) -> FunctionSource:
        file = inspect.getsourcefile(function) or "<unknown>"
        try:
            raw, first = inspect.getsourcelines(function)
        except OSError as error:
            raise GrammarError(
                f"the source of {function.__name__} cannot be read",
                where=file,
                remedy="define it in a file or a notebook cell; formulas are taken from the source",
            ) from error
        text = textwrap.dedent("".join(raw))
        tree = ast.parse(text).body[0]
        if not isinstance(tree, ast.FunctionDef):
            raise GrammarError("only a plain function can be equations", where=f"{file}:{first}")
        comments, own_line = {}, set()
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                comments[token.start[0]] = token.string.lstrip("# ").rstrip()
                if not token.line[: token.start[1]].strip():
                    own_line.add(token.start[0])
        return cls(file, first, text, tree, comments, frozenset(own_line))

    @property
    def lines(self) -> list[str]:
        return self.text.splitlines()

    def place(self, node: ast.AST | None = None) -> str:
        """`file:line` of a node, or of the function, for a message."""
        line = getattr(node, "lineno", self.tree.lineno)
        return f"{Path(self.file)}:{self.first + line - 1}"

    def span(self, node: ast.expr | ast.arg | ast.stmt) -> Span:
        """Where a node stands, in characters (ast counts bytes)."""
        assert node.end_lineno is not None and node.end_col_offset is not None
        start = self._characters(node.lineno, node.col_offset)
        return Span(node.lineno, start, node.end_lineno, self._characters(node.end_lineno, node.end_col_offset))

    def caption(self, statement: ast.stmt) -> str:
        """The comment behind a statement, or alone on the line above it."""
        assert statement.end_lineno is not None
        above = statement.lineno - 1
        if text := self.comments.get(statement.end_lineno):
            return text
        return self.comments[above] if above in self.own_line else ""

    def _characters(self, line: int, byte: int) -> int:
        return len(self.lines[line - 1].encode()[:byte].decode())
