"""Answers as one self-contained page: the views of the studio, with what was recorded inside it.

A run is what the studio draws: rows of tokens, attention between them, steps. The page loads and asks nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any, Protocol

from seqloom.attention.attention_weights import AttentionMap
from seqloom.attention.display_text import right_to_left
from seqloom.attention.picture_attention import PictureAttention
from seqloom.attention.weave_data import weave_data
from seqloom.data.pictures.decoding import as_png
from seqloom.views.document import document, image_address

STYLES = ("base.css", "explanation.css", "weave/weave.css")
ENTRY = 'import { weavePage } from "seqloom/weave/page.js";\nweavePage();'
NUMBERS = 600_000
"""Weights that are kept in a file at most; beyond, heads are pooled by maximum."""
EMPTY: dict[str, Any] = {
    "answer": {}, "text": "", "rows": {}, "attention": [], "stepped": "", "steps": [], "tree": [],
    "importance": {}, "picture": None,
}  # fmt: skip
"""A run of which nothing is known."""


class Grid(Protocol):
    """A picture in pixels, and the regions that it is cut into."""

    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...
    @property
    def rows(self) -> int: ...
    @property
    def columns(self) -> int: ...


def render_html(maps: Sequence[AttentionMap], titles: Sequence[Sequence[str]] = ()) -> str:
    """A whole HTML file of attention maps, one below the other; `titles` as of `attention_run`, one for each."""
    each = zip(maps, titles or [()] * len(maps), strict=True)
    return run_page("Attention", [attention_run(one, title, NUMBERS // len(maps)) for one, title in each])


def attention_run(one: AttentionMap, title: Sequence[str] = (), numbers: int = NUMBERS) -> dict[str, Any]:
    """What is known of a run by its attention; `title`: the texts read and written, else its tokens side by side."""
    rows = {name: row_data(tokens) for name, tokens in (("source", one.source), ("target", one.target))}
    read = [] if isinstance(one, PictureAttention) else [" ".join(one.source)]
    shown = list(title) or [*read, " ".join(one.target)]
    attention = {"group": "cross", "rows": "target", "columns": "source", **weave_data(one, numbers=numbers)}
    picture = picture_data(as_png(one.picture), one) if isinstance(one, PictureAttention) else None
    return {**EMPTY, "title": shown, "rows": rows, "attention": [attention], "picture": picture}


def picture_data(png: bytes, regions: Grid) -> dict[str, Any]:
    """A picture as an address that carries it, and its grid of regions."""
    grid = {name: getattr(regions, name) for name in ("width", "height", "rows", "columns")}
    return {"image": image_address(png), **grid}


def row_data(tokens: Sequence[str]) -> dict[str, Any]:
    """A row of tokens, and whether it is read from the right."""
    return {"tokens": list(tokens), "rtl": right_to_left(tuple(tokens))}


def run_page(title: str, runs: Sequence[dict[str, Any]]) -> str:
    """A whole HTML file of runs; each has a `title`: what was read, and what was written."""
    sections = "".join(
        f'<section class="run"><h2 class="run-title">{heading(run["title"])}</h2><div class="panels-grid" data-run>'
        "</div></section>\n"
        for run in runs
    )
    body = f"""<header class="top">
<div class="words"><h1>{escape(title)}</h1></div>
<div class="tools"><div id="language"></div><div id="theme"></div></div>
</header>
<main>
{sections}</main>"""
    return document(title, body, {"runs": list(runs)}, entry=ENTRY, styles=STYLES)


def heading(title: Sequence[str]) -> str:
    return '<span class="arrow">→</span>'.join(f"<bdi>{escape(part)}</bdi>" for part in title)
