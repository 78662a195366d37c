"""The attention of captions as one self-contained page: for each word the picture, with light where the model looks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

from seqloom.attention.display_text import shown
from seqloom.attention.picture_attention import PictureAttention
from seqloom.data.pictures.decoding import as_png
from seqloom.views.document import document, image_address

STYLES = ("base.css", "picture_attention.css")
ENTRY = 'import { themeSwitch } from "seqloom/theme.js";\nthemeSwitch(document.getElementById("theme"));'
LIGHT = (124, 58, 237)
"""The colour of weights."""
STRONGEST = 0.8
"""How much of the picture the largest weight covers."""


def render_picture_html(maps: Sequence[PictureAttention]) -> str:
    """A whole HTML file."""
    sections = "".join(map(section, maps))
    body = f"""<header class="top">
<div class="words"><h1>Attention</h1>
<p class="paper">Where in the picture the model looks while it writes each word: the stronger the colour, the larger
the attention weight.</p></div>
<div class="tools"><div id="theme"></div></div>
</header>
<main>
{sections}</main>"""
    return document("Attention", body, {}, entry=ENTRY, styles=STYLES)


def section(one: PictureAttention) -> str:
    picture = image_address(as_png(one.picture))
    height, width, _ = one.picture.shape
    words = "".join(
        f'<figure><div class="seen" style="aspect-ratio: {width} / {height}"><img alt="" src="{picture}">'
        f'<img class="weights" alt="{escape(summary(word, grid))}" src="{image_address(mask(grid))}"></div>'
        f"<figcaption><bdi>{escape(shown(word))}</bdi><span>{escape(place_of(grid))}</span></figcaption></figure>\n"
        for word, grid in zip(one.target, one.grids(), strict=True)
    )
    whole = f'<div class="seen" style="aspect-ratio: {width} / {height}"><img alt="the picture" src="{picture}"></div>'
    said = f"<h2><bdi>{escape(' '.join(one.target))}</bdi></h2>"
    return f'<section class="captioned">{said}<div class="words-seen"><figure>{whole}</figure>{words}</div></section>\n'


def mask(grid: NDArray[np.float32]) -> bytes:
    """The weights as a picture of one pixel a region: the largest covers most."""
    alpha = (grid / max(float(grid.max()), 1e-9) * STRONGEST * 255).round().astype(np.uint8)
    colour = np.broadcast_to(np.array(LIGHT, np.uint8), (*grid.shape, 3))
    return as_png(np.concatenate([colour, alpha[..., None]], -1))


def place_of(grid: NDArray[np.float32]) -> str:
    """The region of the largest weight, counted from 1."""
    row, column = np.unravel_index(int(grid.argmax()), grid.shape)
    return f"{grid.max():.2f} at row {row + 1}, column {column + 1}"


def summary(word: str, grid: NDArray[np.float32]) -> str:
    return f"{word}: the largest weight is {place_of(grid)}"
