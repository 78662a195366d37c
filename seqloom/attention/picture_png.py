"""The attention of captions as a PNG: the picture once for each word, by matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from math import ceil

from seqloom.attention.fonts import fonts_with
from seqloom.attention.picture_attention import PictureAttention
from seqloom.attention.png import PAPER, short
from seqloom.extras import require

BESIDE = 5
"""Pictures beside each other."""
INCHES = 2.2
"""Of the longer side of a picture."""


def render_picture_png(maps: Sequence[PictureAttention]) -> bytes:
    """The picture, then the picture under the weights of each word; several captions below each other."""
    require("matplotlib", "plot", "attention as .png", otherwise="write it as .html, .json or .txt")
    from matplotlib.figure import Figure

    titles = [["", *map(short, one.target)] for one in maps]
    with fonts_with(word for words in titles for word in words):
        lines = [ceil(len(words) / BESIDE) for words in titles]
        sizes = [one.picture.shape[:2] for one in maps]
        heights = [INCHES * min(1.0, height / width) + 0.4 for height, width in sizes]
        figure = Figure(
            figsize=(BESIDE * (INCHES + 0.1), sum(height * count for height, count in zip(heights, lines))),
            facecolor=PAPER,
            layout="constrained",
        )
        ratios = [height for height, count in zip(heights, lines) for _ in range(count)]
        axes = figure.subplots(sum(lines), BESIDE, squeeze=False, height_ratios=ratios)
        for place in axes.flat:
            place.set_axis_off()
        first = 0
        for one, words, count in zip(maps, titles, lines, strict=True):
            height, width, colours = one.picture.shape
            grids = [None, *one.grids()]
            for number, (word, grid) in enumerate(zip(words, grids, strict=True)):
                place = axes[first + number // BESIDE, number % BESIDE]
                plain = one.picture[..., 0] if colours == 1 else one.picture
                extent = (0, width, height, 0)
                place.imshow(plain, cmap="gray", vmin=0, vmax=255, extent=extent, interpolation="nearest")
                if grid is not None:
                    alpha = 0.8 * grid / max(float(grid.max()), 1e-9)
                    place.imshow(
                        grid, cmap="Purples", vmin=-1, vmax=float(grid.max()), alpha=alpha, extent=extent,
                        interpolation="nearest",
                    )  # fmt: skip
                place.set_title(word, fontsize=11, parse_math=False)
            first += count
        data = BytesIO()
        figure.savefig(data, format="png", dpi=110, metadata={"Software": None})
    return data.getvalue()
