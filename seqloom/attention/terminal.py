"""Attention in a terminal: a heat map of the weights between target and source words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size
from rich.color import Color
from rich.console import Console, ConsoleOptions, RenderResult
from rich.style import Style
from rich.text import Text

from seqloom.attention.attention_weights import AttentionMap
from seqloom.attention.display_text import direction, shown
from seqloom.attention.picture_attention import PictureAttention

WIDEST = 16
"""Cells of a row's word; what is longer is cut."""
NARROW = 2
"""Cells of the narrowest column; one between columns comes on top."""
CELL = 3
"""Cells of a region of a picture."""
FIRST_LEFT, ISOLATE, END = "\u200e", "\u2068", "\u2069"
"""Marks without width that keep words which are read from the right where they stand."""


def heatmap(map: AttentionMap) -> TerminalHeatmap | TerminalPicture:
    """A map to print with rich, whatever was read: words, or a picture."""
    return TerminalPicture(map) if isinstance(map, PictureAttention) else TerminalHeatmap(map)


@dataclass(frozen=True)
class TerminalPicture:
    """For each word of a caption the regions of the picture as they stand in it, the darker the less they weigh."""

    map: PictureAttention

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        grids = self.map.grids()
        scale = float(grids.max())
        pen = Pen(console, options, scale)
        for word, grid in zip(self.map.target, grids, strict=True):
            yield Text(pen.isolated(shown(word)), no_wrap=True, overflow="ellipsis")
            for row in grid:
                line = Text("  ", no_wrap=True, overflow="crop")
                for weight in row:
                    line.append(*pen.square(float(weight) / scale, CELL))
                yield line
        yield pen.key(0)


@dataclass(frozen=True)
class TerminalHeatmap:
    """A map to print with rich: the mean over layers and heads; of one head with `map.only(layer, head)`.

    Columns carry their words where a line has room for all of them. Where it has not, they carry numbers, in blocks
    as wide as the terminal, each below the words that its numbers stand for.
    """

    map: AttentionMap

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        pen = Pen(console, options, self.map.scale)
        columns = [shown(word) for word in self.map.source]
        rows = [pen.cut(shown(word), max(1, min(WIDEST, options.max_width // 3))) for word in self.map.target]
        margin = max(map(cell_len, rows))
        weights = self.map.mean()
        room = options.max_width - margin - 1
        widths = [max(NARROW, cell_len(word)) + 1 for word in columns]
        if sum(widths) <= room:
            yield pen.head(map(pen.isolated, columns), widths, margin)
            for row, values in zip(rows, weights, strict=True):
                yield pen.squares(row, margin, values, widths)
        else:
            width = max(NARROW, len(str(len(columns)))) + 1
            most = max(1, room // width)
            for first in range(0, len(columns), most):
                numbers = range(first + 1, min(first + most, len(columns)) + 1)
                yield from pen.legend([(number, columns[number - 1]) for number in numbers])
                widths = [width] * len(numbers)
                yield pen.head((f"{number:>{width - 1}}" for number in numbers), widths, margin)
                for row, values in zip(rows, weights[:, first : first + most], strict=True):
                    yield pen.squares(row, margin, values, widths)
                yield Text("")
        yield pen.key(margin)


class Pen:
    """How things are drawn on this console."""

    def __init__(self, console: Console, options: ConsoleOptions, scale: float) -> None:
        self.width, self.scale = options.max_width, scale
        self.shades = console.color_system in ("256", "truecolor") and not console.no_color
        self.plain = options.ascii_only
        self.ramp = " .:*#" if self.plain else " ░▒▓█"

    def isolated(self, word: str) -> str:
        """A word that no neighbour can pull to its side."""
        return f"{ISOLATE}{word}{END}" if direction(word) == "right" and not self.plain else word

    def cut(self, word: str, most: int) -> str:
        if cell_len(word) > most:
            word = set_cell_size(word, most - 1).rstrip() + ("." if self.plain else "…")
        return self.isolated(word)

    def head(self, words: Iterable[str], widths: Sequence[int], margin: int) -> Text:
        """A line of words, each above its column."""
        cells = (word + " " * (width - cell_len(word)) for word, width in zip(words, widths, strict=True))
        return self.kept(" " * (margin + 1) + "".join(cells))

    def kept(self, line: str) -> Text:
        """A line that begins on the left whatever its first word is."""
        mark = FIRST_LEFT if ISOLATE in line else ""
        return Text(mark + line.rstrip(), style="dim", no_wrap=True, overflow="ignore")

    def squares(self, row: str, margin: int, values: Sequence[float], widths: Sequence[int]) -> Text:
        text = Text(no_wrap=True, overflow="ignore")
        text.append((FIRST_LEFT if ISOLATE in row else "") + " " * (margin - cell_len(row)) + row + " ")
        for value, width in zip(values, widths, strict=True):
            text.append(*self.square(float(value) / self.scale, width))
        return text

    def square(self, weight: float, width: int) -> tuple[str, Style]:
        """Shades touch each other; letters leave a cell free."""
        weight = min(1.0, max(0.0, weight))
        if not self.shades:
            return self.ramp[round(weight * (len(self.ramp) - 1))] * (width - 1) + " ", Style()
        level = round(24 + 231 * weight)
        return " " * width, Style(bgcolor=Color.from_rgb(level, level, level))

    def legend(self, words: Sequence[tuple[int, str]]) -> Iterator[Text]:
        """Numbers and the words they stand for, in lines as wide as the terminal."""
        line = ""
        for number, word in words:
            entry = f"{number} {self.cut(word, self.width - 6)}"
            if line and cell_len(line) + 2 + cell_len(entry) > self.width:
                yield self.kept(line)
                line = ""
            line += ("  " if line else "") + entry
        yield self.kept(line)

    def key(self, margin: int) -> Text:
        """Which shade is which weight."""
        text = Text(" " * (margin + 1) + "0 ", style="dim")
        for step in range(5):
            text.append(*self.square(step / 4, 3))
        return text.append(f" {self.scale:.2g}")
