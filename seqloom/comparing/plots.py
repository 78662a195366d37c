"""The pictures of a comparison as files, .svg and .png."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from seqloom.attention.fonts import fonts_with
from seqloom.comparing.charts import Chart
from seqloom.evaluating.plots import LOOKS, new_figure, written
from seqloom.explaining.panels import BarChart, LineChart


def write_plots(charts: list[Chart], folder: Path) -> list[Path]:
    """Each picture in both formats."""
    return [file for chart in charts for file in draw(chart, folder)]


def draw(chart: Chart, folder: Path) -> list[Path]:
    panel = chart.panel
    names = panel.categories if isinstance(panel, BarChart) else [series.name for series in panel.series]
    with fonts_with([*names, panel.title]):
        figure, axes = new_figure((6.4, 3.8))
        if isinstance(panel, BarChart):
            draw_bars(panel, axes)
        else:
            draw_lines(panel, axes)
        axes.set_title(panel.title, fontsize=10, parse_math=False)
        axes.set_ylabel(panel.y_label)
        axes.spines[["top", "right"]].set_visible(False)
        return [written(figure, folder / f"{chart.name}{ending}") for ending in (".svg", ".png")]


def draw_lines(panel: LineChart, axes: Any) -> None:
    for number, series in enumerate(panel.series):
        colour, marker, line = LOOKS[(number if series.look is None else series.look) % len(LOOKS)]
        sparse = marker if len(series.x) <= 24 else None
        look = {"color": colour, "marker": sparse, "linestyle": line, "label": series.name, "markersize": 4}
        if series.low:
            around = [
                [max(y - low, 0) for y, low in zip(series.y, series.low)],
                [max(high - y, 0) for y, high in zip(series.y, series.high)],
            ]
            axes.errorbar(series.x, series.y, around, capsize=2, **look)
        else:
            axes.plot(series.x, series.y, **look)
    axes.set_xlabel(panel.x_label)
    axes.set_xscale(panel.x_scale)
    axes.set_yscale(panel.y_scale)
    for text in axes.legend(frameon=False, fontsize=8).get_texts():
        text.set_parse_math(False)


def draw_bars(panel: BarChart, axes: Any) -> None:
    places = range(len(panel.categories))
    for number, (_, values) in enumerate(panel.series):
        colours = [LOOKS[(place if panel.by_category else number) % len(LOOKS)][0] for place in places]
        around = None
        if panel.ranges:
            pairs = list(zip(values, panel.ranges[number]))
            around = [[max(v - low, 0) for v, (low, _) in pairs], [max(high - v, 0) for v, (_, high) in pairs]]
        axes.bar(places, values, color=colours, yerr=around, capsize=3, width=0.7)
    axes.set_xticks(places, panel.categories, rotation=20, ha="right", fontsize=8, parse_math=False)
