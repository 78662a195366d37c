"""How much each input mattered for each output: to print, to draw, to keep."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from seqloom.attention.display_text import shown
from seqloom.errors import OutputError, as_path

STRONGEST = 4
"""Inputs that are named for each output, where there are several outputs."""
BAR = 24
"""Cells of the longest bar in a terminal."""
FOR, AGAINST = "#2166ac", "#b2182b"
"""Blue and red of a scale that colour-blind readers can tell apart."""


@dataclass(frozen=True, eq=False)
class Attribution:
    """Signed weights of S inputs for K outputs: positive ones speak for the output, negative ones against it."""

    method: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    weights: NDArray[np.float64]
    """(K, S)"""
    scores: tuple[float, ...]
    """The score that is attributed, for each output: its log-odds, or the number that is predicted."""
    answer: Any = None

    def strongest(self, output: int) -> list[tuple[str, float]]:
        """The inputs with the largest weights for an output, by size, with their signs."""
        order = np.argsort(-np.abs(self.weights[output]), kind="stable")[:STRONGEST]
        return [(self.inputs[place], float(self.weights[output, place])) for place in order]

    def sentence(self) -> str:
        """What stands out, in words."""
        row, column = np.unravel_index(int(np.abs(self.weights).argmax()), self.weights.shape)
        weight = self.weights[row, column]
        way = "speaks most for" if weight >= 0 else "speaks most against"
        return f"“{shown(self.inputs[column])}” {way} “{shown(self.outputs[row])}” ({weight:+.2f})."

    def json(self) -> dict[str, Any]:
        """Everything as plain data."""
        return {
            "method": self.method,
            "inputs": list(self.inputs),
            "outputs": list(self.outputs),
            "weights": np.round(self.weights, 6).tolist(),
            "scores": [round(score, 6) for score in self.scores],
        }

    def csv(self) -> str:
        """A line for each pair of output and input."""
        text = StringIO()
        table = csv.writer(text, lineterminator="\n")
        table.writerow(["output", "input", "place", "weight"])
        for output, row in zip(self.outputs, self.weights.tolist(), strict=True):
            table.writerows(
                [output, given, place, f"{weight:.6g}"]
                for place, (given, weight) in enumerate(zip(self.inputs, row, strict=True))
            )
        return text.getvalue()

    def save(self, path: Path | str) -> Path:
        """Write it to a file; the end of the name says how: .png, .svg, .json, .csv or .txt."""
        target = as_path(path, "path")
        texts: dict[str, Callable[[], str]] = {
            ".json": lambda: json.dumps(self.json(), ensure_ascii=False) + "\n",
            ".csv": self.csv,
            ".txt": lambda: str(self) + "\n",
        }
        suffix = target.suffix.lower()
        if suffix in (".png", ".svg"):
            return self.plot(target)
        if suffix not in texts:
            what = f"{target}: attributions are not written as {suffix or 'a file without an ending'}"
            raise OutputError(what, remedy="end the name in .png, .svg, .json, .csv or .txt")
        from seqloom.storage import replace_file  # here, for it loads torch

        replace_file(target, texts[suffix]().encode())
        return target

    def plot(self, path: Path | str) -> Path:
        """Draw a row of squares for each output: blue speaks for it, red against it."""
        from seqloom.attention.fonts import fonts_with
        from seqloom.evaluating.plots import drawable, new_figure, written

        target = drawable(path)
        columns, rows = [*map(shown, self.inputs)], [*map(shown, self.outputs)]
        most = float(np.abs(self.weights).max()) or 1.0
        with fonts_with([*columns, *rows]):
            figure, axes = new_figure((2.2 + 0.42 * len(columns), 1.4 + 0.42 * len(rows)))
            image = axes.imshow(self.weights, cmap="RdBu", vmin=-most, vmax=most, aspect="auto")
            axes.set_xticks(range(len(columns)), columns, rotation=90, fontsize=9, parse_math=False)
            axes.set_yticks(range(len(rows)), rows, fontsize=9, parse_math=False)
            figure.colorbar(image, ax=axes, label=f"weight ({self.method})")
            return written(figure, target)

    def __rich__(self) -> Group:
        """Bars for one output; for several, the strongest inputs of each."""
        return Group(self.bars() if len(self.outputs) == 1 else self.lines(), Text(self.sentence(), style="dim"))

    def bars(self) -> Table:
        table = Table(box=None, title=f"{shown(self.outputs[0])}  ({self.method})", title_justify="left")
        for justify in ("left", "right", "left"):
            table.add_column(justify=justify)
        most = float(np.abs(self.weights).max()) or 1.0
        for given, weight in zip(self.inputs, self.weights[0].tolist(), strict=True):
            bar = Text("█" * round(BAR * abs(weight) / most), style=FOR if weight >= 0 else AGAINST)
            table.add_row(Text(shown(given)), f"{weight:+.3f}", bar)
        return table

    def lines(self) -> Table:
        table = Table(box=None, title=f"what each output came from  ({self.method})", title_justify="left")
        table.add_column("output")
        table.add_column("inputs")
        for place, output in enumerate(self.outputs):
            named = Text("   ").join(
                Text(f"{shown(given)} {weight:+.2f}", style=FOR if weight >= 0 else AGAINST)
                for given, weight in self.strongest(place)
            )
            table.add_row(Text(shown(output)), named)
        return table

    def __str__(self) -> str:
        screen = Console(width=100, no_color=True, file=StringIO())
        with screen.capture() as found:
            screen.print(self)
        return "\n".join(line.rstrip() for line in found.get().splitlines())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """Squares with colours for a notebook."""
        most = float(np.abs(self.weights).max()) or 1.0
        head = "".join(f"<th scope='col' dir='auto'>{escape(shown(given))}</th>" for given in self.inputs)
        body = "".join(
            f"<tr><th scope='row' dir='auto'>{escape(shown(output))}</th>"
            f"{''.join(square(weight / most, weight) for weight in row)}</tr>"
            for output, row in zip(self.outputs, self.weights.tolist(), strict=True)
        )
        caption = f"<caption>{escape(self.sentence())}</caption>"
        return f"<table>{caption}<thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody></table>"


def square(share: float, weight: float) -> str:
    """A cell, coloured by its share of the largest weight."""
    red, green, blue = (int((FOR if share >= 0 else AGAINST)[start : start + 2], 16) for start in (1, 3, 5))
    ink = "#fff" if abs(share) > 0.6 else "inherit"
    return f"<td style='background:rgba({red},{green},{blue},{abs(share):.2f});color:{ink}'>{weight:+.2f}</td>"
