"""What `seqloom.compare` returns: the findings, as a table, as a data frame, as a report."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from itertools import accumulate
from pathlib import Path
from typing import Any

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from seqloom.comparing.number_format import large, megabytes, milliseconds, number, p_value
from seqloom.comparing.report_text import named, report_text
from seqloom.comparing.results import Findings, ModelResult
from seqloom.evaluating.tables import as_text, html_table
from seqloom.extras import require


@dataclass(frozen=True, repr=False)
class Comparison:
    """Models side by side."""

    findings: Findings
    report: Path
    """The page; beside it are results.json, table.tex and the folder plots."""

    @property
    def models(self) -> list[ModelResult]:
        return list(self.findings.models)

    @property
    def best(self) -> ModelResult:
        return self.findings.best

    def frame(self) -> Any:
        """A pandas DataFrame with a row for each model."""
        pandas = require("pandas", "plot", "a comparison as a data frame", otherwise="use .rows(), plain dictionaries")
        return pandas.DataFrame(self.rows()).set_index("model")

    def rows(self) -> list[dict[str, Any]]:
        """A dictionary for each model: what `frame` holds."""
        return [one.row() for one in self.findings.models]

    @property
    def report_text(self) -> list[str]:
        """What happened and why, in paragraphs."""
        return report_text(self.findings)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """What happened, and a row for each model with as many columns as there is room for."""
        header, rows = table_of(self.findings)
        widths = [2 + max(cell_len(row[place]) for row in (header, *rows)) for place in range(len(header))]
        fitting = sum(total - 2 <= options.max_width for total in accumulate(widths))
        table = Table(box=None, pad_edge=False, header_style="bold")
        for place, title in enumerate(header[:fitting]):
            table.add_column(title, justify="right" if place else "left", no_wrap=True)
        for row in rows:
            table.add_row(*map(Text, row[:fitting]))
        yield Text(self.report_text[0])
        yield Text()
        yield table

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        header, rows = table_of(self.findings)
        return f"<p>{'</p><p>'.join(map(escape, self.report_text))}</p>" + html_table("", rows, header)


def table_of(found: Findings) -> tuple[list[str], list[list[str]]]:
    """The table that ends a comparison: a row for each model."""
    header = [
        "model", named(found.measure), "95 %", "p", "params", "tokens/s", "inputs/s", "memory", "steps", "one input",
    ]  # fmt: skip
    return header, [
        [
            one.label,
            number(one.quality.value),
            f"{number(one.quality.low)}–{number(one.quality.high)}",
            p_value(one.against.randomisation_p if one.against else None),
            large(one.parameters),
            large(one.tokens_per_second),
            large(one.answers_per_second),
            megabytes(one.memory),
            f"{one.steps:,}",
            milliseconds(one.latency),
        ]
        for one in found.models
    ]
