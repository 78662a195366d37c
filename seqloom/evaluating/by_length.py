"""A metric by the length of the source: does quality fall where sentences are long?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.bar import Bar
from rich.table import Table
from rich.text import Text

from seqloom.attention.fonts import fonts_with
from seqloom.errors import DataError, OutputError
from seqloom.evaluating.bootstrap import ConfidenceInterval, CountedMetric, interval
from seqloom.evaluating.classification import check_same_length
from seqloom.extras import require

STEPS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500)
MOST = 8
"""Buckets, unless others are asked for."""


@dataclass(frozen=True)
class LengthBucket:
    """Sentences whose source has from `low` to `high` words; None: any number from `low`."""

    low: int
    high: int | None
    count: int
    interval: ConfidenceInterval

    @property
    def label(self) -> str:
        if self.high is None:
            return f"{self.low}+"
        return str(self.low) if self.low == self.high else f"{self.low}–{self.high}"

    def json(self) -> dict[str, Any]:
        return {"low": self.low, "high": self.high, "count": self.count, "interval": self.interval._asdict()}


Curves = Mapping[str, Sequence[LengthBucket]]
"""Buckets by the name of a model."""


def by_length(
    counted: CountedMetric,
    lengths: Sequence[int],
    starts: Sequence[int] | None = None,
    resamples: int = 1000,
    seed: int = 0,
) -> list[LengthBucket]:
    """The metric and its confidence interval in each bucket that holds a sentence.

    lengths  words of each source
    starts   the first length of each bucket; what is shorter than all goes to the first, the last has no end
    """
    check_same_length(lengths, counted.counts, "lengths")
    firsts = np.array(usual_starts(lengths) if starts is None else starts)
    if not len(firsts) or (np.diff(firsts) < 1).any():
        raise DataError(f"buckets cannot start at {list(firsts)}", remedy="give lengths that rise, as 1, 6, 11")
    which = np.clip(np.searchsorted(firsts, np.asarray(lengths), "right") - 1, 0, None)
    buckets = []
    for place, low in enumerate(firsts.tolist()):
        inside = which == place
        if inside.any():
            high = int(firsts[place + 1]) - 1 if place + 1 < len(firsts) else None
            found = interval(counted.only(inside), resamples, seed)
            buckets.append(LengthBucket(low, high, int(inside.sum()), found))
    return buckets


def usual_starts(lengths: Sequence[int]) -> list[int]:
    """Even steps up to where the longest two in a hundred begin; the shortest one in a hundred are in the first.

    >>> usual_starts([3, 9, 14, 22, 31])
    [1, 6, 11, 16, 21, 26]
    """
    shortest, longest = (int(np.quantile(np.asarray(lengths), q)) for q in (0.01, 0.98))
    step = next((step for step in STEPS if longest <= step * MOST), -(-max(longest, 1) // MOST))
    return [1, *(first for first in range(1 + step, longest + 1, step) if first > shortest)]


# --- pictures -----------------------------------------------------------------------------------


def bars(curves: Curves) -> Table:
    """For a terminal: a bar for each model in each bucket, as long as there is room."""
    most = max((bucket.interval.value for buckets in curves.values() for bucket in buckets), default=0) or 1
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("words", justify="right", no_wrap=True)
    table.add_column("sentences", justify="right", no_wrap=True)
    table.add_column("", max_width=24, no_wrap=True)
    table.add_column("", min_width=8, max_width=40)
    table.add_column("", style="dim", no_wrap=True)
    for low in starts_of(curves):
        for number, (name, bucket) in enumerate(models_at(curves, low)):
            label, count = ("", "") if number else (bucket.label, f"{bucket.count:,}")
            bar = Bar(most, 0, bucket.interval.value, color="cyan")
            table.add_row(label, count, Text(name), bar, str(bucket.interval))
    return table


def starts_of(curves: Curves) -> list[int]:
    return sorted({bucket.low for buckets in curves.values() for bucket in buckets})


def models_at(curves: Curves, low: int) -> list[tuple[str, LengthBucket]]:
    return [(name, bucket) for name, buckets in curves.items() for bucket in buckets if bucket.low == low]


LOOKS = [("#0a58a8", "o", "-"), ("#a54300", "s", "--"), ("#00695a", "^", ":"), ("#8c2f7d", "D", "-.")]
"""Colour, marker and line of each model: told apart without colour too."""


def drawable(file: str | Path) -> Path:
    target = Path(file)
    if target.suffix.lower() not in (".png", ".svg"):
        raise OutputError(f"cannot draw a file that ends in {target.suffix!r}", remedy="end it in .png or .svg")
    require("matplotlib", "plot", "drawing quality by length")
    return target


def plot(curves: Curves, file: str | Path, measure: str = "BLEU") -> Path:
    """Plot the metric and its intervals over the length of the source, as .png or .svg."""
    target = drawable(file)
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    starts = starts_of(curves)
    labels = {low: models_at(curves, low)[0][1].label for low in starts}
    with fonts_with(curves), rc_context({"svg.hashsalt": "seqloom", "axes.spines.top": False}):
        figure = Figure(figsize=(max(5.0, 1.5 + 0.8 * len(starts)), 3.8), layout="constrained")
        axes = figure.add_subplot()
        for number, (name, buckets) in enumerate(curves.items()):
            colour, marker, line = LOOKS[number % len(LOOKS)]
            shift = 0.08 * (number - (len(curves) - 1) / 2)  # so that intervals do not hide each other
            x = [starts.index(bucket.low) + shift for bucket in buckets]
            y, low, high = (np.array([bucket.interval[part] for bucket in buckets]) for part in range(3))
            around = np.maximum([y - low, high - y], 0)
            axes.errorbar(x, y, around, color=colour, marker=marker, linestyle=line, capsize=3, label=name)
        axes.set_xticks(range(len(starts)), [labels[low] for low in starts])
        axes.set_xlabel("words in the source")
        axes.set_ylabel(measure)
        axes.set_ylim(bottom=0)
        axes.spines["right"].set_visible(False)
        for text in axes.legend(frameon=False).get_texts():
            text.set_parse_math(False)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            figure.savefig(target, dpi=150, metadata={"Date": None} if target.suffix.lower() == ".svg" else None)
        except OSError as error:
            raise OutputError(f"cannot write {target}: {error.strerror}", remedy="choose another place") from error
    return target
