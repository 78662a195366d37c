"""A scatter plot of words on a plane."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from seqloom.errors import SeqloomError
from seqloom.extras import require


def scatter_plot(
    path: Path, words: Sequence[str], places: Sequence[Sequence[float]], labels: Sequence[str] | None = None
) -> None:
    """A point and its word at each place, a colour for each label."""
    require("matplotlib", "plot", "plotting word vectors")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 8), layout="constrained")
    axes = figure.add_subplot()
    for label in sorted(set(labels)) if labels is not None else [None]:
        chosen = [at for at in range(len(words)) if labels is None or labels[at] == label]
        axes.scatter([places[at][0] for at in chosen], [places[at][1] for at in chosen], s=12, label=label)
    for word, (x, y) in zip(words, places):
        axes.annotate(word.replace("$", r"\$"), (x, y), xytext=(3, 3), textcoords="offset points", fontsize=8)
    if labels is not None:
        axes.legend()
    axes.set(xlabel="first axis", ylabel="second axis")
    if path.suffix[1:].lower() not in figure.canvas.get_supported_filetypes():
        raise SeqloomError(f"{path.name}: unknown picture format", remedy="name it .png, .svg or .pdf")
    figure.savefig(path)
