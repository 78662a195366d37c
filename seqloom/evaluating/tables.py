"""Results as text and as HTML: what an evaluation, a summary or a model shows of itself."""

from __future__ import annotations

import io
from collections.abc import Sequence
from html import escape
from typing import Any

from rich.console import Console

WIDTH = 100
"""Characters in a line of text."""


def as_text(shown: Any) -> str:
    """What rich would print, as plain text."""
    stream = io.StringIO()
    Console(file=stream, width=WIDTH, color_system=None, force_terminal=False).print(shown, highlight=False)
    return "\n".join(line.rstrip() for line in stream.getvalue().rstrip().split("\n"))


def html_table(title: str, rows: Sequence[Sequence[str]], header: Sequence[str] = ()) -> str:
    """A small table for a notebook, in its own colours.

    >>> html_table("", [("accuracy", "<0.9")])
    '<table><tr><td style="text-align: left">accuracy</td><td style="text-align: left">&lt;0.9</td></tr></table>'
    """
    left = ' style="text-align: left"'
    parts = [f"<caption{left}><b>{escape(title)}</b></caption>"] if title else []
    if header:
        parts.append("<tr>" + "".join(f"<th{left}>{escape(name)}</th>" for name in header) + "</tr>")
    parts += ["<tr>" + "".join(f"<td{left}>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows]
    return f"<table>{''.join(parts)}</table>"
