"""Attention as one self-contained page: lines between words, heat maps, a choice of layer and head.

The modules and style sheets of seqloom/views are inside it, as in the pages of `explaining`; it loads nothing and
computes nothing: the means it offers are made here.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from seqloom.attention.attention_weights import AttentionMap
from seqloom.attention.display_text import right_to_left
from seqloom.views.document import document

STYLES = ("base.css", "heat.css", "attention.css")
ENTRY = 'import { attention } from "seqloom/attention.js";\nattention();'


def render_html(maps: Sequence[AttentionMap]) -> str:
    """A whole HTML file."""
    sections = "".join(
        f'<section class="attention"><h2><bdi>{escape(" ".join(one.source))}</bdi><span class="arrow">→</span>'
        f"<bdi>{escape(' '.join(one.target))}</bdi></h2><div data-map></div></section>\n"
        for one in maps
    )
    body = f"""<header class="top">
<div class="words"><h1>Attention</h1>
<p class="paper">The attention weights of each word below over the words above: the wider, the larger.</p></div>
<div class="tools"><div id="theme"></div></div>
</header>
<main>
{sections}</main>"""
    data = {"maps": [map_data(one) for one in maps]}
    return document("Attention", body, data, entry=ENTRY, styles=STYLES)


def map_data(one: AttentionMap) -> dict[str, Any]:
    """Names to choose from, and the weights of each choice; a mean comes first where there are several."""
    layers, heads = choices(one.layers), choices([f"head {n + 1}" for n in range(one.heads)])
    return {
        "source": one.source,
        "target": one.target,
        "source_rtl": right_to_left(one.source),
        "target_rtl": right_to_left(one.target),
        "layers": [name for name, _ in layers],
        "heads": [name for name, _ in heads],
        "weights": [
            [np.round(one.of(layer, head).ravel().astype(np.float64), 4).tolist() for _, head in heads]
            for _, layer in layers
        ],
    }


def choices(names: Sequence[str]) -> list[tuple[str, int | None]]:
    """Every name with its number; before them the mean of all, which has none."""
    each: list[tuple[str, int | None]] = [(name, number) for number, name in enumerate(names)]
    return each if len(each) == 1 else [("mean of all", None), *each]
