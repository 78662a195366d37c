"""Attention maps as a PNG heat map, by matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO

import numpy as np

from seqloom.attention.attention_weights import AttentionMap
from seqloom.attention.display_text import shown
from seqloom.attention.fonts import fonts_with
from seqloom.extras import require

LARGE = 16
"""Words on the longer side up to which numbers stand in the squares."""
LONGEST = 24
"""Characters of a word that are written."""
INK, PAPER = "#1c1c20", "#ffffff"


def render_png(maps: Sequence[AttentionMap]) -> bytes:
    """PNG of the mean over layers and heads; several maps below each other. To draw one head: `map.only(2, 0)`."""
    require("matplotlib", "plot", "attention as .png", otherwise="write it as .html, .json or .txt")
    from matplotlib.figure import Figure

    labels = [([short(word) for word in one.target], [short(word) for word in one.source]) for one in maps]
    with fonts_with(word for sides in labels for side in sides for word in side):
        sizes = [cell_size(one) for one in maps]
        heights = [size * len(one.target) + 1.2 for size, one in zip(sizes, maps, strict=True)]
        width = max(size * len(one.source) + 2.2 for size, one in zip(sizes, maps, strict=True))
        figure = Figure(figsize=(width, sum(heights)), facecolor=PAPER, layout="constrained")
        panels = figure.subplots(len(maps), squeeze=False, height_ratios=heights)[:, 0]
        for axes, one, (rows, columns), size in zip(panels, maps, labels, sizes, strict=True):
            weights = one.mean()
            image = axes.imshow(weights, cmap="Purples", vmin=0, vmax=one.scale, interpolation="nearest")
            points = min(11.0, 72 * size * 0.62)
            axes.set_xticks(range(len(columns)), columns, rotation=90 if crowded(columns, size, points) else 0)
            axes.set_yticks(range(len(rows)), rows)
            axes.tick_params(top=True, labeltop=True, bottom=False, labelbottom=False, length=0, labelsize=points)
            for text in (*axes.get_xticklabels(), *axes.get_yticklabels()):
                text.set_parse_math(False)  # `$5` is no formula
            for spine in axes.spines.values():
                spine.set_color("#8b8982")
            if max(weights.shape) <= LARGE:
                for (t, s), weight in np.ndenumerate(weights):
                    colour = PAPER if weight > 0.55 * one.scale else INK
                    axes.text(s, t, f"{weight:.2f}", ha="center", va="center", fontsize=points * 0.75, color=colour)
            figure.colorbar(image, ax=axes, fraction=0.03, aspect=25, pad=0.02).ax.tick_params(labelsize=8)
        data = BytesIO()
        figure.savefig(data, format="png", dpi=150, metadata={"Software": None})
    return data.getvalue()


def short(word: str) -> str:
    text = shown(word)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def cell_size(one: AttentionMap) -> float:
    """Inches of a square: large for few words, never too small for their labels to be read."""
    return max(0.16, min(0.5, 10 / max(len(one.source), len(one.target))))


def crowded(words: Sequence[str], size: float, points: float) -> bool:
    """Whether words side by side would run into each other."""
    return any(len(word) * points * 0.7 > 72 * size for word in words)
