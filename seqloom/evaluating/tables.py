"""Results as text and as HTML: what an evaluation, a summary or a model shows of itself."""

from __future__ import annotations

import io
import re
import shutil
from collections.abc import Sequence
from html import escape
from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.table import Table
from rich.text import Text

WIDTH = 100
"""Characters in a line of text."""
NARROWEST = 6
"""Characters of a heading over numbers that are always shown."""
WIDEST_LABEL = 30


def metric_text(value: float) -> str:
    """A metric with the digits that say something.

    >>> [metric_text(value) for value in (0.88714, 39.912, 12345.6, 0.00005, 0.0)]
    ['0.8871', '39.91', '12,346', '5e-05', '0.0000']
    """
    size = abs(value)
    if 0 < size < 0.0005:
        return f"{value:.2g}"
    return f"{value:.4f}" if size < 10 else f"{value:.2f}" if size < 1_000 else f"{value:,.0f}"


def rich_table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]], limit: int | None = None) -> Table:
    """A table for a terminal, of many rows those up to a limit: numbers to the right, long headings above them cut."""
    table = Table(title=title or None, title_justify="left", box=None)
    shown = rows[:limit]
    columns = [[row[at] for row in shown if at < len(row)] for at in range(len(header))]
    numeric = [at > 0 and bool(cells) and all(map(is_number, cells)) for at, cells in enumerate(columns)]
    texts = [max(map(cell_len, [name, *cells])) for name, cells, number in zip(header, columns, numeric) if not number]
    room = shutil.get_terminal_size().columns - sum(min(width, WIDEST_LABEL) + 2 for width in texts)
    widest = [max(map(cell_len, cells)) for cells, number in zip(columns, numeric) if number]
    heads = [cell_len(name) for name, number in zip(header, numeric) if number]
    longest = longest_heading(heads, widest, room - 2 * len(heads))
    for name, cells, number in zip(header, columns, numeric):
        if number:
            width = max([longest, *map(cell_len, cells)])
            table.add_column(shortened(name, width), justify="right", no_wrap=True)
        else:
            table.add_column(name, overflow="fold")
    for row in shown:
        table.add_row(*map(Text, row))
    if len(rows) > len(shown):
        table.add_row(f"... {len(rows) - len(shown):,} more")
    return table


def longest_heading(heads: Sequence[int], cells: Sequence[int], room: int) -> int:
    """How long headings may be that all columns fit: short ones leave their room to the long.

    >>> longest_heading([5, 13, 15], [4, 4, 4], 25)
    10
    """
    fitting = (
        longest
        for longest in range(max(heads, default=0), NARROWEST, -1)
        if sum(max(min(head, longest), cell) for head, cell in zip(heads, cells)) <= room
    )
    return next(fitting, NARROWEST)


def is_number(cell: str) -> bool:
    """Whether a cell holds a number, or says that there is none."""
    return re.fullmatch(r"-?[0-9][0-9,]*\.?[0-9]*(e[-+]?[0-9]+)?%?|-", cell) is not None


def shortened(text: str, width: int) -> str:
    """A text of at most so many cells of a terminal.

    >>> shortened("card_arrival", 8)
    'card_ar…'
    """
    return text if cell_len(text) <= width else f"{set_cell_size(text, width - 1)}…"


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
    left, right = (f' style="text-align: {side}"' for side in ("left", "right"))
    parts = [f"<caption{left}><b>{escape(title)}</b></caption>"] if title else []
    if header:
        parts.append("<tr>" + "".join(f"<th{left}>{escape(name)}</th>" for name in header) + "</tr>")
    for row in rows:
        cells = (f"<td{right if is_number(str(cell)) else left}>{escape(str(cell))}</td>" for cell in row)
        parts.append(f"<tr>{''.join(cells)}</tr>")
    return f"<table>{''.join(parts)}</table>"
