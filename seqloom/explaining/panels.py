"""An experiment: a question, a few sentences, and panels of numbers; page.py draws it, a terminal prints it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from seqloom.explaining.shown_as_page import ShownAsPage
from seqloom.explaining.values import Value

Scale = Literal["linear", "log"]


@dataclass(frozen=True)
class Series:
    """One named line: a y for every x."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    """The ends of an interval around each y, if there are any."""
    look: int | None = None
    """Which of the looks it has, where the same thing has lines in several charts; default: by its place."""


@dataclass(frozen=True)
class LineChart:
    """Lines over a common axis."""

    title: str
    x_label: str
    y_label: str
    series: Sequence[Series]
    x_scale: Scale = "linear"
    y_scale: Scale = "linear"


@dataclass(frozen=True)
class BarChart:
    """Bars, one group for each category; `stacked` puts the parts of a group on top of each other."""

    title: str
    y_label: str
    categories: Sequence[str]
    series: Sequence[tuple[str, Sequence[float]]]  # name, one number for each category
    stacked: bool = False
    ranges: Sequence[Sequence[tuple[float, float]]] = ()
    """For each series, the ends of an interval around every number, if there are any."""
    by_category: bool = False
    """Whether each category has a look of its own, where there is one series alone."""


@dataclass(frozen=True)
class HeatMap:
    """A matrix as colours and numbers, the same picture as everywhere else."""

    title: str
    value: Value


@dataclass(frozen=True)
class Table:
    """A few numbers in rows."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


Panel: TypeAlias = LineChart | BarChart | HeatMap | Table


@dataclass(frozen=True, repr=False)
class Experiment(ShownAsPage):
    """A page of its own: what is asked, what was seen, and the panels that show it."""

    name: str
    title: str
    question: str
    text: Sequence[str]  # paragraphs
    panels: Sequence[Panel]

    def __repr__(self) -> str:
        return f"<experiment {self.name}: {self.question}>"
