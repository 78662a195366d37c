"""The table of a comparison for a paper (booktabs)."""

from __future__ import annotations

import re

from seqloom.comparing.comparison import table_of
from seqloom.comparing.results import Findings

SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"$<$", ">": r"$>$", "–": "--", "−": "$-$",
}  # fmt: skip


def latex_table(found: Findings) -> str:
    """A `tabular` to be included with \\input; the best model stands in bold."""
    header, rows = table_of(found)
    best = found.best.label
    lines = [" & ".join(escaped(cell) for cell in header) + r" \\"]
    for row in rows:
        cells = [escaped(cell) for cell in row]
        if row[0] == best:
            cells[:2] = [rf"\textbf{{{cell}}}" for cell in cells[:2]]
        lines.append(" & ".join(cells) + r" \\")
    columns = "l" + "r" * (len(header) - 1)
    return "\n".join(
        [
            r"% needs \usepackage{booktabs}", rf"\begin{{tabular}}{{{columns}}}", r"\toprule", lines[0], r"\midrule",
            *lines[1:], r"\bottomrule", r"\end{tabular}", "",
        ]
    )  # fmt: skip


def escaped(text: str) -> str:
    r"""
    >>> escaped("a_b & 95 %")
    'a\\_b \\& 95 \\%'
    """
    return re.sub(r"[\\&%$#_{}~^<>–−]", lambda found: SPECIAL[found[0]], text)
