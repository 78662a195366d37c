"""Plots of results: the confusion matrix, calibration, quality by length, learning curves; .png or .svg."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from seqloom.attention.fonts import fonts_with
from seqloom.errors import OutputError, SeqloomError, as_path
from seqloom.evaluating.by_length import Curves, models_at, starts_of
from seqloom.extras import require
from seqloom.storage import output_errors

BINS = 10
ORDERS = 10
"""Values that differ by more than this factor stand by their orders of magnitude."""
WRITTEN = 25
"""Labels up to which the counts stand in the squares of a confusion matrix."""

LOOKS = [
    ("#0a58a8", "o", "-"), ("#a54300", "s", "--"), ("#00695a", "^", ":"), ("#8c2f7d", "D", "-."),
    ("#6a5b00", "v", (0, (7, 2))), ("#3c3c46", "P", (0, (3, 1))), ("#b3224d", "X", (0, (1, 1))),
    ("#2f6f9f", "<", (0, (5, 1, 1, 1))), ("#577a00", ">", (0, (9, 3))),
]  # fmt: skip
"""Colour, marker and line of each model, as on pages: told apart without colour too."""


def calibration(confidence: Sequence[tuple[float, bool]]) -> list[tuple[float, float, int]]:
    """For ten equal ranges of probability that occur: mean probability, accuracy, and how many examples.

    >>> calibration([(0.95, True), (0.93, False), (0.2, False)])
    [(0.2, 0.0, 1), (0.94, 0.5, 2)]
    """
    p = np.array([probability for probability, _ in confidence])
    right = np.array([correct for _, correct in confidence], dtype=float)
    which = np.minimum((p * BINS).astype(int), BINS - 1)
    return [
        (round(float(p[which == place].mean()), 6), float(right[which == place].mean()), int((which == place).sum()))
        for place in range(BINS)
        if (which == place).any()
    ]


def plot_confusion(labels: Sequence[str], confusion: Sequence[Sequence[int]], path: Path | str) -> Path:
    """Draw counts of true label (row) against predicted label (column), shaded by the share of the row."""
    target = drawable(path)
    counts = np.asarray(confusion)
    shares = counts / np.maximum(counts.sum(1, keepdims=True), 1)
    side = 2.0 + 0.45 * min(len(labels), 40)
    with fonts_with(labels):
        figure, axes = new_figure((side + 0.6, side))
        image = axes.imshow(shares, cmap="Blues", vmin=0, vmax=1)
        size = 9 if len(labels) <= WRITTEN else 5
        axes.set_xticks(range(len(labels)), labels, rotation=90, fontsize=size, parse_math=False)
        axes.set_yticks(range(len(labels)), labels, fontsize=size, parse_math=False)
        axes.set_xlabel("predicted")
        axes.set_ylabel("true")
        if len(labels) <= WRITTEN:
            for (row, column), count in np.ndenumerate(counts):
                colour = "white" if shares[row, column] > 0.5 else "black"
                axes.text(column, row, f"{count:,}", ha="center", va="center", color=colour, fontsize=8)
        figure.colorbar(image, ax=axes, label="share of the true label", shrink=0.8)
        return written(figure, target)


def plot_calibration(confidence: Sequence[tuple[float, bool]], path: Path | str) -> Path:
    """Draw the accuracy of answers against their probability: on the diagonal, 0.8 means right in 8 of 10 cases."""
    target = drawable(path)
    bins = calibration(confidence)
    with fonts_with(()):
        figure, axes = new_figure((4.6, 4.2))
        axes.plot([0, 1], [0, 1], color="#888888", linestyle=":", label="calibrated")
        colour, marker, line = LOOKS[0]
        x, y, sizes = zip(*bins)
        axes.plot(x, y, color=colour, linestyle=line)
        axes.scatter(
            x, y, s=[20 + 180 * size / max(sizes) for size in sizes], color=colour, marker=marker, label="model"
        )
        error = sum(size * abs(right - p) for p, right, size in bins) / sum(sizes)
        axes.set_title(f"expected calibration error {error:.3f}", fontsize=10)
        axes.set_xlabel("probability of the answer")
        axes.set_ylabel("share that is right")
        axes.set_xlim(0, 1.02)
        axes.set_ylim(0, 1.02)
        axes.legend(frameon=False)
        return written(figure, target)


def plot_by_length(curves: Curves, path: Path | str, measure: str = "BLEU") -> Path:
    """Draw the metric and its intervals over the length of the source, a curve for each model."""
    target = drawable(path)
    starts = starts_of(curves)
    labels = {low: models_at(curves, low)[0][1].label for low in starts}
    with fonts_with(curves):
        figure, axes = new_figure((max(5.0, 1.5 + 0.8 * len(starts)), 3.8))
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
        axes.spines[["top", "right"]].set_visible(False)
        for text in axes.legend(frameon=False).get_texts():
            text.set_parse_math(False)
        return written(figure, target)


def plot_history(lines: Sequence[Mapping[str, Any]], path: Path | str) -> Path:
    """Draw the learning curves of a run: the loss on training and validation data, and the other validation metrics."""
    target = drawable(path)
    names = [name for name in dict.fromkeys(name for line in lines for name in line) if name.startswith("valid_")]
    panels = [["loss", *(name for name in names if name == "valid_loss")], *([n] for n in names if n != "valid_loss")]
    if not lines:
        raise SeqloomError("no step was logged, so there is no curve to draw", remedy="train for longer")
    best = next((line["step"] for line in reversed(lines) if line.get("best")), None)
    with fonts_with(()):
        figure, _ = new_figure((4.4 * len(panels), 3.4), subplots=len(panels))
        for axes, shown in zip(figure.axes, panels):
            for (colour, marker, line), name in zip(LOOKS, shown):
                points = [(each["step"], each[name]) for each in lines if name in each]
                sparse = marker if len(points) < 40 else None
                x, y = zip(*points)
                axes.plot(x, y, color=colour, linestyle=line, marker=sparse, label=name.replace("_", " "), markersize=4)
            if best is not None:
                axes.axvline(best, color="0.7", linewidth=1, linestyle=":", label="weights kept", zorder=0)
            axes.set_xlabel("step")
            axes.legend(frameon=False)
        return written(figure, target)


def plot_trials(
    points: Mapping[str, Sequence[tuple[Any, float, str]]], importance: Mapping[str, float], path: Path | str
) -> Path:
    """Draw the score of each trial of a search by the value of each setting, and how much it mattered."""
    target = drawable(path)
    with fonts_with(()):
        figure, _ = new_figure((3.4 * len(points), 3.4), subplots=len(points))
        for axes, (name, found) in zip(figure.axes, points.items()):
            numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value, _, _ in found)
            for (colour, marker, _), ended in zip(LOOKS, sorted({ended for _, _, ended in found})):
                x = [value if numbers else str(value) for value, _, how in found if how == ended]
                y = [score for _, score, how in found if how == ended]
                axes.scatter(x, y, color=colour, marker=marker, label=ended, s=18)
            low, high = (end(value for value, _, _ in found) for end in (min, max)) if numbers else (0, 0)
            if low > 0 and high > ORDERS * low:
                axes.set_xscale("log")
                axes.set_xticks(
                    [low, (low * high) ** 0.5, high], [f"{at:.2g}" for at in (low, (low * high) ** 0.5, high)]
                )
                axes.minorticks_off()
            share = f"\n{importance[name]:.0%} of what mattered" if name in importance else ""
            axes.set_title(f"{name}{share}", fontsize=10)
        figure.axes[0].set_ylabel("best validation score")
        figure.axes[0].legend(frameon=False, fontsize=8)
        return written(figure, target)


# --- files --------------------------------------------------------------------------------------------


def drawable(path: Path | str) -> Path:
    """The file, if a picture can be written to one of its name."""
    target = as_path(path, "path")
    if target.suffix.lower() not in (".png", ".svg"):
        raise OutputError(f"cannot draw a file that ends in {target.suffix!r}", remedy="end it in .png or .svg")
    require("matplotlib", "plot", "drawing results")
    return target


def new_figure(size: tuple[float, float], subplots: int = 1) -> Any:
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(1, subplots)
    return figure, axes


def written(figure: Any, target: Path) -> Path:
    from matplotlib import rc_context

    with output_errors(target), rc_context({"svg.hashsalt": "seqloom"}):
        target.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(target, dpi=150, metadata={"Date": None} if target.suffix.lower() == ".svg" else None)
    return target
